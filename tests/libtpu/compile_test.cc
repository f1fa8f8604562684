// Everything that the front end can express, through the real TPU compiler for five chips.
#include <gmock/gmock.h>

#include "front_end/kernels.h"
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

// Every operation that the front end writes has its line in the text; the compiler's instructions name no others, and name each line that loads or stores.
TEST_F(LibtpuTest, LinesComeThroughToTheInstructions) {
  const core::SourceLocation load{"tests/libtpu/compile_test.cc", __LINE__ + 3}, store{load.file, load.line + 1};
  const std::string module = ModuleOf([](const auto& a) {
    const auto kernel = [](pl::Ref x, pl::Ref z) {
      const pl::Value value = x.load();
      z.store(value * 3.0f);
    };
    const pl::BlockSpec rows({8, 128}, [](pl::Index i) { return pl::indices(i, 0); });
    return pl::pallas_call(kernel, {.grid = {4}, .in_specs = {rows}, .out_specs = {rows}, .out_shape = a[0].aval()})(a[0]);
  }, {{DType::kFloat32, {32, 128}}});
  const auto imported = import::ImportModule(module, 0);
  ASSERT_TRUE(imported);
  const import::Places& places = imported->places[0];
  EXPECT_EQ(places.placed, places.operations);
  for (const target::Topology& topology : target::AllTopologies()) {
    const auto outcome = CompileFor(topology, module);
    ASSERT_TRUE(outcome && outcome->accepted && outcome->kernels.size() == 1) << topology.name;
    std::vector<core::SourceLocation> named;
    for (const target::LineUse& use : outcome->kernels[0].lines) {
      named.push_back(use.place);
      EXPECT_LE(use.bundles, use.instructions);
      EXPECT_LE(use.instructions, outcome->kernels[0].instructions);
    }
    EXPECT_THAT(named, ::testing::IsSubsetOf(places.lines)) << topology.name;
    EXPECT_THAT(named, ::testing::IsSupersetOf({load, store})) << topology.name;
  }
}

TEST_F(LibtpuTest, NonsenseIsRefusedByTheCompilerItself) {
  const auto outcome = CompileFor(V5e()[0], "this is no module");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_FALSE(outcome->accepted);
  EXPECT_NE(outcome->refusal, "");
}

}  // namespace
}  // namespace kernel_audit::testing
