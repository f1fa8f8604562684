// kernel-audit target: a model's kernel measured on a TPU.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

#include "kernel_audit/check/candidate_run.h"
#include "kernel_audit/check/inputs.h"
#include "kernel_audit/check/target_check.h"
#include "kernel_audit/cli/output.h"
#include "kernel_audit/core/json.h"
#include "kernel_audit/target/no_tpu.h"

namespace kernel_audit::cli {
namespace {

struct Arguments {
  std::string implementation, kernel, dtype = "float32";
  std::vector<std::int64_t> shape, block;
  int buffers = 2;
  bool synchronous = false;
};

worker::TraceRequest RequestOf(const Arguments& arguments) {
  const auto kernel = *worker::KernelFromName(arguments.kernel);
  const core::DType dtype = *core::DTypeFromName(arguments.dtype);
  const core::ArrayType first{dtype, arguments.shape}, second{dtype, kernel == worker::Kernel::kFused ? core::Shape{arguments.shape[1]} : first.shape};
  worker::TraceRequest request = check::MakeRequest(kernel, first, second, arguments.block);
  request.buffers = arguments.buffers;
  request.synchronous = arguments.synchronous;
  return request;
}

core::Json TimingJson(const target::Timing& timing) {
  return {{"program", timing.name}, {"compile_ns", timing.compile_ns}, {"samples_ns", timing.samples_ns}, {"median_ns", timing.median_ns}, {"p90_ns", timing.p90_ns}};
}

std::string ReceiptJson(const check::TargetOptions& options, const check::TargetReceipt& receipt) {
  core::Json timings = core::Json::array();
  for (const target::Timing& timing : receipt.benchmark.timings) timings.push_back(TimingJson(timing));
  return core::CanonicalJson({{"tier", "executed"}, {"backend", receipt.benchmark.backend}, {"device", receipt.benchmark.device}, {"boundary", target::kBoundary},
                              {"candidate_sha256", receipt.candidate_sha256}, {"module_sha256", receipt.module_sha256}, {"configuration", worker::ToLine(options.request)},
                              {"precision", "float32 arithmetic, one cast to the output's dtype"}, {"correctness", "every logical value as the oracle's, bit for bit"},
                              {"seed", options.seed}, {"warmups", target::kWarmups}, {"timings", timings}});
}

core::Result<void> Measure(const Arguments& arguments) {
  const auto candidate = FindImplementation(arguments.implementation);
  if (!candidate) return tl::unexpected(candidate.error());
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(*candidate, ignored)) return core::Fail(core::ErrorCode::kBadInput, candidate->string() + ": there is no such file");
  target::NoTpu device;
  const check::TargetOptions options{*candidate, RequestOf(arguments), check::FreshSeed()};
  const auto receipt = check::MeasureOnTarget(device, options);
  if (!receipt) return tl::unexpected(receipt.error());
  std::printf("%s\n", ReceiptJson(options, *receipt).c_str());
  return {};
}

}  // namespace

void AddTarget(CLI::App& app, int& status) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("target", "Measure a model's kernel on a TPU, beside plain XLA; refuses where there is none");
  command->add_option("--implementation", arguments->implementation, "A C++ file, or `starter` or `solution`")->required();
  command->add_option("--kernel", arguments->kernel, "axpy, fused or pipeline")->required()->check(CLI::IsMember({"axpy", "fused", "pipeline"}));
  command->add_option("--shape", arguments->shape, "Rows and columns of the matrix")->required()->expected(2)->check(CLI::PositiveNumber);
  command->add_option("--block", arguments->block, "Rows and columns of a block, multiples of 8 and 128")->required()->expected(2)->check(CLI::PositiveNumber);
  command->add_option("--dtype", arguments->dtype, "float32 or bfloat16")->check(CLI::IsMember({"float32", "bfloat16"}));
  command->add_option("--buffers", arguments->buffers, "pipeline: slots an input");
  command->add_flag("--synchronous", arguments->synchronous, "pipeline: await each copy in its own step");
  command->footer("Prints one JSON document after everything passed: five warm-ups, ten awaited samples, median and 90th percentile.\n"
                  "This version loads no libtpu: it ends with status 2, whatever the machine has.\n"
                  "Example: kernel-audit target --implementation solution --kernel pipeline --shape 257 513 --block 8 128 --buffers 2");
  command->callback([arguments, &status] {
    const auto done = Measure(*arguments);
    status = done ? kPassed : Fail(done.error());
  });
}

}  // namespace kernel_audit::cli
