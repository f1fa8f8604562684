// kernel-audit runtime: the devices of this process, a dtype path and simulated participants.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

#include "kernel_audit/check/runtime_audit.h"
#include "kernel_audit/cli/command.h"
#include "kernel_audit/cli/output.h"
#include "kernel_audit/core/file.h"
#include "kernel_audit/core/json.h"
#include "kernel_audit/worker/candidate.h"

namespace kernel_audit::cli {
namespace {

constexpr std::uint64_t kMostEvidenceBytes = 1 << 20;

struct Arguments {
  std::string implementation;
  int stage = 1;
  std::string evidence_dir;
  std::optional<std::int64_t> devices;
  bool json = false;
};

// Written, and read back before anybody hears of it.
core::Result<void> WriteEvidence(const std::string& text, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return core::Fail(core::ErrorCode::kIo, folder.string() + ": " + error.message());
  const std::filesystem::path file = folder / check::kRuntimeEvidenceFile;
  if (auto done = core::WriteFile(file, text); !done) return done;
  const auto back = core::ReadFile(file, kMostEvidenceBytes);
  if (!back) return tl::unexpected(back.error());
  if (*back != text) return core::Fail(core::ErrorCode::kIo, file.string() + " does not read back as it was written");
  return {};
}

// Where the evidence went, in words.
core::Result<std::string> SaveEvidence(const check::RuntimeReport& report, const std::string& evidence_dir) {
  const std::string text = check::RuntimeEvidence(report) + "\n";
  if (!evidence_dir.empty()) {
    if (auto done = WriteEvidence(text, evidence_dir); !done) return tl::unexpected(done.error());
    return "evidence: " + (std::filesystem::path(evidence_dir) / check::kRuntimeEvidenceFile).string();
  }
  const auto folder = worker::PrivateFolder::Make();
  if (!folder) return tl::unexpected(folder.error());
  if (auto done = WriteEvidence(text, folder->path()); !done) return tl::unexpected(done.error());
  return std::string("evidence: ") + check::kRuntimeEvidenceFile + " was written to a temporary folder that is gone now; --evidence-dir DIR keeps it";
}

void Print(const check::RuntimeReport& report, const std::string& evidence) {
  std::printf("%s tpu-runtime-audit stage %d\n", report.passed() ? "PASS" : "FAIL", report.stage);
  std::printf("%s; candidate sha256 %s\n", report.candidate.c_str(), report.candidate_sha256.c_str());
  for (const pjrt::Device& device : report.devices) std::printf("  device %d: %s, kind %s\n", device.id, device.name.c_str(), device.kind.c_str());
  for (const check::CheckLine& line : report.lines) std::printf("  %s %s: %s\n", Mark(line.passed).c_str(), line.name.c_str(), line.detail.c_str());
  if (!evidence.empty()) std::printf("%s\n", evidence.c_str());
  std::printf("Only CPU devices and arithmetic on them were observed: no TPU, no native bfloat16 product, no collective between accelerators.\n");
}

core::Json Document(const check::RuntimeReport& report) {
  core::Json document = *core::ParseJson(check::RuntimeEvidence(report));
  document["passed"] = report.passed();
  return document;
}

int Run(const Arguments& arguments) {
  const auto candidate = FindImplementation(arguments.implementation, "tpu-runtime-audit");
  if (!candidate) return Fail(candidate.error());
  ShowProgress("auditing " + candidate->string());
  const auto report = check::AuditRuntime({*candidate, arguments.implementation, arguments.stage, arguments.devices});
  if (!report) return Fail(report.error());
  ClearProgress();
  std::string evidence;
  if (report->passed() && arguments.stage >= 3) {
    auto saved = SaveEvidence(*report, arguments.evidence_dir);
    if (!saved) return Fail(saved.error());
    evidence = *saved;
  } else if (!arguments.evidence_dir.empty()) {
    std::fprintf(stderr, "kernel-audit: no evidence is written: %s\n", report->passed() ? "stages 3 and 4 write it" : "the stage failed");
  }
  if (arguments.json) {
    std::printf("%s\n", core::CanonicalJson(Document(*report)).c_str());
  } else {
    Print(*report, evidence);
  }
  return report->passed() ? kPassed : kFound;
}

}  // namespace

void AddRuntime(CLI::App& app, int& status) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("runtime", "Audit the devices of this process, a bfloat16 storage path and simulated participants");
  command->add_option("--implementation", arguments->implementation, "A C++ file, or `starter` or `solution` for the project's own")->required();
  command->add_option("--stage", arguments->stage, "1: devices and a product; 2: participants; 3: evidence; 4: all")->required()->check(CLI::IsMember({1, 2, 3, 4}));
  command->add_option("--evidence-dir", arguments->evidence_dir, "Stages 3 and 4: keep tpu-runtime-audit-evidence.json in this folder");
  command->add_option("--devices", arguments->devices, "Ask XLA:CPU for so many CPU devices and run an all-reduce over them")->check(CLI::Range(1, 64));
  command->add_flag("--json", arguments->json, "One JSON document instead of text");
  command->footer("The model is compiled and traced in a sandbox; what it prints or returns is no verdict.\n"
                  "Example: kernel-audit runtime --implementation solution --stage 4 --devices 4");
  command->callback([arguments, &status] { status = Run(*arguments); });
}

}  // namespace kernel_audit::cli
