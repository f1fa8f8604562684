#include "kernel_audit/cli/verification.h"

#include "kernel_audit/cli/repair.h"
#include "kernel_audit/evidence/bundle_reader.h"
#include "kernel_audit/evidence/derived.h"
#include "kernel_audit/report/json.h"

namespace kernel_audit::cli {
namespace {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using core::Json;
using evidence::Bundle;
using evidence::Role;
using evidence::Tier;

// A document's pictures, drawn again. Another version of this program may draw them otherwise.
core::Result<void> VerifyPictures(const Bundle& bundle, const Json& stage) {
  const bool drawn_by_us = bundle.Manifest().version == KA_VERSION;
  const std::string name = "pictures/stage" + stage.at("stage").dump();
  std::vector<std::pair<std::string, std::string>> drawn;
  for (const Json& map : stage.at("ownership")) {
    const auto picture = report::ParseOwnership(map);
    if (!picture) return Fail(ErrorCode::kFailed, picture.error().message);
    drawn.emplace_back(name + "-ownership.svg", report::OwnershipSvg(*picture));
  }
  std::vector<report::Timeline> timelines;
  for (const Json& each : stage.at("timelines")) {
    auto timeline = report::ParseTimeline(each);
    if (!timeline) return Fail(ErrorCode::kFailed, timeline.error().message);
    timelines.push_back(std::move(*timeline));
  }
  if (!timelines.empty()) drawn.emplace_back(name + "-timelines.svg", report::TimelineSvg(timelines));
  for (const auto& [path, svg] : drawn) {
    const auto file = bundle.files().find(path);
    if (file == bundle.files().end() || (drawn_by_us && file->second.bytes != svg)) return Fail(ErrorCode::kFailed, path + " is not the picture of what its document says");
  }
  return {};
}

core::Result<Bundle> VerifyOne(const fs::path& folder) {
  auto bundle = evidence::ReadBundle(folder);
  if (!bundle) return bundle;
  if (auto follows = evidence::VerifyFigures(*bundle); !follows) return Fail(follows.error().code, (folder / "").string() + follows.error().message);
  for (const auto& [path, file] : bundle->files()) {
    if (file.role != Role::kSimulated) continue;
    const auto document = evidence::ReadDocument(Tier::kSimulated, file.bytes);
    if (!document || document->value("subject", "") != "check") continue;
    for (const Json& stage : document->at("stages")) {
      if (auto drawn = VerifyPictures(*bundle, stage); !drawn) return tl::unexpected(drawn.error());
    }
  }
  return bundle;
}

core::Result<std::vector<VerifiedBundle>> VerifyEach(const fs::path& folder) {
  std::vector<fs::path> folders = {folder};
  if (evidence::IsPair(folder)) folders = {folder / evidence::kFailureFolder, folder / evidence::kRepairFolder};
  std::vector<VerifiedBundle> verified;
  for (const fs::path& each : folders) {
    auto bundle = VerifyOne(each);
    if (!bundle) return tl::unexpected(bundle.error());
    verified.push_back({each, std::move(*bundle)});
  }
  if (verified.size() == 2) {
    if (auto linked = VerifyRepair(verified[0].bundle, verified[1].bundle); !linked) return tl::unexpected(linked.error());
  }
  return verified;
}

}  // namespace

core::Result<std::vector<VerifiedBundle>> VerifyFolder(const fs::path& folder) {
  try {
    return VerifyEach(folder);
  } catch (const Json::exception&) {
    return Fail(ErrorCode::kFailed, folder.string() + ": a document has not the form of its schema");
  }
}

}  // namespace kernel_audit::cli
