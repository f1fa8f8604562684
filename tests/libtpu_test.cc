// Everything that the front end can express, through the real TPU compiler for five chips. Skipped where libtpu has not been fetched:
// `kernel-audit compile` fetches it.
#include <filesystem>

#include <gmock/gmock.h>

#include "front_end/kernels.h"
#include "kernel_audit/core/file.h"
#include "kernel_audit/core/json.h"
#include "kernel_audit/sandbox/landlock.h"
#include "kernel_audit/target/compile.h"
#include "races/patterns.h"

namespace kernel_audit::testing {
namespace {

using ::testing::HasSubstr;
using target::CompileOutcome;

class LibtpuTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("KERNEL_AUDIT_LIBTPU_COMPILER", KA_BINARY_DIR "/bin/libtpu_compiler", 1); }
  void SetUp() override {
    if (sandbox::LandlockAbi() == 0) GTEST_SKIP() << "no Landlock in this kernel";
    static const auto libtpu = target::FindLibtpu(target::kDefaultLibtpu, false);
    if (!libtpu) GTEST_SKIP() << libtpu.error().message;
    libtpu_ = &*libtpu;
  }

  core::Result<CompileOutcome> CompileFor(const target::Topology& topology, const std::string& module) { return target::Compile(*libtpu_, topology, module); }

  void ExpectAccepted(const std::string& name, const std::string& module, std::span<const target::Topology> topologies = target::AllTopologies()) {
    for (const target::Topology& topology : topologies) {
      const auto outcome = CompileFor(topology, module);
      ASSERT_TRUE(outcome) << name << ": " << outcome.error().message;
      EXPECT_TRUE(outcome->accepted) << name << " for " << topology.name << ": " << outcome->refusal;
      if (!outcome->accepted) continue;
      EXPECT_GT(outcome->code_bytes, 0) << name;
      if (module.find("tpu_custom_call") == std::string::npos) continue;
      ASSERT_FALSE(outcome->kernels.empty()) << name << " for " << topology.name;
      EXPECT_GT(outcome->kernels[0].bundles, 0);
      EXPECT_THAT(outcome->kernels[0].units, ::testing::Not(::testing::IsEmpty()));
    }
  }

  const target::Libtpu* libtpu_ = nullptr;
};

TEST_F(LibtpuTest, TheSolutionAndTheExamplesCompileForFiveChips) {
  for (const auto& program : front_end_tests::AllPrograms()) {
    SCOPED_TRACE(program.name);
    ExpectAccepted(program.name, front_end_tests::ModuleOf(program));
  }
}

TEST_F(LibtpuTest, EveryVariantOfThePipelineCompiles) {
  for (const pl::DType dtype : {pl::f32, pl::bf16}) {
    for (const pl::Block& block : {pl::Block{8, 128}, pl::Block{16, 256}}) {
      for (const int slots : {0, 1, 2, 3, 4}) {  // 0: two, with synchronous copies
        const auto body = [](pl::Ref x, pl::Ref z) { z.store((x.load().astype(pl::f32) + 1.0f).astype(z.dtype())); };
        const pl::BlockSpec tile(block, [](pl::Index i, pl::Index j) { return pl::indices(i, j); }), whole(pl::any);
        const auto kernel = [&](pl::Ref x, pl::Ref z) {
          pl::emit_pipeline(body, {.grid = {3, 2}, .in_specs = {tile.buffered(slots == 0 ? 2 : slots)}, .out_specs = {tile.buffered(slots == 1 ? 1 : 2)}, .synchronous = slots == 0})(x, z);
        };
        const std::string module = trace::TraceModule("pipeline", {{dtype, {48, 512}}}, [&](const std::vector<pl::Array>& a) {
          return std::vector<pl::Array>{pl::pallas_call(kernel, {.in_specs = {whole}, .out_specs = {whole}, .out_shape = a[0].aval()})(a[0])};
        });
        const auto topologies = target::AllTopologies();
        ExpectAccepted(std::to_string(slots) + " slots", module, slots == 0 ? topologies : topologies.subspan(1, 1));
      }
    }
  }
}

