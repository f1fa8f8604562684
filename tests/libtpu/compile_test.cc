// Everything that the front end can express, through the real TPU compiler for five chips.
#include <filesystem>

#include <gmock/gmock.h>

#include "front_end/kernels.h"
#include "kernel_audit/core/file.h"
#include "kernel_audit/core/json.h"
#include "libtpu/libtpu_fixture.h"

namespace kernel_audit::testing {
namespace {

using ::testing::HasSubstr;
using target::CompileOutcome;

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
        ExpectAccepted(std::to_string(slots) + " slots", module, slots == 0 ? target::AllTopologies() : V5e());
      }
    }
  }
}

TEST_F(LibtpuTest, CodeIsAsLargeAsJaxs) {
  const std::filesystem::path folder = KA_SOURCE_DIR "/tests/data/golden/data";
  const auto cases = core::ParseJson(*core::ReadFile(folder / "cases.json", 1 << 20));
  const auto expect = [&](const std::string& jax, const std::string& module) {
    const auto outcome = CompileFor(V5e()[0], module);
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

TEST_F(LibtpuTest, NonsenseIsRefusedByTheCompilerItself) {
  const auto outcome = CompileFor(V5e()[0], "this is no module");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_FALSE(outcome->accepted);
  EXPECT_NE(outcome->refusal, "");
}

}  // namespace
}  // namespace kernel_audit::testing
