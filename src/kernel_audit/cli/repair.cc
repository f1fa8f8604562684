#include "kernel_audit/cli/repair.h"

#include <map>

#include "kernel_audit/check/check_evidence.h"
#include "kernel_audit/cli/environment.h"
#include "kernel_audit/core/file.h"
#include "kernel_audit/evidence/bundle_reader.h"
#include "kernel_audit/evidence/bundle_writer.h"
#include "kernel_audit/sandbox/sandbox.h"
#include "kernel_audit/worker/candidate.h"

namespace kernel_audit::cli {
namespace {

using core::ErrorCode;
using core::Fail;
using core::Json;
using evidence::Bundle;
using evidence::Role;

constexpr const char* kSourceDifference = "difference/source.diff";
constexpr const char* kCheckDifference = "difference/checks.json";

core::Result<std::string> Only(const Bundle& bundle, Role role) {
  for (const auto& [path, file] : bundle.files()) {
    if (file.role == role) return file.bytes;
  }
  return Fail(ErrorCode::kFailed, "a bundle without a " + std::string(evidence::Name(role)) + " is no part of a repair");
}

// By diff, which knows better than we would.
core::Result<std::string> SourceDifference(const Bundle& failure, const Bundle& repair) {
  const auto folder = worker::PrivateFolder::Make();
  if (!folder) return tl::unexpected(folder.error());
  for (const auto& [name, bundle] : {std::pair("failure", &failure), std::pair("repair", &repair)}) {
    const auto source = Only(*bundle, Role::kCandidate);
    if (!source) return source;
    if (auto written = core::WriteFile(folder->path() / name, *source); !written) return tl::unexpected(written.error());
  }
  sandbox::Command command{.argv = {"/usr/bin/diff", "-u", "--label", "failure", "--label", "repair", "failure", "repair"}, .environment = {"LC_ALL=C"},
                           .working_directory = folder->path(), .readable = {"/usr", "/lib", "/lib64", "/etc/ld.so.cache"}, .writable = folder->path()};
  const auto outcome = sandbox::Run(command, {});
  if (!outcome) return tl::unexpected(outcome.error());
  if (outcome->out.text.empty()) return Fail(ErrorCode::kFailed, "the failure and the repair are the same source");
  return outcome->out.text;
}

core::Result<Json> CheckDocument(const Bundle& bundle) {
  const auto text = Only(bundle, Role::kSimulated);
  if (!text) return tl::unexpected(text.error());
  return evidence::ReadDocument(evidence::Tier::kSimulated, *text);
}

std::map<std::string, Json> ChecksOf(const Json& document) {
  std::map<std::string, Json> checks;
  for (const Json& stage : document.at("stages")) {
    for (const Json& check : stage.at("checks")) checks[stage.at("stage").dump() + " " + check.at("name").get<std::string>()] = {{"stage", stage.at("stage")}, {"name", check.at("name")}, {"passed", check.at("passed")}, {"detail", check.at("detail")}};
  }
  return checks;
}

// Each check that failed and passes now, with both details.
Json CheckDifference(const Json& failure, const Json& repair) {
  Json changed = Json::array();
  const auto before = ChecksOf(failure), after = ChecksOf(repair);
  for (const auto& [key, check] : after) {
    const auto found = before.find(key);
    if (found == before.end() || found->second.at("passed") == check.at("passed")) continue;
    changed.push_back({{"stage", check.at("stage")}, {"name", check.at("name")}, {"failure", found->second.at("detail")}, {"repair", check.at("detail")}});
  }
  return {{"schema", "kernel-audit/difference/1"}, {"repaired", changed}};
}

core::Result<Bundle> BundleOf(const check::CheckReport& report) {
  auto bundle = NewBundle();
  if (!bundle) return bundle;
  if (auto added = check::AddCheck(report, *bundle); !added) return tl::unexpected(added.error());
  return bundle;
}

core::Result<void> AddDifferences(const Bundle& failure, Bundle& repair) {
  auto source = SourceDifference(failure, repair);
  if (!source) return tl::unexpected(source.error());
  const auto before = CheckDocument(failure), after = CheckDocument(repair);
  if (!before) return tl::unexpected(before.error());
  if (!after) return tl::unexpected(after.error());
  repair.Add(Role::kDifference, kSourceDifference, std::move(*source));
  repair.Add(Role::kDifference, kCheckDifference, core::CanonicalJson(CheckDifference(*before, *after)) + "\n");
  repair.SetRepairs(failure.Manifest().Digest());
  return {};
}

core::Result<void> RequireSame(const Bundle& bundle, const char* path, const std::string& wanted) {
  const auto file = bundle.files().find(path);
  if (file == bundle.files().end()) return Fail(ErrorCode::kFailed, std::string("the repair has no ") + path);
  if (file->second.bytes != wanted) return Fail(ErrorCode::kFailed, std::string(path) + " is not the difference between the failure and the repair");
  return {};
}

core::Result<void> VerifyDocuments(const Json& before, const Json& after) {
  if (before.at("seed") != after.at("seed")) return Fail(ErrorCode::kFailed, "the failure and the repair were checked on other data");
  if (before.at("passed") != false) return Fail(ErrorCode::kFailed, "the failure passes");
  if (after.at("passed") != true) return Fail(ErrorCode::kFailed, "the repair does not pass");
  return {};
}

}  // namespace

core::Result<void> WriteRepair(const check::CheckReport& failure, const check::CheckReport& repair, const std::filesystem::path& folder) {
  auto first = BundleOf(failure), second = BundleOf(repair);
  if (!first) return tl::unexpected(first.error());
  if (!second) return tl::unexpected(second.error());
  if (auto added = AddDifferences(*first, *second); !added) return added;
  return evidence::WriteBundles(folder, {{evidence::kFailureFolder, &*first}, {evidence::kRepairFolder, &*second}});
}

core::Result<void> VerifyRepair(const Bundle& failure, const Bundle& repair) {
  if (repair.Manifest().repairs != failure.Manifest().Digest()) return Fail(ErrorCode::kFailed, "the repair is that of another failure: it names the digest " + repair.Manifest().repairs);
  const auto before = CheckDocument(failure), after = CheckDocument(repair);
  if (!before) return tl::unexpected(before.error());
  if (!after) return tl::unexpected(after.error());
  if (auto fits = VerifyDocuments(*before, *after); !fits) return fits;
  const auto source = SourceDifference(failure, repair);
  if (!source) return tl::unexpected(source.error());
  if (auto same = RequireSame(repair, kSourceDifference, *source); !same) return same;
  return RequireSame(repair, kCheckDifference, core::CanonicalJson(CheckDifference(*before, *after)) + "\n");
}

}  // namespace kernel_audit::cli