// The compiler takes these kernels, wrong as they are: docs/compile.md says so beside our findings.
TEST_F(LibtpuTest, RacyKernelsCompile) {
  for (const Pattern& pattern : Patterns()) {
    MarkedLines lines;
    const HostArray x = PatternInput();
    const std::string module = Trace({&x}, Single([&](const std::vector<pl::Array>& a) { return pattern.kernel(a[0], true, lines); }));
    ExpectAccepted(pattern.number + " " + pattern.what, module, target::AllTopologies().subspan(1, 1));
  }
}

TEST_F(LibtpuTest, CodeIsAsLargeAsJaxs) {
  const std::filesystem::path folder = KA_SOURCE_DIR "/tests/data/golden/data";
  const auto cases = core::ParseJson(*core::ReadFile(folder / "cases.json", 1 << 20));
  const auto expect = [&](const std::string& jax, const std::string& module) {
    const auto outcome = CompileFor(target::AllTopologies()[1], module);
    ASSERT_TRUE(outcome && outcome->accepted) << jax;
    const double want = (*cases)[jax]["v5e_code_bytes"].get<double>();
    EXPECT_NEAR(static_cast<double>(outcome->code_bytes), want, want / 10) << jax;
  };
  for (const auto& program : front_end_tests::AllPrograms()) {
    const std::string module = front_end_tests::ModuleOf(program);
    if (program.name == "blocked_axpy") expect("axpy_bf16_17x257", module);
    if (program.name == "pipelined_axpy") expect("pipeline_bf16_b3_17x257", module);
  }
  for (const char* name : {"axpy_f32_17x257", "bias_relu_bf16_9x129"}) expect(name, *core::ReadFile(folder / (std::string(name) + ".mlir"), 1 << 20));
}

std::string AxpyModule(const pl::Block& block, std::int64_t side) {
  return trace::TraceModule("axpy", {{pl::f32, {side, side}}}, [&](const std::vector<pl::Array>& a) {
    const pl::BlockSpec tile(block, [](pl::Index i, pl::Index j) { return pl::indices(i, j); });
    const auto kernel = [](pl::Ref x, pl::Ref z) { z.store(x.load() + 1.0f); };
    return std::vector<pl::Array>{pl::pallas_call(kernel, {.grid = pl::ceil_grid(a[0].shape(), block), .in_specs = {tile}, .out_specs = {tile}, .out_shape = a[0].aval()})(a[0])};
  });
}

// Two buffers of a block, in and out: 16 MiB of scoped VMEM is v5e's limit, 4096 * 1024 * 4 bytes just fit and one row of tiles more doesn't.
TEST_F(LibtpuTest, TheEdgeOfScopedVmem) {
  const auto fits = CompileFor(target::AllTopologies()[1], AxpyModule({1024, 1024}, 8192));
  ASSERT_TRUE(fits);
  EXPECT_TRUE(fits->accepted) << fits->refusal;
  EXPECT_THAT(fits->scoped_vmem_bytes, ::testing::ElementsAre(4 << 22));
  const auto over = CompileFor(target::AllTopologies()[1], AxpyModule({1032, 1024}, 8192));
  ASSERT_TRUE(over);
  EXPECT_FALSE(over->accepted);
  EXPECT_THAT(over->refusal, HasSubstr("CompileTimeScopedVmemOom"));
  EXPECT_THAT(over->location.file, HasSubstr("libtpu_test.cc"));
}

TEST_F(LibtpuTest, NonsenseIsRefusedByTheCompilerItself) {
  const auto outcome = CompileFor(target::AllTopologies()[1], "this is no module");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_FALSE(outcome->accepted);
  EXPECT_NE(outcome->refusal, "");
}

}  // namespace
}  // namespace kernel_audit::testing
