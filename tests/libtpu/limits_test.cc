// How much VMEM and SMEM the TPU compiler gives a kernel, and our count beside it. Where a body needs no temporaries the count is exact, and so is the
// edge; what it says in general is only what cannot be.
#include "field_cases/prefetch_module.h"
#include "kernel_audit/core/chip.h"
#include "kernel_audit/import/module.h"
#include "kernel_audit/sim/capacity.h"
#include "libtpu/libtpu_fixture.h"

namespace kernel_audit::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::int64_t OurCount(const std::string& module) { return sim::CountMemory(*import::ImportModule(module, 0)->kernels[0]).scoped_vmem_bytes; }

pl::BlockSpec Tile(const pl::Block& block) {
  return pl::BlockSpec(block, [](const std::vector<pl::Index>& grid) { return pl::Indices(grid.begin(), grid.end()); });
}

// x in blocks, to z in blocks.
std::string Copies(const core::ArrayType& x, const pl::Block& block) {
  return ModuleOf([&](const auto& a) {
    return pl::pallas_call([](pl::Ref x, pl::Ref z) { z.store(x.load()); },
                           {.grid = pl::ceil_grid(x.shape, block), .in_specs = {Tile(block)}, .out_specs = {Tile(block)}, .out_shape = a[0].aval()})(a[0]);
  }, {x});
}

// The arrays are too large for the compiler to keep them in VMEM whole.
TEST_F(LibtpuTest, OurCountIsTheCompilersForSimpleBodies) {
  const auto expect = [this](DType dtype, const Shape& shape, const pl::Block& block, std::int64_t bytes) {
    const std::string module = Copies({dtype, shape}, block), what = core::ToString(block.shape()) + " of " + core::ToString(core::ArrayType{dtype, shape});
    const target::CompileOutcome outcome = CompileForV5e(module);
    EXPECT_TRUE(outcome.accepted) << what << ": " << outcome.refusal;
    EXPECT_THAT(outcome.scoped_vmem_bytes, ElementsAre(bytes)) << what;
    EXPECT_EQ(OurCount(module), bytes) << what;
  };
  expect(DType::kFloat32, {4096, 8192}, {8, 128}, 4 * 4096);
  expect(DType::kFloat32, {65536, 1448}, {8, 1448}, 4 * 8 * 1536 * 4);  // 1448 columns count as 1536
  expect(DType::kFloat32, {9, 2000000}, {9, 256}, 4 * 16 * 256 * 4);   // 9 rows as 16
  expect(DType::kFloat32, {3, 6000000}, {3, 256}, 4 * 4 * 256 * 4);    // 3 rows as 4
  expect(DType::kBFloat16, {4800, 8192}, {8, 1024}, 4 * 16384);        // 8 rows of narrow elements stay 8
  expect(DType::kBFloat16, {4800, 8192}, {24, 1024}, 4 * 49152);
  expect(DType::kInt8, {4800, 16384}, {8, 1024}, 4 * 8192);
  expect(DType::kInt8, {4800, 16384}, {24, 1024}, 4 * 24576);
  expect(DType::kFloat32, {1 << 25}, {128}, 4 * 512);
  expect(DType::kFloat32, {1 << 25}, {256}, 4 * 1024);
  expect(DType::kFloat32, {1 << 25}, {3072}, 4 * 12288);
  expect(DType::kBFloat16, {1 << 26}, {256}, 4 * 512);
}

// 16 KiB of windows and one scratch row of the rest, which a program hands to the next one.
std::string TakesScopedVmem(std::int64_t bytes) {
  const std::int64_t windows = 4 * 4096;
  return ModuleOf([&](const auto& a) {
    const auto kernel = [](pl::Ref x, pl::Ref z, pl::Ref memory) {
      const pl::Indexer kept{pl::all, pl::ds(0, 128)};
      z.store(x.load() + memory.load(kept));
      memory.store(x.load({pl::ds(0, 1)}), kept);
    };
    return pl::pallas_call(kernel, {.grid = {512, 64}, .in_specs = {Tile({8, 128})}, .out_specs = {Tile({8, 128})}, .out_shape = a[0].aval(),
                                    .scratch_shapes = {pl::VMEM({1, (bytes - windows) / 4}, pl::f32)}})(a[0]);
  }, {{DType::kFloat32, {4096, 8192}}});
}

