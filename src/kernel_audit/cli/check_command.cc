// kernel-audit check: a candidate against the contract's stages.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

#include "kernel_audit/check/check_evidence.h"
#include "kernel_audit/check/checker.h"
#include "kernel_audit/cli/chip.h"
#include "kernel_audit/cli/command.h"
#include "kernel_audit/cli/environment.h"
#include "kernel_audit/cli/output.h"
#include "kernel_audit/cli/repair.h"
#include "kernel_audit/evidence/bundle_writer.h"
#include "kernel_audit/report/ownership.h"

namespace kernel_audit::cli {
namespace {

struct Arguments {
  std::string implementation;
  std::string stage;
  std::string evidence_dir, failure, repair;
  std::optional<std::uint64_t> seed;
  const core::Chip* chip = &core::DefaultChip();
  bool json = false;
};

void PrintStage(const check::StageReport& stage) {
  std::printf("\nstage %d  %s\n", stage.stage, stage.title.c_str());
  for (const check::CheckLine& line : stage.lines) std::printf("  %s %s: %s\n", Mark(line.passed).c_str(), line.name.c_str(), line.detail.c_str());
  for (const check::OwnershipMap& map : stage.maps) std::printf("\n  %s", report::OwnershipText(check::PictureOf(map)).c_str());
  for (const std::string& note : stage.notes) std::printf("\n  %s\n", note.c_str());
}

void PrintReport(const check::CheckReport& report) {
  std::printf("kernel-audit check %s\n", report.candidate.c_str());
  std::printf("tier simulated, %s; candidate sha256 %s; data seed %llu\n", ChipText(*report.chip).c_str(), report.candidate_sha256.c_str(),
              static_cast<unsigned long long>(report.seed));
  if (!report.module_sha256.empty()) {
    std::printf("%zu modules simulated, the first has sha256 %s\n", report.module_sha256.size(), report.module_sha256.front().c_str());
  }
  for (const check::StageReport& stage : report.stages) PrintStage(stage);
  std::printf("\n");
  for (const check::StageReport& stage : report.stages) {
    std::size_t passed = 0;
    for (const check::CheckLine& line : stage.lines) passed += line.passed ? 1 : 0;
    std::printf("%s kernel-audit stage %d: %zu of %zu checks passed\n", stage.passed() ? "PASS" : "FAIL", stage.stage, passed, stage.lines.size());
  }
  std::printf("This is bounded evidence of correctness from a simulation on a CPU: no TPU ran it, and it says nothing about speed.\n");
}

std::vector<int> Stages(const std::string& name) { return name == "all" ? std::vector<int>{1, 2, 3} : std::vector<int>{std::stoi(name)}; }

core::Result<check::CheckReport> CheckOne(const Arguments& arguments, const std::string& implementation, std::optional<std::uint64_t> seed) {
  const auto candidate = FindImplementation(implementation);
  if (!candidate) return tl::unexpected(candidate.error());
  check::CheckOptions options;
  options.candidate = *candidate;
  options.name = implementation;
  options.stages = Stages(arguments.stage);
  options.seed = seed;
  options.chip = arguments.chip;
  options.progress = ShowProgress;
  auto report = check::Check(options);
  ClearProgress();
  return report;
}

core::Result<void> WriteEvidence(const check::CheckReport& report, const std::filesystem::path& folder) {
  auto bundle = NewBundle();
  if (!bundle) return tl::unexpected(bundle.error());
  if (auto added = check::AddCheck(report, *bundle); !added) return added;
  return evidence::WriteBundle(folder, *bundle);
}

void PrintAnswer(const Arguments& arguments, const check::CheckReport& report) {
  if (arguments.json) {
    std::printf("%s", check::CheckClaim(report).text().c_str());
  } else {
    PrintReport(report);
  }
}

core::Result<int> CheckImplementation(const Arguments& arguments) {
  if (arguments.implementation.empty()) return core::Fail(core::ErrorCode::kBadInput, "check needs --implementation FILE|starter|solution (or --note-failure and --note-repair)");
  if (!arguments.evidence_dir.empty()) {
    if (auto free = evidence::RequireNewFolder(arguments.evidence_dir); !free) return tl::unexpected(free.error());
  }
  const auto report = CheckOne(arguments, arguments.implementation, arguments.seed);
  if (!report) return tl::unexpected(report.error());
  if (!arguments.evidence_dir.empty()) {
    if (auto done = WriteEvidence(*report, arguments.evidence_dir); !done) return tl::unexpected(done.error());
  }
  PrintAnswer(arguments, *report);
  if (!arguments.evidence_dir.empty()) AnnounceBundle(arguments.evidence_dir);
  return report->passed() ? kPassed : kFound;
}

// A model that fails and the one that repairs it, on the same data, as two linked bundles.
core::Result<int> NoteRepair(const Arguments& arguments) {
  if (arguments.evidence_dir.empty() || !arguments.implementation.empty()) {
    return core::Fail(core::ErrorCode::kBadInput, "--note-failure FILE and --note-repair FILE take the place of --implementation, and need --evidence-dir DIR");
  }
  if (auto free = evidence::RequireNewFolder(arguments.evidence_dir); !free) return tl::unexpected(free.error());
  const auto failure = CheckOne(arguments, arguments.failure, arguments.seed);
  if (!failure) return tl::unexpected(failure.error());
  const auto repair = CheckOne(arguments, arguments.repair, failure->seed);
  if (!repair) return tl::unexpected(repair.error());
  PrintAnswer(arguments, *repair);
  if (failure->passed()) return core::Fail(core::ErrorCode::kFailed, arguments.failure + " passes: it is no failure, and nothing was written");
  if (!repair->passed()) return core::Fail(core::ErrorCode::kFailed, arguments.repair + " fails: it is no repair, and nothing was written");
  if (auto done = WriteRepair(*failure, *repair, arguments.evidence_dir); !done) return tl::unexpected(done.error());
  AnnounceBundle(arguments.evidence_dir);
  return kPassed;
}

core::Result<int> Run(const Arguments& arguments) {
  return arguments.failure.empty() ? CheckImplementation(arguments) : NoteRepair(arguments);
}

}  // namespace

void AddCheck(CLI::App& app, int& status) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("check", "Hold a model (one C++ file) against the contract, stage by stage, by simulation");
  command->add_option("--implementation", arguments->implementation, "A C++ file, or `starter` or `solution` for the project's own");
  command->add_option("--stage", arguments->stage, "1: blocked_axpy; 2: fused_bias_relu; 3: pipelined_axpy; all")->required()->check(CLI::IsMember({"1", "2", "3", "all"}));
  command->add_option("--evidence-dir", arguments->evidence_dir, "Write a bundle that `verify` and `report` take: the candidate, its modules, what was found, and what it rests on; a new folder");
  auto* failure = command->add_option("--note-failure", arguments->failure, "Instead of --implementation: a model that fails ...");
  auto* repair = command->add_option("--note-repair", arguments->repair, "... and the one that repairs it: both are checked on the same data and kept as two linked bundles");
  failure->needs(repair);
  repair->needs(failure);
  command->add_option("--seed", arguments->seed, "Draw the data from this seed, as an earlier run printed it");
  AddChipOption(*command, arguments->chip);
  command->add_flag("--json", arguments->json, "One JSON document instead of text");
  command->footer("The candidate is compiled and traced in a sandbox and only its module is judged; it never sees an input.\n"
                  "Example: kernel-audit check --implementation projects/kernel-audit/my_model.cpp --stage 1");
  command->callback([arguments, &status] {
    const auto done = Run(*arguments);
    status = done ? *done : Fail(done.error());
  });
}

}  // namespace kernel_audit::cli
