// The measuring protocol over PJRT, end to end, on the test plugin and each of its faults. Nothing here is a measurement.
#include "kernel_audit/target/pjrt_device.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_audit/pjrt/handle.h"
#include "kernel_audit/target/benchmark.h"

namespace kernel_audit::target {
namespace {

using core::ErrorCode;
using core::HostArray;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Large enough that a device which computes nothing is faster than memory by far, whatever else the machine does.
constexpr std::int64_t kRows = 512, kColumns = 1024;

class PjrtDeviceTest : public ::testing::Test {
 protected:
  void TearDown() override {
    unsetenv("KA_TEST_TPU_FAULT");
    EXPECT_EQ(pjrt::LiveHandles(), 0);
  }

  std::vector<HostArray> Inputs() {
    std::vector<HostArray> inputs;
    for (int i = 0; i < 2; ++i) {
      HostArray array({core::DType::kFloat32, {rows_, kColumns}});
      for (float& value : array.elements<float>()) value = static_cast<float>(++drawn_ % 100003);
      inputs.push_back(std::move(array));
    }
    return inputs;
  }

  static std::string Problem(const std::vector<HostArray>& inputs, const HostArray& output) {
    const auto x = inputs[0].elements<float>(), y = inputs[1].elements<float>(), z = output.elements<float>();
    for (std::size_t i = 0; i < z.size(); ++i) {
      if (z[i] != 2 * x[i] + y[i]) return "element " + std::to_string(i) + " is wrong";
    }
    return "";
  }

  core::Result<Benchmark> Measure(const char* fault) {
    if (fault != nullptr) setenv("KA_TEST_TPU_FAULT", fault, 1);
    auto device = PjrtDevice::Open(KA_TEST_PLUGIN);
    if (!device) return tl::unexpected(device.error());
    BenchmarkRequest request;
    request.programs = []() -> core::Result<std::vector<Program>> { return std::vector<Program>{{"candidate", "@main"}, {"plain XLA", "@main"}}; };
    request.inputs = [this] { return Inputs(); };
    request.problem = Problem;
    return TargetBenchmark(*device, request);
  }

  void Expect(const char* fault, ErrorCode code, const ::testing::Matcher<std::string>& message) {
    const auto result = Measure(fault);
    ASSERT_FALSE(result) << fault;
    EXPECT_EQ(result.error().code, code) << fault << ": " << result.error().message;
    EXPECT_THAT(result.error().message, message) << fault;
    EXPECT_EQ(pjrt::LiveHandles(), 0) << fault;
  }

  std::int64_t rows_ = kRows;

 private:
  std::int64_t drawn_ = 0;
};

TEST_F(PjrtDeviceTest, MeasuresBothProgramsAndGivesNoReceipt) {
  const auto result = Measure(nullptr);
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->timings.size(), 2u);
  for (const Timing& timing : result->timings) EXPECT_EQ(timing.samples_ns.size(), 10u);
  const auto receipt = RequireReceiptable(*result);
  ASSERT_FALSE(receipt);
  EXPECT_EQ(receipt.error().code, ErrorCode::kRefused);
  EXPECT_THAT(receipt.error().message, AllOf(HasSubstr("kernel-audit-test-tpu"), HasSubstr("no receipt")));
}

TEST_F(PjrtDeviceTest, RefusesWithoutADeviceOrWithAnother) {
  Expect("no-device", ErrorCode::kRefused, HasSubstr("0 devices"));
  Expect("platform", ErrorCode::kRefused, HasSubstr("no TPU: this process's backend is cpu"));
  Expect("elsewhere", ErrorCode::kRefused, HasSubstr("input 0 does not lie on the TPU"));
  Expect("kind", ErrorCode::kRefused, HasSubstr("'TPU of tomorrow' is not known"));
  Expect("locked", ErrorCode::kRefused, AllOf(HasSubstr("held by another process"), HasSubstr("ABORTED"), HasSubstr("lockfile")));
}

TEST_F(PjrtDeviceTest, ACompilersWordsAreKept) {
  Expect("compile", ErrorCode::kPlugin, AllOf(HasSubstr("candidate: "), HasSubstr("INVALID_ARGUMENT"), HasSubstr("loc(\"model.cpp\":13:0)")));
}

// Executions 1 and 2 are checked before anything is timed; 3 to 12 warm up.
TEST_F(PjrtDeviceTest, AWrongValueIsFoundInEachKindOfRun) {
  Expect("wrong:1", ErrorCode::kFailed, AllOf(HasSubstr("candidate: element"), HasSubstr("nothing was timed")));
  Expect("wrong:2", ErrorCode::kFailed, AllOf(HasSubstr("plain XLA: element"), HasSubstr("nothing was timed")));
  Expect("wrong:4", ErrorCode::kFailed, HasSubstr("run 1 of the measurement"));
  Expect("wrong:32", ErrorCode::kFailed, HasSubstr("run 15 of the measurement"));
}

TEST_F(PjrtDeviceTest, AResultOfAnotherRunIsWrong) {
  Expect("stale:2", ErrorCode::kFailed, HasSubstr("nothing was timed"));
  Expect("stale:20", ErrorCode::kFailed, HasSubstr("of the measurement"));
}

TEST_F(PjrtDeviceTest, ChangedInputsAreFound) {
  // The values are right for the inputs as they were.
  Expect("changes-inputs:15", ErrorCode::kFailed, HasSubstr("input 0 was changed"));
}

TEST_F(PjrtDeviceTest, ALostDeviceEndsTheMeasurement) {
  Expect("lost:1", ErrorCode::kPlugin, HasSubstr("UNAVAILABLE: the device was lost"));
  Expect("lost:25", ErrorCode::kPlugin, HasSubstr("UNAVAILABLE: the device was lost"));
}

TEST_F(PjrtDeviceTest, ATimeThatIsTooEarlyMeansNothing) {
  Expect("late", ErrorCode::kFailed, HasSubstr("complete and it is not"));
  rows_ = 8 * kRows;  // so much that the floor is far above what a call takes on a busy machine
  Expect("fast", ErrorCode::kFailed, HasSubstr("faster than the memory"));
}

TEST_F(PjrtDeviceTest, SaysWhatIsNoPlugin) {
  EXPECT_THAT(PjrtDevice::Open("no/such/libtpu.so").error().message, HasSubstr("no/such/libtpu.so: No such file"));
  EXPECT_THAT(PjrtDevice::Open(KA_SOURCE_DIR "/README.md").error().message, HasSubstr("cannot be loaded as a shared library"));
}

TEST(Floor, IsWhatTheTableSays) {
  // axpy on float32 4096 x 4096: two inputs, one output.
  EXPECT_EQ(FloorNs(std::int64_t{3} * 4096 * 4096 * 4, ChipOfKind("TPU v5 lite")->hbm_bytes_per_second), 245'520);
  // x + 1 on float32 2048 x 2048.
  EXPECT_EQ(FloorNs(std::int64_t{2} * 2048 * 2048 * 4, ChipOfKind("TPU v5 lite")->hbm_bytes_per_second), 40'920);
  EXPECT_EQ(FloorNs(std::int64_t{1} << 60, 1), INT64_MAX);
  EXPECT_EQ(ChipOfKind("TPU v5")->name, "v5p");
  EXPECT_EQ(ChipOfKind("cpu"), nullptr);
}

}  // namespace
}  // namespace kernel_audit::target
