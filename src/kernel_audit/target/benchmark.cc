#include "kernel_audit/target/benchmark.h"

#include <cstring>

#include "kernel_audit/core/sha256.h"
#include "kernel_audit/evidence/statistics.h"

namespace kernel_audit::target {

// Only what the protocol ran through on a device that calls itself a TPU is an execution.
class BenchmarkRun {
 public:
  static std::optional<evidence::Witness<evidence::Tier::kExecuted>> Ground(const Device& device) {
    if (device.backend() != kTpuPlatform) return std::nullopt;
    return evidence::Witness<evidence::Tier::kExecuted>();
  }
};

namespace {

using core::ErrorCode;
using core::HostArray;

bool SameBytes(const HostArray& a, const HostArray& b) {
  return a.type() == b.type() && std::memcmp(a.data(), b.data(), a.byte_size()) == 0;
}

std::string Digest(const HostArray& array) { return core::Sha256(std::span(array.data(), array.byte_size())); }

std::string Digest(const std::vector<HostArray>& arrays) {
  std::string digests;
  for (const HostArray& array : arrays) digests += Digest(array);
  return arrays.size() == 1 ? digests : core::Sha256(digests);
}

// The inputs of one run, on the host and on the device.
class PlacedInputs {
 public:
  PlacedInputs(Device& device, std::vector<HostArray> arrays) : device_(device), arrays_(std::move(arrays)) {}
  ~PlacedInputs() {
    for (const PlacedArray array : placed_) device_.Free(array);
  }
  PlacedInputs(const PlacedInputs&) = delete;

  core::Result<void> Place() {
    for (const HostArray& array : arrays_) {
      const auto placed = device_.Place(array);
      if (!placed) return tl::unexpected(placed.error());
      placed_.push_back(*placed);
    }
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      if (!device_.IsPlaced(placed_[i])) return core::Fail(ErrorCode::kRefused, "input " + std::to_string(i) + " does not lie on the TPU");
    }
    return {};
  }

  core::Result<void> CheckUnchanged(const std::string& name) const {
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      const auto now = device_.Fetch(placed_[i]);
      if (!now) return tl::unexpected(now.error());
      if (!SameBytes(*now, arrays_[i])) return core::Fail(ErrorCode::kFailed, name + ": input " + std::to_string(i) + " was changed by a program that only reads it");
    }
    return {};
  }

  const std::vector<HostArray>& arrays() const { return arrays_; }
  const std::vector<PlacedArray>& placed() const { return placed_; }

 private:
  Device& device_;
  std::vector<HostArray> arrays_;
  std::vector<PlacedArray> placed_;
};

// What one verified run leaves.
struct Sample {
  std::int64_t ns = 0;
  std::int64_t bytes = 0;  // of the inputs and the output
  std::string inputs_sha256, output_sha256;
};

class Protocol {
 public:
  Protocol(Device& device, const BenchmarkRequest& request) : device_(device), request_(request) {}

  core::Result<Benchmark> Run() {
    if (auto ok = Guards(); !ok) return tl::unexpected(ok.error());
    auto programs = request_.programs();
    if (!programs) return tl::unexpected(programs.error());
    Benchmark benchmark{device_.backend(), device_.kind(), 0, {}, BenchmarkRun::Ground(device_)};
    if (auto ok = Prepare(*programs, benchmark); !ok) return tl::unexpected(ok.error());
    for (int round = 0; round < kWarmups + kSamples; ++round) {
      if (auto ok = Round(round, benchmark); !ok) return tl::unexpected(ok.error());
    }
    for (Timing& timing : benchmark.timings) {
      timing.median_ns = evidence::Median(timing.samples_ns);
      timing.p90_ns = evidence::NinetiethPercentile(timing.samples_ns);
    }
    return benchmark;
  }

 private:
  core::Result<void> Guards() const {
    if (auto ok = RequireTpu(device_); !ok) return ok;
    if (device_.bytes_per_second() > 0) return {};
    return core::Fail(ErrorCode::kRefused, "the memory bandwidth of a '" + device_.kind() + "' is not known here, so that no time on it could be judged");
  }

  // Placement is seen to work before anything is compiled, values before anything is timed.
  core::Result<void> Prepare(const std::vector<Program>& programs, Benchmark& benchmark) {
    if (auto ok = PlacedInputs(device_, request_.inputs()).Place(); !ok) return ok;
    for (const Program& program : programs) {
      if (auto ok = Compile(program, benchmark); !ok) return ok;
    }
    for (std::size_t i = 0; i < compiled_.size(); ++i) {
      PlacedInputs inputs(device_, request_.inputs());
      if (auto ok = inputs.Place(); !ok) return ok;
      const auto sample = RunAndCheck(i, benchmark.timings[i].name, inputs);
      if (!sample) {
        core::Error error = sample.error();
        if (error.code == ErrorCode::kFailed) error.message += "; nothing was timed";
        return tl::unexpected(std::move(error));
      }
      benchmark.floor_ns = FloorNs(sample->bytes, device_.bytes_per_second());
    }
    return {};
  }

