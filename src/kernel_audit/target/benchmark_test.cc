#include "kernel_audit/target/benchmark.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_audit/target/no_tpu.h"

namespace kernel_audit::target {
namespace {

using core::HostArray;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using std::chrono::nanoseconds;

HostArray Numbers(std::vector<float> values) {
  HostArray array({core::DType::kFloat32, {static_cast<std::int64_t>(values.size())}});
  std::copy(values.begin(), values.end(), array.elements<float>().begin());
  return array;
}

// Doubles its input on a clock that only its own work moves. Writes down every call but questions and the clock.
class RecordingDevice : public Device {
 public:
  std::vector<std::string> calls;
  std::vector<std::int64_t> run_ns = {100};  // in turn, again and again
  bool tpu = true, places = true, clock_stands = false;
  std::string lie;  // "wrong", "late", "later wrong", "changes inputs"
  std::int64_t bandwidth = std::int64_t{1} << 40;
  int executions = 0;

  std::string backend() const override { return tpu ? "tpu" : "cpu"; }
  std::string kind() const override { return "recording"; }
  bool is_tpu() const override { return tpu; }
  std::int64_t bytes_per_second() const override { return bandwidth; }

  core::Result<PlacedArray> Place(const HostArray& array) override {
    calls.push_back("place");
    return Keep(array.Clone());
  }
  bool IsPlaced(PlacedArray) const override { return places; }
  core::Result<HostArray> Fetch(PlacedArray array) override {
    calls.push_back("fetch");
    return arrays_.at(array).Clone();
  }
  void Free(PlacedArray array) override {
    calls.push_back("free");
    ASSERT_EQ(arrays_.erase(array), 1u) << "freed twice";
  }
  core::Result<CompiledProgram> Compile(const std::string&, const std::string& name) override {
    calls.push_back("compile " + name);
    now_ += nanoseconds(5000);
    return CompiledProgram(0);
  }
  core::Result<PlacedArray> Execute(CompiledProgram, std::span<const PlacedArray> inputs) override {
    calls.push_back("execute");
    HostArray output = arrays_.at(inputs[0]).Clone();
    const bool wrong = lie == "wrong" || (lie == "later wrong" && executions == 12);
    for (float& value : output.elements<float>()) value = wrong ? 0 : 2 * value;
    if (lie == "changes inputs" && executions == 15) arrays_.at(inputs[0]).elements<float>()[0] = -0.0f;
    done_ = now_ + nanoseconds(run_ns[static_cast<std::size_t>(executions++) % run_ns.size()]);
    return Keep(std::move(output));
  }
  core::Result<void> Await(PlacedArray) override {
    calls.push_back("await");
    now_ = lie == "late" ? now_ + nanoseconds(1) : done_;
    return {};
  }
  bool IsReady(PlacedArray) const override { return now_ >= done_; }
  nanoseconds Now() override { return clock_stands ? nanoseconds(7) : now_; }

  std::size_t alive() const { return arrays_.size(); }

