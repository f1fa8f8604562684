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
  const int load = __LINE__ + 3, store = load + 1;
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
    std::vector<int> lines;
    for (const target::LineUse& use : outcome->kernels[0].lines) {
      named.push_back(use.place);
      lines.push_back(use.place.line);
      EXPECT_LE(use.bundles, use.instructions);
      EXPECT_LE(use.instructions, outcome->kernels[0].instructions);
    }
    EXPECT_THAT(named, ::testing::IsSubsetOf(places.lines)) << topology.name;
    EXPECT_THAT(lines, ::testing::IsSupersetOf({load, store})) << topology.name;
  }
}

TEST_F(LibtpuTest, RecordsVersionsAndCountsDevices) {
  const std::string module = "module @m {\n  func.func public @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n    return %a : tensor<8xf32>\n  }\n}\n";
  const std::vector<std::int64_t> devices = {8, 4, 4, 4, 8};
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto outcome = CompileFor(target::AllTopologies()[i], module);
    ASSERT_TRUE(outcome && outcome->accepted);
    EXPECT_EQ(outcome->devices, devices[i]) << outcome->topology;
    EXPECT_EQ(outcome->api_version, "0.98");
    EXPECT_THAT(outcome->kernels, ::testing::IsEmpty());
  }
  for (const char* name : {"v5e:1x1", "v5e:3x3"}) {
    const auto refused = CompileFor({name, "v5e"}, module);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, ::testing::HasSubstr("2x2x1")) << name;
  }
}

TEST_F(LibtpuTest, SchedulesComeInTheKernelsOrder) {
  const std::string module = ModuleOf([](const auto& a) {
    const auto triple = [](pl::Ref x, pl::Ref z) { z.store(x.load() * 3.0f); };
    const auto power = [](pl::Ref x, pl::Ref z) { z.store(pl::exp(-x.load())); };
    const auto root = [](pl::Ref x, pl::Ref z) { z.store(pl::sqrt(x.load())); };
    const auto call = [](auto kernel, const pl::Array& x) {
      const pl::BlockSpec rows({8, 128}, [](pl::Index i) { return pl::indices(i, 0); });
      return pl::Array(pl::pallas_call(kernel, {.name = "same", .grid = {4}, .in_specs = {rows}, .out_specs = {rows}, .out_shape = x.aval()})(x));
    };
    return call(root, call(power, call(triple, a[0])));
  }, {{DType::kFloat32, {32, 128}}});
  const auto imported = import::ImportModule(module, 0);
  for (const target::Topology& topology : target::AllTopologies()) {
    const auto outcome = CompileFor(topology, module);
    ASSERT_TRUE(outcome && outcome->accepted) << topology.name;
    ASSERT_EQ(outcome->kernels.size(), 3u) << topology.name;
    for (std::size_t k = 0; k < 3; ++k) {
      std::vector<core::SourceLocation> named;
      for (const target::LineUse& use : outcome->kernels[k].lines) named.push_back(use.place);
      EXPECT_THAT(named, ::testing::IsSubsetOf(imported->places[k].lines)) << topology.name << ", kernel " << k;
      EXPECT_THAT(named, ::testing::Not(::testing::IsEmpty()));
    }
  }
}

// Kernel calls that are left of n written ones. A program that repeats a kernel to time it runs as many as are left.
TEST_F(LibtpuTest, RepeatsAreMergedUnlessTheyAreChained) {
  const auto add_one = [](const pl::Array& x) {
    const pl::BlockSpec rows({8, 128}, [](pl::Index i) { return pl::indices(i, 0); });
    return pl::Array(pl::pallas_call([](pl::Ref x, pl::Ref z) { z.store(x.load() + 1.0f); }, {.grid = {4}, .in_specs = {rows}, .out_specs = {rows}, .out_shape = x.aval()})(x));
  };
  const auto add = [](const pl::Array& x, const pl::Array& y) {
    return pl::Array(pl::pallas_call([](pl::Ref x, pl::Ref y, pl::Ref z) { z.store(x.load() + y.load()); }, {.out_shape = x.aval()})(x, y));
  };
  const auto expect = [&](std::size_t written, std::size_t left, const SingleFunction& function) {
    const std::string module = ModuleOf(function, {{DType::kFloat32, {32, 128}}});
    EXPECT_EQ(import::ImportModule(module, 0)->kernels.size(), written);
    EXPECT_EQ(CompileForV5e(module).scoped_vmem_bytes.size(), left);
  };
  expect(5, 3, [&](const auto& a) { return add(add(add_one(a[0]), add_one(a[0])), add_one(a[0])); });
  expect(10, 10, [&](const auto& a) {
    pl::Array last = a[0];
    for (int i = 0; i < 10; ++i) last = add_one(last);
    return last;
  });
}

TEST_F(LibtpuTest, NonsenseIsRefusedByTheCompilerItself) {
  const auto outcome = CompileFor(V5e()[0], "this is no module");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_FALSE(outcome->accepted);
  EXPECT_NE(outcome->refusal, "");
}

}  // namespace
}  // namespace kernel_audit::testing
