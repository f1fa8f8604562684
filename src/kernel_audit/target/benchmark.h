// The measuring protocol.
//
// Guards come before anything is allocated. Then: inputs are made, placed and seen to lie on the device; each program is compiled, which is
// timed apart; each runs once and every value of its result is checked; only then come five warm-up rounds and ten measured ones. A round
// runs each program once, the order turning from round to round, on inputs of that run alone. A sample is the time from the start of one
// execution to its own awaited result; after it was taken, every value of the result is checked and the inputs must be what they were.
// Anything amiss, and there is no result.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel_audit/evidence/tier.h"
#include "kernel_audit/target/device.h"

namespace kernel_audit::target {

inline constexpr int kWarmups = 5;
inline constexpr int kSamples = 10;

// Where a sample's time begins and ends.
inline constexpr const char* kBoundary =
    "from logical inputs that are already placed on the device to an awaited logical output; padding and cropping are inside, compilation and copies "
    "between host and device outside";

// The platform's name on a real TPU. Whatever calls itself otherwise may be run to test this program, and gets no receipt.
inline constexpr const char* kTpuPlatform = "tpu";

struct Program {
  std::string name;    // "candidate", "plain XLA"
  std::string module;  // StableHLO
};

struct BenchmarkRequest {
  // Called once, after the guards.
  std::function<core::Result<std::vector<Program>>()> programs;
  // Called for each run; different values every time, the same types.
  std::function<std::vector<core::HostArray>()> inputs;
  // What is wrong with a program's output for these inputs; empty: nothing.
  std::function<std::string(const std::vector<core::HostArray>& inputs, const core::HostArray& output)> problem;
};

struct Timing {
  std::string name;
  std::int64_t compile_ns = 0;
  std::vector<std::int64_t> samples_ns;  // kSamples, as they came
  std::int64_t median_ns = 0;
  std::int64_t p90_ns = 0;
  std::vector<std::string> inputs_sha256, output_sha256;  // one a sample: all inputs' bytes in their order; the result's
};

struct Benchmark {
  std::string backend, device;  // in the device's own words
  std::int64_t floor_ns = 0;    // FloorNs of the inputs and the output
  std::vector<Timing> timings;  // one a program, whichever is faster
  std::optional<evidence::Witness<evidence::Tier::kExecuted>> witness = std::nullopt;  // on kTpuPlatform only
};

// kRefused unless the device is a TPU.
core::Result<void> RequireTpu(const Device& device);

// kRefused, by name, unless the measurement was made on a platform that calls itself kTpuPlatform.
core::Result<void> RequireReceiptable(const Benchmark& benchmark);

// The time that moving so many bytes once takes at least, rounded down.
std::int64_t FloorNs(std::int64_t bytes, std::int64_t bytes_per_second);

// kRefused: no TPU, one whose bandwidth is not known, or inputs that do not lie on it. kFailed: a wrong value, a result that was not
// complete when it was awaited, a clock that stands still or goes back, inputs that changed, a sample below the floor. Otherwise the
// device's own errors.
core::Result<Benchmark> TargetBenchmark(Device& device, const BenchmarkRequest& request);

}  // namespace kernel_audit::target
