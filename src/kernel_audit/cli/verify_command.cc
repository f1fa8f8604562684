// kernel-audit verify: does a bundle say what was recorded, and does what it says follow?
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "kernel_audit/check/check_evidence.h"
#include "kernel_audit/check/checker.h"
#include "kernel_audit/cli/output.h"
#include "kernel_audit/cli/simulation.h"
#include "kernel_audit/cli/verification.h"
#include "kernel_audit/core/file.h"
#include "kernel_audit/core/npy.h"
#include "kernel_audit/core/printable.h"
#include "kernel_audit/worker/candidate.h"

namespace kernel_audit::cli {
namespace {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using core::Json;
using evidence::Bundle;
using evidence::Role;
using evidence::Tier;

struct Arguments {
  std::string folder;
  bool rerun = false, json = false;
};

// Everything that was recorded, except the environment, byte for byte.
core::Result<void> RequireSame(const Bundle& recorded, const Bundle& again) {
  for (const auto& [path, file] : recorded.files()) {
    if (file.role == Role::kEnvironment || file.role == Role::kDifference) continue;
    const auto found = again.files().find(path);
    if (found == again.files().end()) return Fail(ErrorCode::kFailed, "run again, there is no " + path);
    const std::string &was = file.bytes, &is = found->second.bytes;
    const auto at = std::mismatch(was.begin(), was.end(), is.begin(), is.end()).first - was.begin();
    if (was != is) return Fail(ErrorCode::kFailed, "run again, " + path + " differs from byte " + std::to_string(at) + " on");
  }
  for (const auto& [path, file] : again.files()) {
    if (!recorded.files().contains(path)) return Fail(ErrorCode::kFailed, "run again, there is " + path + " too");
  }
  return {};
}

core::Result<const core::Chip*> ChipOf(const Json& document) { return core::FindChip(document.at("simulated_chip").at("name").get<std::string>()); }

core::Result<Bundle> CheckAgain(const Bundle& bundle, const Json& document) {
  const auto folder = worker::PrivateFolder::Make();
  if (!folder) return tl::unexpected(folder.error());
  const auto chip = ChipOf(document);
  if (!chip) return tl::unexpected(chip.error());
  check::CheckOptions options;
  options.name = document.at("candidate").get<std::string>();
  options.seed = document.at("seed").get<std::uint64_t>();
  options.chip = *chip;
  options.progress = ShowProgress;
  for (const Json& stage : document.at("stages")) options.stages.push_back(stage.at("stage").get<int>());
  if (std::any_of(options.stages.begin(), options.stages.end(), [](int stage) { return stage < 1 || stage > 3; })) return Fail(ErrorCode::kFailed, "the bundle has a stage that there is not");
  for (const auto& [path, file] : bundle.files()) {
    if (file.role != Role::kCandidate) continue;
    options.candidate = folder->path() / fs::path(path).filename();
    if (auto written = core::WriteFile(options.candidate, file.bytes); !written) return tl::unexpected(written.error());
  }
  const auto report = check::Check(options);
  ClearProgress();
  if (!report) return tl::unexpected(report.error());
  Bundle again("", {});
  if (auto added = check::AddCheck(*report, again); !added) return tl::unexpected(added.error());
  return again;
}

core::Result<std::vector<core::HostArray>> RecordedInputs(const Bundle& bundle, const std::vector<core::ArrayType>& types) {
  std::vector<core::HostArray> inputs;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto file = bundle.files().find("arrays/in" + std::to_string(i) + ".npy");
    if (file == bundle.files().end()) return Fail(ErrorCode::kFailed, "the bundle has no arrays/in" + std::to_string(i) + ".npy");
    auto array = core::ParseNpy(core::AsBytes(file->second.bytes));
    if (array && types[i].dtype == core::DType::kBFloat16 && array->dtype() == core::DType::kUInt16) array = core::Reinterpret(std::move(*array), core::DType::kBFloat16);
    if (!array) return tl::unexpected(array.error());
    inputs.push_back(std::move(*array));
  }
  return inputs;
}

core::Result<Bundle> SimulateAgain(const Bundle& bundle, const Json& document) {
  const auto chip = ChipOf(document);
  if (!chip) return tl::unexpected(chip.error());
  const std::string module = "modules/" + document.at("module_sha256").get<std::string>() + ".mlir";
  const SimulationRequest request{bundle.files().at(module).bytes, module, document.at("schedule").get<std::string>(), document.at("cores").get<int>(), *chip,
                                  [&](const std::vector<core::ArrayType>& types) { return RecordedInputs(bundle, types); }};
  const auto simulation = Simulate(request);
  if (!simulation) return tl::unexpected(simulation.error());
  Bundle again("", {});
  if (auto added = AddSimulation(request, *simulation, again); !added) return tl::unexpected(added.error());
  return again;
}

// Traces and simulates again what the bundle's simulated document is about. False: there is none.
core::Result<bool> Rerun(const Bundle& bundle) {
  for (const auto& [path, file] : bundle.files()) {
    if (file.role != Role::kSimulated) continue;
    const auto document = evidence::ReadDocument(Tier::kSimulated, file.bytes);
    if (!document) return tl::unexpected(document.error());
    const auto again = document->at("subject") == "check" ? CheckAgain(bundle, *document) : SimulateAgain(bundle, *document);
    if (!again) return tl::unexpected(again.error());
    if (auto same = RequireSame(bundle, *again); !same) return tl::unexpected(same.error());
    return true;
  }
  return false;
}

std::size_t CountOf(const Bundle& bundle, Role role) {
  return static_cast<std::size_t>(std::count_if(bundle.files().begin(), bundle.files().end(), [&](const auto& file) { return file.second.role == role; }));
}

// What the bundle proves, and what not, in a line.
std::string Verdict(const Bundle& bundle, bool rerun) {
  std::string proved;
  const auto add = [&](Role role, const std::string& words) {
    if (CountOf(bundle, role) != 0) proved += (proved.empty() ? "" : "; ") + words;
  };
  add(Role::kSimulated, std::string("simulated: values and findings on the recorded inputs, on a CPU") + (rerun ? ", the same bytes again just now" : ", not run again (--rerun does)"));
  add(Role::kCompiled, "compiled: libtpu's word on the recorded module");
  add(Role::kExecuted, "executed: a receipt of a run on the device that it names");
  const bool executed = CountOf(bundle, Role::kExecuted) != 0;
  return (proved.empty() ? "it proves nothing" : "it proves " + proved) + "; it does not prove " +
         (executed ? "anything about other inputs or devices" : "anything about a TPU's run or speed: no receipt is in it");
}

struct Verified {
  VerifiedBundle bundle;
  bool rerun = false;
};

core::Result<std::vector<Verified>> Verify(const Arguments& arguments) {
  auto bundles = VerifyFolder(arguments.folder);
  if (!bundles) return tl::unexpected(bundles.error());
  std::vector<Verified> verified;
  for (VerifiedBundle& each : *bundles) {
    const auto rerun = arguments.rerun ? Rerun(each.bundle) : core::Result<bool>(false);
    if (!rerun) return Fail(rerun.error().code, each.folder.string() + ": " + rerun.error().message);
    verified.push_back({std::move(each), *rerun});
  }
  return verified;
}

void Print(const Arguments& arguments, const std::vector<Verified>& verified) {
  if (arguments.json) {
    Json bundles = Json::array();
    for (const Verified& each : verified) {
      bundles.push_back({{"folder", each.bundle.folder.string()}, {"sha256", each.bundle.bundle.Manifest().Digest()}, {"files", each.bundle.bundle.files().size()}, {"run_again", each.rerun}, {"verdict", Verdict(each.bundle.bundle, each.rerun)}});
    }
    std::printf("%s\n", core::CanonicalJson({{"verified", true}, {"bundles", bundles}}).c_str());
    return;
  }
  for (const Verified& each : verified) {
    std::printf("%s: whole, %zu files, sha256 %s; %s\n", core::Printable(each.bundle.folder.string()).c_str(), each.bundle.bundle.files().size(), each.bundle.bundle.Manifest().Digest().c_str(),
                Verdict(each.bundle.bundle, each.rerun).c_str());
  }
}

int Run(const Arguments& arguments) {
  try {
    const auto verified = Verify(arguments);
    if (!verified) return cli::Fail(verified.error());
    Print(arguments, *verified);
    return kPassed;
  } catch (const Json::exception&) {
    return cli::Fail(core::Error{ErrorCode::kFailed, arguments.folder + ": a document has not the form of its schema", {}});
  }
}

}  // namespace

void AddVerify(CLI::App& app, int& status) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("verify", "Hold a bundle against its manifest and recompute what it says");
  command->add_option("DIR", arguments->folder, "A folder that --evidence-dir wrote")->required();
  command->add_flag("--rerun", arguments->rerun, "Trace and simulate again, and compare every byte");
  command->add_flag("--json", arguments->json, "One JSON document instead of a line");
  command->footer("Status 0: the bundle is whole and follows from itself; 1: something is missing, extra, changed or does not follow.\n"
                  "Example: kernel-audit verify runs/today --rerun");
  command->callback([arguments, &status] { status = Run(*arguments); });
}

}  // namespace kernel_audit::cli