  core::Result<void> Compile(const Program& program, Benchmark& benchmark) {
    const auto start = device_.Now();
    const auto compiled = device_.Compile(program.module, program.name);
    const auto end = device_.Now();
    if (!compiled) return tl::unexpected(compiled.error());
    compiled_.push_back(*compiled);
    benchmark.timings.push_back({program.name, (end - start).count(), {}, 0, 0, {}, {}});
    return {};
  }

  core::Result<void> Round(int round, Benchmark& benchmark) {
    for (std::size_t turn = 0; turn < compiled_.size(); ++turn) {
      const std::size_t program = (turn + static_cast<std::size_t>(round)) % compiled_.size();
      Timing& timing = benchmark.timings[program];
      PlacedInputs inputs(device_, request_.inputs());
      if (auto ok = inputs.Place(); !ok) return ok;
      auto sample = RunAndCheck(program, timing.name + ": run " + std::to_string(round + 1) + " of the measurement", inputs);
      if (!sample) return tl::unexpected(sample.error());
      if (round < kWarmups) continue;
      if (auto ok = CheckFloor(timing.name, *sample, benchmark.floor_ns); !ok) return ok;
      timing.samples_ns.push_back(sample->ns);
      timing.inputs_sha256.push_back(std::move(sample->inputs_sha256));
      timing.output_sha256.push_back(std::move(sample->output_sha256));
    }
    return {};
  }

  core::Result<void> CheckFloor(const std::string& name, const Sample& sample, std::int64_t floor_ns) const {
    if (sample.ns >= floor_ns) return {};
    return core::Fail(ErrorCode::kFailed, name + ": a sample of " + std::to_string(sample.ns) + " ns is faster than the memory: " + std::to_string(sample.bytes) +
                                              " bytes take " + std::to_string(floor_ns) + " ns at the " + std::to_string(device_.bytes_per_second()) +
                                              " bytes a second that a '" + device_.kind() + "' has at most; no time is believed");
  }

  // One execution and its own result, checked in full after the time was taken.
  core::Result<Sample> RunAndCheck(std::size_t program, const std::string& name, const PlacedInputs& inputs) {
    PlacedArray output{};
    const auto time = RunOnce(program, name, inputs.placed(), output);
    if (!time) return tl::unexpected(time.error());
    const auto values = device_.Fetch(output);
    device_.Free(output);
    if (!values) return tl::unexpected(values.error());
    if (const std::string wrong = request_.problem(inputs.arrays(), *values); !wrong.empty()) return core::Fail(ErrorCode::kFailed, name + ": " + wrong);
    if (auto ok = inputs.CheckUnchanged(name); !ok) return tl::unexpected(ok.error());
    auto bytes = static_cast<std::int64_t>(values->byte_size());
    for (const HostArray& input : inputs.arrays()) bytes += static_cast<std::int64_t>(input.byte_size());
    return Sample{time->count(), bytes, Digest(inputs.arrays()), Digest(*values)};
  }

  core::Result<std::chrono::nanoseconds> RunOnce(std::size_t program, const std::string& name, std::span<const PlacedArray> inputs, PlacedArray& output) {
    const auto start = device_.Now();
    const auto started = device_.Execute(compiled_[program], inputs);
    if (!started) return tl::unexpected(started.error());
    const auto awaited = device_.Await(*started);
    const auto end = device_.Now();
    output = *started;
    if (awaited && device_.IsReady(output) && end > start) return end - start;
    device_.Free(output);
    if (!awaited) return tl::unexpected(awaited.error());
    if (end <= start) return core::Fail(ErrorCode::kFailed, name + ": the clock stands still or goes back, nothing can be measured with it");
    return core::Fail(ErrorCode::kFailed, name + ": the device said that the result is complete and it is not: its times mean nothing");
  }

  Device& device_;
  const BenchmarkRequest& request_;
  std::vector<CompiledProgram> compiled_;
};

}  // namespace

core::Result<void> RequireTpu(const Device& device) {
  if (device.is_tpu()) return {};
  return core::Fail(ErrorCode::kRefused, "no TPU: this process's backend is " + device.backend() + " (device: " + device.kind() +
                                             "); nothing was allocated or timed, and a simulation is never timed instead");
}

core::Result<void> RequireReceiptable(const Benchmark& benchmark) {
  if (benchmark.backend == kTpuPlatform) return {};
  return core::Fail(ErrorCode::kRefused, "no receipt: the platform calls itself '" + benchmark.backend + "' (device: " + benchmark.device + "), and only '" +
                                             kTpuPlatform + "' is a TPU");
}

std::int64_t FloorNs(std::int64_t bytes, std::int64_t bytes_per_second) {
  const long double ns = static_cast<long double>(bytes) * 1e9L / static_cast<long double>(bytes_per_second);
  return ns < 0x1p63L ? static_cast<std::int64_t>(ns) : INT64_MAX;
}

core::Result<Benchmark> TargetBenchmark(Device& device, const BenchmarkRequest& request) { return Protocol(device, request).Run(); }

}  // namespace kernel_audit::target