 private:
  PlacedArray Keep(HostArray array) {
    const auto number = static_cast<PlacedArray>(next_++);
    arrays_.emplace(number, std::move(array));
    return number;
  }
  std::int64_t next_ = 1;
  std::map<PlacedArray, HostArray> arrays_;
  nanoseconds now_{0}, done_{0};
};

class TargetBenchmarkTest : public ::testing::Test {
 protected:
  core::Result<Benchmark> Run(std::vector<std::string> names = {"candidate"}) {
    BenchmarkRequest request;
    request.programs = [this, names]() -> core::Result<std::vector<Program>> {
      device.calls.push_back("programs");
      std::vector<Program> programs;
      for (const std::string& name : names) programs.push_back({name, "module"});
      return programs;
    };
    request.inputs = [this] {
      device.calls.push_back("inputs");
      std::vector<HostArray> inputs;
      const float first = static_cast<float>(Calls("inputs"));
      inputs.push_back(Numbers({0, first, 2}));
      return inputs;
    };
    request.problem = [this](const std::vector<HostArray>& inputs, const HostArray& output) -> std::string {
      device.calls.push_back("check");
      for (std::size_t i = 0; i < 3; ++i) {
        if (output.elements<float>()[i] != 2 * inputs[0].elements<float>()[i]) return "element " + std::to_string(i) + " is wrong";
      }
      return "";
    };
    return TargetBenchmark(device, request);
  }
  void ExpectFailure(core::ErrorCode code, const std::string& message) {
    const auto result = Run();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, code);
    EXPECT_THAT(result.error().message, HasSubstr(message));
    EXPECT_EQ(device.alive(), 0u);
  }
  int Calls(const std::string& name) const { return static_cast<int>(std::count(device.calls.begin(), device.calls.end(), name)); }
  RecordingDevice device;
};

TEST_F(TargetBenchmarkTest, ChecksEveryProgramBeforeItTimesAny) {
  ASSERT_TRUE(Run({"candidate", "plain XLA"}));
  std::vector<std::string> expected = {"programs", "inputs", "place", "free", "compile candidate", "compile plain XLA"};
  for (int run = 0; run < 2 + 2 * (5 + 10); ++run) {
    expected.insert(expected.end(), {"inputs", "place", "execute", "await", "fetch", "free", "check", "fetch", "free"});
  }
  EXPECT_EQ(device.calls, expected);
  EXPECT_EQ(device.alive(), 0u);
}

TEST_F(TargetBenchmarkTest, TimesAreExactAndWarmUpsAreNotCounted) {
  device.run_ns.resize(16);
  std::iota(device.run_ns.begin(), device.run_ns.end(), 1001);  // run 1 is checked, 2 to 6 warm up, 7 to 16 are samples
  std::swap(device.run_ns[6], device.run_ns[15]);
  const auto result = Run();
  ASSERT_TRUE(result);
  const Timing& timing = result->timings.at(0);
  EXPECT_EQ(timing.compile_ns, 5000);
  EXPECT_THAT(timing.samples_ns, ElementsAre(1016, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 1015, 1007));
  EXPECT_EQ(timing.median_ns, 1011);  // (1011 + 1012) / 2
  EXPECT_EQ(timing.p90_ns, 1015);
  EXPECT_EQ(result->backend, "tpu");
  EXPECT_EQ(result->device, "recording");
}

TEST_F(TargetBenchmarkTest, WithoutATpuNothingIsAllocatedOrEvenMade) {
  device.tpu = false;
  ExpectFailure(core::ErrorCode::kRefused, "no TPU: this process's backend is cpu");
  EXPECT_THAT(device.calls, IsEmpty());
}

TEST_F(TargetBenchmarkTest, InputsElsewhereAreRefusedBeforeAnythingIsCompiled) {
  device.places = false;
  ExpectFailure(core::ErrorCode::kRefused, "input 0 does not lie on the TPU");
  EXPECT_THAT(device.calls, ElementsAre("programs", "inputs", "place", "free"));
}

TEST_F(TargetBenchmarkTest, AWrongValueIsNeverTimed) {
  device.lie = "wrong";
  ExpectFailure(core::ErrorCode::kFailed, "candidate: element 1 is wrong; nothing was timed");
  EXPECT_EQ(Calls("execute"), 1);
}

TEST_F(TargetBenchmarkTest, ADeviceThatCompletesLateIsRefused) {
  device.lie = "late";
  ExpectFailure(core::ErrorCode::kFailed, "the result is complete and it is not");
  EXPECT_EQ(Calls("execute"), 1);
}

TEST_F(TargetBenchmarkTest, ASampleWithOtherValuesIsRefused) {
  device.lie = "later wrong";
  ExpectFailure(core::ErrorCode::kFailed, "candidate: run 12 of the measurement: element 1 is wrong");
}

TEST_F(TargetBenchmarkTest, AClockThatStandsStillIsRefused) {
  device.clock_stands = true;
  ExpectFailure(core::ErrorCode::kFailed, "the clock stands still");
}

// -0 is not the 0 that was placed, though it equals it.
TEST_F(TargetBenchmarkTest, AProgramThatChangesItsInputsIsRefused) {
  device.lie = "changes inputs";
  ExpectFailure(core::ErrorCode::kFailed, "input 0 was changed");
}

TEST_F(TargetBenchmarkTest, ProgramsTakeTurns) {
  device.run_ns.resize(32);
  std::iota(device.run_ns.begin(), device.run_ns.end(), 1001);  // two checks, then pairs
  const auto result = Run({"candidate", "plain XLA"});
  ASSERT_TRUE(result);
  EXPECT_THAT(result->timings[0].samples_ns, ElementsAre(1014, 1015, 1018, 1019, 1022, 1023, 1026, 1027, 1030, 1031));
  EXPECT_THAT(result->timings[1].samples_ns, ElementsAre(1013, 1016, 1017, 1020, 1021, 1024, 1025, 1028, 1029, 1032));
}

TEST_F(TargetBenchmarkTest, EverySampleHasItsOwnInputs) {
  const auto result = Run({"candidate", "plain XLA"});
  ASSERT_TRUE(result);
  std::set<std::string> inputs, outputs;
  for (const Timing& timing : result->timings) {
    inputs.insert(timing.inputs_sha256.begin(), timing.inputs_sha256.end());
    outputs.insert(timing.output_sha256.begin(), timing.output_sha256.end());
  }
  EXPECT_EQ(inputs.size(), 20u);
  EXPECT_EQ(outputs.size(), 20u);
}

// 24 bytes move; a run takes 100 ns.
TEST_F(TargetBenchmarkTest, ATimeBelowTheMemorysIsRefused) {
  device.bandwidth = 240'000'000;
  ASSERT_TRUE(Run());
  EXPECT_EQ(Run()->floor_ns, 100);
  device.bandwidth = 237'000'000;
  ExpectFailure(core::ErrorCode::kFailed, "a sample of 100 ns is faster than the memory: 24 bytes take 101 ns");
}

TEST_F(TargetBenchmarkTest, AnUnknownBandwidthIsRefused) {
  device.bandwidth = 0;
  ExpectFailure(core::ErrorCode::kRefused, "the memory bandwidth of a 'recording' is not known");
  EXPECT_THAT(device.calls, IsEmpty());
}

TEST(Receipt, IsMadeOfATpuOnly) {
  EXPECT_TRUE(RequireReceiptable({"tpu", "TPU v5 lite", 0, {}}));
  for (const std::string backend : {"cpu", "kernel-audit-test-tpu", "", "TPU", "tpu "}) {
    EXPECT_EQ(RequireReceiptable({backend, "TPU v5 lite", 0, {}}).error().code, core::ErrorCode::kRefused) << backend;
  }
}

TEST(NoTpu, RefusesEverything) {
  NoTpu device;
  const core::Error refusal = RequireTpu(device).error();
  EXPECT_EQ(refusal.code, core::ErrorCode::kRefused);
  EXPECT_THAT(refusal.message, HasSubstr("this process loaded no libtpu"));
  EXPECT_EQ(device.Place(Numbers({1})).error().code, core::ErrorCode::kRefused);
  EXPECT_EQ(device.Compile("", "").error().code, core::ErrorCode::kRefused);
  EXPECT_EQ(device.Execute(CompiledProgram(0), {}).error().code, core::ErrorCode::kRefused);
  EXPECT_EQ(device.Await(PlacedArray(0)).error().code, core::ErrorCode::kRefused);
  EXPECT_EQ(device.Fetch(PlacedArray(0)).error().code, core::ErrorCode::kRefused);
}

}  // namespace
}  // namespace kernel_audit::target