// Memory comes in pieces of 512 bytes: the limit itself is accepted, a piece more is not. v4's limit is all of its VMEM, of which the compiler keeps
// 4096 bytes.
TEST_F(LibtpuTest, TheEdgeOfScopedVmem) {
  for (const target::Topology& topology : target::AllTopologies()) {
    const std::int64_t limit = (*core::FindChip(topology.chip))->scoped_vmem_bytes - (topology.chip == "v4" ? 4096 : 0);
    ASSERT_EQ(OurCount(TakesScopedVmem(limit)), limit);
    ASSERT_EQ(OurCount(TakesScopedVmem(limit + 512)), limit + 512);
    const auto at = CompileFor(topology, TakesScopedVmem(limit)), over = CompileFor(topology, TakesScopedVmem(limit + 512));
    ASSERT_TRUE(at && over);
    EXPECT_TRUE(at->accepted) << topology.name << ": " << at->refusal;
    EXPECT_FALSE(over->accepted) << topology.name;
    EXPECT_THAT(over->refusal, HasSubstr("vmem")) << topology.name;
    EXPECT_THAT(over->location.file, HasSubstr("limits_test.cc")) << topology.name;
  }
}

// What a body needs beyond its windows: the count is a bound, which the compiler's figure passes.
TEST_F(LibtpuTest, TemporariesAreNotCounted) {
  const std::string module = ModuleOf([&](const auto& a) {
    const auto softmax = [](pl::Ref x, pl::Ref z) {
      const pl::Value powers = pl::exp(x.load() - pl::max(x.load(), 1, true));
      z.store(powers / pl::sum(powers, 1, true));
    };
    const pl::BlockSpec rows({256, 1024}, [](pl::Index i) { return pl::indices(i, 0); });
    return pl::pallas_call(softmax, {.grid = {256}, .in_specs = {rows}, .out_specs = {rows}, .out_shape = a[0].aval()})(a[0]);
  }, {{DType::kFloat32, {65536, 1024}}});
  const target::CompileOutcome outcome = CompileForV5e(module);
  ASSERT_TRUE(outcome.accepted) << outcome.refusal;
  EXPECT_EQ(OurCount(module), 4194304);
  ASSERT_EQ(outcome.scoped_vmem_bytes.size(), 1u);
  EXPECT_GT(outcome.scoped_vmem_bytes[0], 4194304);
}

// A prefetched table takes all but what the compiler keeps for itself: 248 rows of 4 KiB, and 249 count as 256.
TEST_F(LibtpuTest, TheEdgeOfSmem) {
  const auto table = [](int rows) {
    const std::string map = "    %zero = \"arith.constant\"() {value = 0 : i32} : () -> i32\n    \"func.return\"(%i, %zero) : (i32, i32) -> ()\n";
    const std::string shape = std::to_string(rows) + "x1024";
    return PrefetchModule(PrefetchBody(shape, 4, "", map), shape, 32, 32);
  };
  const auto refused_by_us = [](const std::string& module) {
    const auto imported = import::ImportModule(module, 0);
    const ir::Kernel& kernel = *imported->kernels[0];
    return !sim::CheckCapacity(kernel, sim::CountMemory(kernel), core::DefaultChip()).can_run;
  };
  for (const int rows : {224, 248}) {
    ExpectAccepted(std::to_string(rows), table(rows), V5e());
    EXPECT_FALSE(refused_by_us(table(rows))) << rows;
  }
  for (const int rows : {249, 255, 256}) {
    ExpectRefused(std::to_string(rows), table(rows), "Exceeded smem capacity");
    EXPECT_TRUE(refused_by_us(table(rows))) << rows;
  }
}

}  // namespace
}  // namespace kernel_audit::testing
