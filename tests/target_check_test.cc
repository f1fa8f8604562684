// `kernel-audit target` behind its guard, on a device of the test's own that says it is a TPU and simulates. Nothing here is a measurement.
#include "kernel_audit/check/target_check.h"
#include "kernel_audit/check/target_evidence.h"
#include "kernel_audit/core/file.h"
#include "kernel_audit/evidence/derived.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_audit/check/candidate_run.h"
#include "kernel_audit/sandbox/landlock.h"
#include "kernel_audit/target/no_tpu.h"

namespace kernel_audit::check {
namespace {

using core::DType;
using core::HostArray;
using target::CompiledProgram;
using target::PlacedArray;
using ::testing::HasSubstr;

class FakeTpu : public target::Device {
 public:
  std::vector<std::string> compiled;  // names

  std::string backend() const override { return "tpu"; }
  std::string kind() const override { return "simulated in a test"; }
  bool is_tpu() const override { return true; }
  std::int64_t bytes_per_second() const override { return std::int64_t{1} << 60; }
  core::Result<PlacedArray> Place(const HostArray& array) override { return Keep(array.Clone()); }
  bool IsPlaced(PlacedArray array) const override { return arrays_.count(array) == 1; }
  core::Result<HostArray> Fetch(PlacedArray array) override { return arrays_.at(array).Clone(); }
  void Free(PlacedArray array) override { arrays_.erase(array); }
  core::Result<CompiledProgram> Compile(const std::string& module, const std::string& name) override {
    auto program = simulator_.Load(module, name);
    if (!program) return tl::unexpected(program.error());
    programs_.push_back(std::move(*program));
    compiled.push_back(name);
    return static_cast<CompiledProgram>(programs_.size() - 1);
  }
  core::Result<PlacedArray> Execute(CompiledProgram program, std::span<const PlacedArray> inputs) override {
    std::vector<const HostArray*> pointers;
    for (const PlacedArray input : inputs) pointers.push_back(&arrays_.at(input));
    auto outcome = programs_[static_cast<std::size_t>(program)].Run(pointers);
    if (!outcome) return tl::unexpected(outcome.error());
    now_ += std::chrono::nanoseconds(10);
    return Keep(std::move(outcome->outputs[0]));
  }
  core::Result<void> Await(PlacedArray) override { return {}; }
  bool IsReady(PlacedArray) const override { return true; }
  std::chrono::nanoseconds Now() override { return now_; }

 private:
  PlacedArray Keep(HostArray array) {
    const auto number = static_cast<PlacedArray>(next_++);
    arrays_.emplace(number, std::move(array));
    return number;
  }
  simulated::Simulator simulator_ = std::move(*simulated::Simulator::Create());
  std::vector<simulated::SimulatedProgram> programs_;
  std::map<PlacedArray, HostArray> arrays_;
  std::int64_t next_ = 1;
  std::chrono::nanoseconds now_{0};
};

core::Result<TargetReceipt> MeasureOn(target::Device& device, const std::string& file, worker::Kernel kernel, DType dtype) {
  const core::ArrayType matrix{dtype, {17, 257}}, second{dtype, kernel == worker::Kernel::kFused ? core::Shape{257} : matrix.shape};
  return MeasureOnTarget(device, {std::filesystem::path(KA_SOURCE_DIR) / file, MakeRequest(kernel, matrix, second, {8, 128}), 7});
}

const std::string kSolution = "projects/kernel-audit/solution/model.cpp";

class TargetCheckTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (sandbox::LandlockAbi() == 0) GTEST_SKIP() << "no Landlock in this kernel";
  }
};

