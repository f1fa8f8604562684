// kernel-audit target: a model's kernel measured on a TPU.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

#include "kernel_audit/check/inputs.h"
#include "kernel_audit/check/target_check.h"
#include "kernel_audit/check/target_evidence.h"
#include "kernel_audit/cli/answer.h"
#include "kernel_audit/cli/candidate.h"
#include "kernel_audit/cli/environment.h"
#include "kernel_audit/cli/output.h"
#include "kernel_audit/core/sha256.h"
#include "kernel_audit/evidence/bundle_writer.h"
#include "kernel_audit/target/machine.h"
#include "kernel_audit/target/no_tpu.h"
#include "kernel_audit/target/pjrt_device.h"

namespace kernel_audit::cli {
namespace {

struct Arguments {
  std::string implementation, libtpu, evidence_dir;
  ModelOptions model;
  int time_limit = 600;  // seconds
};

// The library to measure with; empty: this machine has no TPU, and none was named.
core::Result<std::filesystem::path> Library(const Arguments& arguments, bool has_chips) {
  if (!arguments.libtpu.empty()) return std::filesystem::path(arguments.libtpu);
  if (!has_chips) return std::filesystem::path();
  if (auto installed = target::InstalledLibtpu(); !installed.empty()) return installed;
  return core::Fail(core::ErrorCode::kRefused, "this machine has a TPU and no libtpu: name its file with --libtpu or in TPU_LIBRARY_PATH");
}

core::Result<std::string> Measure(const std::filesystem::path& library, const check::TargetOptions& options, const std::string& evidence_dir) {
  auto device = target::PjrtDevice::Open(library);
  if (!device) return tl::unexpected(device.error());
  const auto receipt = check::MeasureOnTarget(*device, options);
  if (!receipt) return tl::unexpected(receipt.error());
  const auto sha256 = core::Sha256OfFile(device->client().plugin().path());
  if (!sha256) return tl::unexpected(sha256.error());
  const pjrt::Client& client = device->client();
  const check::TargetLibrary described{client.plugin().path(), *sha256, client.plugin().api_version().ToString(), client.platform_version(), client.device_count(),
                                       device->bytes_per_second()};
  const evidence::ExecutedClaim claim = check::ReceiptClaim(options, *receipt, described);
  if (!evidence_dir.empty()) {
    auto bundle = NewBundle();
    if (!bundle) return tl::unexpected(bundle.error());
    check::AddReceipt(*receipt, claim, *bundle);
    if (auto written = evidence::WriteBundle(evidence_dir, *bundle); !written) return tl::unexpected(written.error());
  }
  return claim.text();
}

core::Result<void> RunTarget(const Arguments& arguments) {
  const auto candidate = FindImplementation(arguments.implementation);
  if (!candidate) return tl::unexpected(candidate.error());
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(*candidate, ignored)) return core::Fail(core::ErrorCode::kBadInput, candidate->string() + ": there is no such file");
  const bool has_chips = !target::TpuChips().empty();
  const auto library = Library(arguments, has_chips);
  if (!library) return tl::unexpected(library.error());
  if (library->empty()) return target::RequireTpu(target::NoTpu("this machine has no TPU chip on its PCI bus, so no libtpu was loaded"));
  if (!arguments.evidence_dir.empty()) {
    if (auto free = evidence::RequireNewFolder(arguments.evidence_dir); !free) return free;
  }
  target::PrepareForLibtpu(has_chips);
  const check::TargetOptions options{*candidate, RequestOf(arguments.model), check::FreshSeed()};
  const auto answer = AnswerOfChild("the measurement", std::chrono::seconds(arguments.time_limit), [&] { return Measure(*library, options, arguments.evidence_dir); });
  if (!answer) return tl::unexpected(answer.error());
  std::printf("%s", answer->c_str());
  if (!arguments.evidence_dir.empty()) AnnounceBundle(arguments.evidence_dir);
  return {};
}

}  // namespace

void AddTarget(CLI::App& app, int& status) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("target", "Measure a model's kernel on a TPU, beside plain XLA; refuses where there is none");
  command->add_option("--implementation", arguments->implementation, "A C++ file, or `starter` or `solution`")->required();
  AddModelOptions(*command, arguments->model, true);
  command->add_option("--libtpu", arguments->libtpu, "The file libtpu.so; TPU_LIBRARY_PATH says it too");
  command->add_option("--evidence-dir", arguments->evidence_dir, "Keep the receipt, the candidate and its module as a bundle, in a new folder");
  command->add_option("--time-limit", arguments->time_limit, "Seconds for all of it, 600 unless said otherwise")->check(CLI::Range(1, 86400));
  command->footer("Prints one JSON document after everything passed: five warm-ups, ten awaited samples in turns with plain XLA,\n"
                  "each on inputs of its own and checked in full, median and 90th percentile. Without a TPU: status 2 and nothing printed or written.\n"
                  "Example: kernel-audit target --implementation solution --kernel pipeline --shape 257 513 --block 8 128 --buffers 2");
  command->callback([arguments, &status] {
    const auto done = RunTarget(*arguments);
    status = done ? kPassed : Fail(done.error());
  });
}

}  // namespace kernel_audit::cli
