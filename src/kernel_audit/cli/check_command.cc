// kernel-audit check: a candidate against the contract's stages.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

#include "kernel_audit/check/checker.h"
#include "kernel_audit/cli/check_json.h"
#include "kernel_audit/cli/chip.h"
#include "kernel_audit/cli/command.h"
#include "kernel_audit/cli/output.h"
#include "kernel_audit/core/file.h"

namespace kernel_audit::cli {
namespace {

struct Arguments {
  std::string implementation;
  std::string stage;
  std::string evidence_dir;
  std::optional<std::uint64_t> seed;
  const core::Chip* chip = &core::DefaultChip();
  bool json = false;
};

void PrintStage(const check::StageReport& stage) {
  std::printf("\nstage %d  %s\n", stage.stage, stage.title.c_str());
  for (const check::CheckLine& line : stage.lines) std::printf("  %s %s: %s\n", Mark(line.passed).c_str(), line.name.c_str(), line.detail.c_str());
  for (const check::OwnershipMap& map : stage.maps) std::printf("\n  %s", report::OwnershipText(PictureOf(map)).c_str());
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

core::Result<void> WriteEvidence(const check::CheckReport& report, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return core::Fail(core::ErrorCode::kIo, folder.string() + ": " + error.message());
  for (const check::StageReport& stage : report.stages) {
    for (const check::OwnershipMap& map : stage.maps) {
      const std::string name = "ownership-stage" + std::to_string(stage.stage) + ".svg";
      if (auto done = core::WriteFile(folder / name, report::OwnershipSvg(PictureOf(map))); !done) return done;
    }
  }
  return core::WriteFile(folder / "check.json", CheckJson(report) + "\n");
}

std::vector<int> Stages(const std::string& name) { return name == "all" ? std::vector<int>{1, 2, 3} : std::vector<int>{std::stoi(name)}; }

int Run(const Arguments& arguments) {
  const auto candidate = FindImplementation(arguments.implementation);
  if (!candidate) return Fail(candidate.error());
  check::CheckOptions options;
  options.candidate = *candidate;
  options.name = arguments.implementation;
  options.stages = Stages(arguments.stage);
  options.seed = arguments.seed;
  options.chip = arguments.chip;
  options.progress = ShowProgress;
  const auto report = check::Check(options);
  if (!report) return Fail(report.error());
  ClearProgress();
  if (!arguments.evidence_dir.empty()) {
    if (auto done = WriteEvidence(*report, arguments.evidence_dir); !done) return Fail(done.error());
  }
  if (arguments.json) {
    std::printf("%s\n", CheckJson(*report).c_str());
  } else {
    PrintReport(*report);
  }
  return report->passed() ? kPassed : kFound;
}

}  // namespace

void AddCheck(CLI::App& app, int& status) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("check", "Hold a model (one C++ file) against the contract, stage by stage, by simulation");
  command->add_option("--implementation", arguments->implementation, "A C++ file, or `starter` or `solution` for the project's own")->required();
  command->add_option("--stage", arguments->stage, "1: blocked_axpy; 2: fused_bias_relu; 3: pipelined_axpy; all")->required()->check(CLI::IsMember({"1", "2", "3", "all"}));
  command->add_option("--evidence-dir", arguments->evidence_dir, "Write the ownership pictures (SVG) and the report (JSON) into this folder");
  command->add_option("--seed", arguments->seed, "Draw the data from this seed, as an earlier run printed it");
  AddChipOption(*command, arguments->chip);
  command->add_flag("--json", arguments->json, "One JSON document instead of text");
  command->footer("The candidate is compiled and traced in a sandbox and only its module is judged; it never sees an input.\n"
                  "Example: kernel-audit check --implementation projects/kernel-audit/my_model.cpp --stage 1");
  command->callback([arguments, &status] { status = Run(*arguments); });
}

}  // namespace kernel_audit::cli
