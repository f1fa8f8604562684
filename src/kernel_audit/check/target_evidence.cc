#include "kernel_audit/check/target_evidence.h"

#include "kernel_audit/core/json.h"

namespace kernel_audit::check {
namespace {

core::Json TimingJson(const target::Timing& timing) {
  return {{"program", timing.name}, {"compile_ns", timing.compile_ns}, {"samples_ns", timing.samples_ns}, {"median_ns", timing.median_ns}, {"p90_ns", timing.p90_ns},
          {"inputs_sha256", timing.inputs_sha256}, {"output_sha256", timing.output_sha256}};
}

core::Json LibraryJson(const TargetLibrary& library) {
  return {{"path", library.path}, {"sha256", library.sha256}, {"pjrt_api", library.pjrt_api}, {"platform_version", library.platform_version}};
}

}  // namespace

evidence::ExecutedClaim ReceiptClaim(const TargetOptions& options, const TargetReceipt& receipt, const TargetLibrary& library) {
  const target::Benchmark& benchmark = receipt.benchmark;
  if (!benchmark.witness) throw core::InternalError("a receipt of something that no TPU executed");
  core::Json timings = core::Json::array();
  for (const target::Timing& timing : benchmark.timings) timings.push_back(TimingJson(timing));
  return {*benchmark.witness,
          {{"backend", benchmark.backend}, {"device", benchmark.device}, {"devices", library.devices}, {"library", LibraryJson(library)}, {"boundary", target::kBoundary},
           {"candidate_sha256", receipt.candidate_sha256}, {"module_sha256", receipt.module_sha256}, {"configuration", worker::ToLine(options.request)},
           {"precision", "float32 arithmetic, one cast to the output's dtype"}, {"correctness", "every logical value of every run as the oracle's, bit for bit"},
           {"seed", options.seed}, {"warmups", target::kWarmups}, {"floor_ns", benchmark.floor_ns}, {"bytes_per_second", library.bytes_per_second}, {"timings", timings}}};
}

void AddReceipt(const TargetReceipt& receipt, const evidence::ExecutedClaim& claim, evidence::Bundle& bundle) {
  bundle.Add("target", claim);
  bundle.Add(evidence::Role::kCandidate, "candidate/" + receipt.candidate_file, receipt.candidate_source);
  bundle.Add(evidence::Role::kModule, "modules/" + receipt.module_sha256 + ".mlir", receipt.module);
}

}  // namespace kernel_audit::check