TEST_F(TargetCheckTest, MeasuresTheSolutionBesidePlainXla) {
  for (const worker::Kernel kernel : {worker::Kernel::kAxpy, worker::Kernel::kFused, worker::Kernel::kPipeline}) {
    for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
      FakeTpu device;
      const auto receipt = MeasureOn(device, kSolution, kernel, dtype);
      ASSERT_TRUE(receipt) << receipt.error().ToString();
      EXPECT_THAT(device.compiled, ::testing::ElementsAre("candidate", "plain XLA"));
      ASSERT_EQ(receipt->benchmark.timings.size(), 2u);
      EXPECT_EQ(receipt->benchmark.timings[0].samples_ns, std::vector<std::int64_t>(10, 10));
      EXPECT_EQ(receipt->candidate_sha256.size(), 64u);
    }
  }
}

// The document too, for those who hold it against its schema.
TEST_F(TargetCheckTest, AReceiptIsOneCanonicalExecutedDocument) {
  FakeTpu device;
  const TargetOptions options{std::filesystem::path(KA_SOURCE_DIR) / kSolution, MakeRequest(worker::Kernel::kAxpy, {DType::kFloat32, {17, 257}}, {DType::kFloat32, {17, 257}}, {8, 128}), UINT64_MAX};
  auto receipt = MeasureOnTarget(device, options);
  ASSERT_TRUE(receipt) << receipt.error().ToString();
  const TargetLibrary library{"/libtpu.so", std::string(64, '3'), "0.98", "two\nlines", 4, 820'000'000'000};
  const evidence::ExecutedClaim claim = ReceiptClaim(options, *receipt, library);
  const auto document = evidence::ReadDocument(evidence::Tier::kExecuted, claim.text());
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ((*document)["seed"], UINT64_MAX);
  EXPECT_EQ((*document)["timings"].size(), 2u);
  EXPECT_EQ((*document)["timings"][0]["samples_ns"], core::Json(std::vector<int>(10, 10)));
  EXPECT_EQ((*document)["library"]["pjrt_api"], "0.98");
  if (const char* file = std::getenv("KA_RECEIPT_FILE"); file != nullptr) {
    ASSERT_TRUE(core::WriteFile(file, claim.text()));
  }
  evidence::Bundle bundle("1", {});
  AddReceipt(*receipt, claim, bundle);
  EXPECT_EQ(bundle.files().size(), 3u);
  EXPECT_TRUE(evidence::VerifyFigures(bundle)) << evidence::VerifyFigures(bundle).error().message;
  receipt->benchmark.witness.reset();
  EXPECT_THROW(ReceiptClaim(options, *receipt, library), core::InternalError);
}

TEST_F(TargetCheckTest, AWrongCandidateIsNotMeasured) {
  const auto failure = [](const std::string& name, worker::Kernel kernel, DType dtype = DType::kFloat32) {
    FakeTpu device;
    const auto receipt = MeasureOn(device, "tests/candidates/" + name, kernel, dtype);
    return receipt ? "it was measured" : receipt.error().ToString();
  };
  EXPECT_THAT(failure("early_rounding.cpp", worker::Kernel::kAxpy, DType::kBFloat16), HasSubstr("the oracle has"));
  EXPECT_THAT(failure("early_rounding.cpp", worker::Kernel::kAxpy, DType::kBFloat16), HasSubstr("nothing was timed"));
  EXPECT_THAT(failure("host_arithmetic.cpp", worker::Kernel::kAxpy), HasSubstr("outside the kernel"));
  EXPECT_THAT(failure("pipeline_windows.cpp", worker::Kernel::kPipeline), HasSubstr("holds whole arrays in HBM"));
}

TEST_F(TargetCheckTest, WithoutATpuNotEvenTheCandidateIsBuilt) {
  target::NoTpu device;
  const auto receipt = MeasureOn(device, "no/such/file.cpp", worker::Kernel::kAxpy, DType::kFloat32);
  ASSERT_FALSE(receipt);
  EXPECT_EQ(receipt.error().code, core::ErrorCode::kRefused);
  EXPECT_THAT(receipt.error().message, HasSubstr("no TPU: this process's backend is cpu"));
}

}  // namespace
}  // namespace kernel_audit::check
