// A model's kernel on a target: built, held to the stages' rules, measured beside plain XLA.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "kernel_audit/core/error.h"
#include "kernel_audit/target/benchmark.h"
#include "kernel_audit/worker/request.h"

namespace kernel_audit::check {

struct TargetOptions {
  std::filesystem::path candidate;
  worker::TraceRequest request;  // its mode and placement are set here: tpu
  std::uint64_t seed = 0;        // of the first run's data; each later run has the next one
};

struct TargetReceipt {
  std::string candidate_sha256, module_sha256;
  target::Benchmark benchmark;  // "candidate", then "plain XLA", whichever is faster
  std::string candidate_file, candidate_source, module;  // what the hashes are of
};

// kRefused before anything else when the device is no TPU; then what worker::BuildCandidate, LoadReply and target::TargetBenchmark give;
// kRefused at the end for a platform whose name no receipt accepts.
// Data are ordinary numbers, infinities, NaN and zeros, no subnormals, which a TPU may flush; results are compared with the oracle bit for
// bit.
core::Result<TargetReceipt> MeasureOnTarget(target::Device& device, const TargetOptions& options);

}  // namespace kernel_audit::check
