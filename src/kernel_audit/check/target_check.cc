#include "kernel_audit/check/target_check.h"

#include <kernel_audit/pallas.h>

#include <cmath>

#include "kernel_audit/check/candidate_run.h"
#include "kernel_audit/check/common_cases.h"
#include "kernel_audit/check/kernel_rules.h"
#include "kernel_audit/check/oracle.h"
#include "kernel_audit/check/pipeline_rules.h"
#include "kernel_audit/core/sha256.h"
#include "kernel_audit/trace/module.h"
#include "kernel_audit/worker/toolchain.h"

namespace kernel_audit::check {
namespace {

namespace pl = pallas;
using core::ErrorCode;
using core::HostArray;
using worker::Kernel;

// The same computation by whole arrays: float32 inside, one cast at the end.
pl::Array PlainXla(Kernel kernel, const pl::Array& a, const pl::Array& b) {
  const pl::Array x = a.astype(pl::f32), y = b.astype(pl::f32);
  if (kernel != Kernel::kFused) return (x * 2.0f + y).astype(a.dtype());
  return pl::maximum(x + pl::broadcast_to(pl::reshape(y, {1, b.shape()[0]}), a.shape()), 0.0f).astype(a.dtype());
}

std::string BaselineModule(const worker::TraceRequest& request) {
  std::vector<trace::ArgumentType> arguments;
  for (const worker::Input& input : request.inputs) arguments.push_back({input.dtype, input.shape, input.on_tpu});
  return trace::TraceModule("plain_xla", arguments, [&](const std::vector<pl::Array>& inputs) {
    return std::vector<pl::Array>{PlainXla(request.kernel, inputs[0], inputs[1])};
  });
}

// What devices differ in is not measured: subnormals, which some flush, and products that overflow before a sum brings them back, which a
// fused multiply-add doesn't see.
HostArray Portable(const HostArray& array) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < core::NumElements(array.shape()); ++i) {
    const double value = ElementValue(array, static_cast<std::size_t>(i)), size = std::abs(value);
    const bool differs = size < 0x1p-126 || (size > 0x1p+126 && !std::isinf(size));
    values.push_back(differs ? 0.0f : static_cast<float>(value));
  }
  return ArrayOf(array.type(), values);
}

std::vector<HostArray> Inputs(const worker::TraceRequest& request, std::uint64_t seed) {
  InputSource source(seed);
  const core::ArrayType first{request.inputs[0].dtype, request.inputs[0].shape}, second{request.inputs[1].dtype, request.inputs[1].shape};
  std::vector<HostArray> inputs;
  inputs.push_back(Portable(source.Matrix(first)));
  inputs.push_back(request.kernel == Kernel::kFused ? source.Bias(second) : Portable(source.Matrix(second)));
  return inputs;
}

std::string Problem(Kernel kernel, const std::vector<HostArray>& inputs, const HostArray& output) {
  const bool fused = kernel == Kernel::kFused;
  const HostArray expected = fused ? BiasReluOracle(inputs[0], inputs[1]) : AxpyOracle(inputs[0], inputs[1]);
  if (output.type() != expected.type()) return "the result is " + core::ToString(output.type()) + " instead of " + core::ToString(expected.type());
  const auto difference = FirstDifference(expected, output, fused ? Zeros::kUnsigned : Zeros::kSigned);
  if (!difference) return "";
  return "element " + core::ToString(difference->index) + " is " + difference->got + ", the oracle has " + difference->expected;
}

// The candidate's module, when it does the work in one kernel of the kind asked for.
core::Result<std::string> CandidateModule(const worker::BuiltCandidate& candidate, const worker::TraceRequest& request) {
  const auto replies = worker::TraceCandidate(candidate, std::span(&request, 1));
  if (!replies) return tl::unexpected(replies.error());
  const auto simulator = simulated::Simulator::Create();
  if (!simulator) return tl::unexpected(simulator.error());
  const auto program = LoadReply(*simulator, request, replies->front(), {request.inputs[0].dtype, request.inputs[0].shape});
  if (!program) return tl::unexpected(program.error());
  if (program->num_kernels() != 1) return core::Fail(ErrorCode::kFailed, "the module has " + std::to_string(program->num_kernels()) + " kernels, one is asked for");
  std::string wrong = KernelProblem(program->kernel(0));
  if (wrong.empty() && request.kernel == Kernel::kPipeline) wrong = PipelineProblem(program->kernel(0));
  if (!wrong.empty()) return core::Fail(ErrorCode::kFailed, wrong);
  return replies->front().text;
}

}  // namespace

core::Result<TargetReceipt> MeasureOnTarget(target::Device& device, const TargetOptions& options) {
  if (auto ok = target::RequireTpu(device); !ok) return tl::unexpected(ok.error());
  const auto toolchain = worker::FindToolchain();
  if (!toolchain) return tl::unexpected(toolchain.error());
  const auto candidate = worker::BuildCandidate(options.candidate, *toolchain);
  if (!candidate) return tl::unexpected(candidate.error());
  const worker::TraceRequest request = OnTpu(options.request);
  const auto module = CandidateModule(*candidate, request);
  if (!module) return tl::unexpected(module.error());
  target::BenchmarkRequest measurement;
  measurement.programs = [&]() -> core::Result<std::vector<target::Program>> {
    return std::vector<target::Program>{{"candidate", *module}, {"plain XLA", BaselineModule(request)}};
  };
  measurement.inputs = [&, run = std::uint64_t{0}]() mutable { return Inputs(request, options.seed + run++); };
  measurement.problem = [&](const std::vector<HostArray>& inputs, const HostArray& output) { return Problem(request.kernel, inputs, output); };
  auto benchmark = target::TargetBenchmark(device, measurement);
  if (!benchmark) return tl::unexpected(benchmark.error());
  if (auto ok = target::RequireReceiptable(*benchmark); !ok) return tl::unexpected(ok.error());
  return TargetReceipt{core::Sha256(candidate->source), core::Sha256(*module), std::move(*benchmark), candidate->file_name, candidate->source, *module};
}

}  // namespace kernel_audit::check
