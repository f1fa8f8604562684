#include "kernel_audit/target/benchmark.h"

#include <cstring>

#include "kernel_audit/target/statistics.h"

namespace kernel_audit::target {
namespace {

using core::ErrorCode;
using core::HostArray;

bool SameBytes(const HostArray& a, const HostArray& b) {
  return a.type() == b.type() && std::memcmp(a.data(), b.data(), a.byte_size()) == 0;
}

class Protocol {
 public:
  Protocol(Device& device, const BenchmarkRequest& request) : device_(device), request_(request) {}
  ~Protocol() {
    for (const PlacedArray array : placed_) device_.Free(array);
  }
  Protocol(const Protocol&) = delete;

  core::Result<Benchmark> Run() {
    if (auto ok = RequireTpu(device_); !ok) return tl::unexpected(ok.error());
    auto programs = request_.programs();
    if (!programs) return tl::unexpected(programs.error());
    if (auto ok = PlaceInputs(); !ok) return tl::unexpected(ok.error());
    Benchmark benchmark{device_.backend(), device_.kind(), {}};
    for (const Program& program : *programs) {
      if (auto ok = Compile(program, benchmark); !ok) return tl::unexpected(ok.error());
    }
    for (std::size_t i = 0; i < compiled_.size(); ++i) {
      if (auto ok = CheckValues(i, benchmark.timings[i].name); !ok) return tl::unexpected(ok.error());
    }
    for (std::size_t i = 0; i < compiled_.size(); ++i) {
      if (auto ok = Measure(i, benchmark.timings[i]); !ok) return tl::unexpected(ok.error());
    }
    if (auto ok = CheckInputsAreUnchanged(); !ok) return tl::unexpected(ok.error());
    return benchmark;
  }

 private:
  core::Result<void> PlaceInputs() {
    inputs_ = request_.inputs();
    for (const HostArray& input : inputs_) {
      const auto placed = device_.Place(input);
      if (!placed) return tl::unexpected(placed.error());
      placed_.push_back(*placed);
    }
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      if (!device_.IsPlaced(placed_[i])) return core::Fail(ErrorCode::kRefused, "input " + std::to_string(i) + " does not lie on the TPU");
    }
    return {};
  }

  core::Result<void> Compile(const Program& program, Benchmark& benchmark) {
    const auto start = device_.Now();
    const auto compiled = device_.Compile(program.module, program.name);
    const auto end = device_.Now();
    if (!compiled) return tl::unexpected(compiled.error());
    compiled_.push_back(*compiled);
    benchmark.timings.push_back({program.name, (end - start).count(), {}, 0, 0});
    return {};
  }

  // One awaited execution; the time it took.
  core::Result<std::chrono::nanoseconds> RunOnce(std::size_t program, const std::string& name, PlacedArray& output) {
    const auto start = device_.Now();
    const auto started = device_.Execute(compiled_[program], placed_);
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

  // Fetches a result and frees it.
  core::Result<HostArray> Take(PlacedArray output) {
    auto values = device_.Fetch(output);
    device_.Free(output);
    return values;
  }

  core::Result<void> CheckValues(std::size_t program, const std::string& name) {
    PlacedArray output{};
    if (const auto time = RunOnce(program, name, output); !time) return tl::unexpected(time.error());
    auto values = Take(output);
    if (!values) return tl::unexpected(values.error());
    if (const std::string wrong = request_.problem(inputs_, *values); !wrong.empty()) return core::Fail(ErrorCode::kFailed, name + ": " + wrong + "; nothing was timed");
    checked_.push_back(std::move(*values));
    return {};
  }

  core::Result<void> Measure(std::size_t program, Timing& timing) {
    for (int i = 0; i < kWarmups + kSamples; ++i) {
      PlacedArray output{};
      const auto time = RunOnce(program, timing.name, output);
      if (!time) return tl::unexpected(time.error());
      const auto values = Take(output);
      if (!values) return tl::unexpected(values.error());
      if (!SameBytes(*values, checked_[program])) {
        return core::Fail(ErrorCode::kFailed, timing.name + ": run " + std::to_string(i + 1) + " of the measurement gave other values than the run that was checked");
      }
      if (i >= kWarmups) timing.samples_ns.push_back(time->count());
    }
    timing.median_ns = Median(timing.samples_ns);
    timing.p90_ns = NinetiethPercentile(timing.samples_ns);
    return {};
  }

  core::Result<void> CheckInputsAreUnchanged() {
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      const auto now = device_.Fetch(placed_[i]);
      if (!now) return tl::unexpected(now.error());
      if (!SameBytes(*now, inputs_[i])) return core::Fail(ErrorCode::kFailed, "input " + std::to_string(i) + " was changed by a program that only reads it");
    }
    return {};
  }

  Device& device_;
  const BenchmarkRequest& request_;
  std::vector<HostArray> inputs_;
  std::vector<PlacedArray> placed_;
  std::vector<CompiledProgram> compiled_;
  std::vector<HostArray> checked_;  // outputs, one a program
};

}  // namespace

core::Result<void> RequireTpu(const Device& device) {
  if (device.is_tpu()) return {};
  return core::Fail(ErrorCode::kRefused, "no TPU: this process's backend is " + device.backend() + " (device: " + device.kind() +
                                             "); nothing was allocated or timed, and a simulation is never timed instead");
}

core::Result<Benchmark> TargetBenchmark(Device& device, const BenchmarkRequest& request) { return Protocol(device, request).Run(); }

}  // namespace kernel_audit::target
