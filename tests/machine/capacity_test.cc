// What kernels take of VMEM and SMEM. Figures marked "libtpu" are what libtpu 0.0.37 reported for v5e.
#include "kernel_audit/sim/capacity.h"

#include <cmath>

#include "simulate.h"

namespace kernel_audit::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const core::Chip& Chip(const char* name) { return **core::FindChip(name); }

// Traces a kernel of inputs with these shapes and counts it. Nothing runs, so the inputs' values don't matter.
sim::KernelMemory Count(const SingleFunction& function, const std::vector<core::ArrayType>& types) {
  std::vector<HostArray> arrays(types.begin(), types.end());
  std::vector<const HostArray*> inputs;
  for (const HostArray& array : arrays) inputs.push_back(&array);
  return sim::CountMemory(Kernel(Single(function), inputs).program().kernel());
}

std::int64_t Vmem(const SingleFunction& function, const std::vector<core::ArrayType>& types) {
  return Count(function, types).vmem.bytes;
}

pl::BlockSpec Tiles(const pl::Block& block) {
  return pl::BlockSpec(block, [](pl::Index i, pl::Index j) { return pl::indices(i, j); });
}
void Copy(pl::Ref x, pl::Ref z) { z.store(x.load()); }

std::int64_t VectorAdd(int in, int out) {
  return Vmem([=](const auto& a) {
    const pl::BlockSpec block({1024}, [](pl::Index i) { return pl::indices(i); });
    return pl::pallas_call([](pl::Ref x, pl::Ref y, pl::Ref z) { z.store(x.load() + y.load()); },
                           {.grid = {4}, .in_specs = {block.buffered(in), block}, .out_specs = {block.buffered(out)}, .out_shape = a[0].aval()})(a[0], a[1]);
  }, {{DType::kFloat32, {4096}}, {DType::kFloat32, {4096}}});
}

std::int64_t CopyTiles(const pl::Block& block, const Shape& shape, DType dtype = DType::kFloat32) {
  return Vmem([=](const auto& a) {
    return pl::pallas_call(Copy, {.grid = pl::ceil_grid(shape, block), .in_specs = {Tiles(block)}, .out_specs = {Tiles(block)}, .out_shape = a[0].aval()})(a[0]);
  }, {{dtype, shape}});
}

TEST(Capacity, CountsWindowsTimesTheirBuffers) {
  EXPECT_EQ(VectorAdd(2, 2), 24576);                      // libtpu
  EXPECT_EQ(VectorAdd(2, 1), 20480);                      // libtpu
  EXPECT_EQ(VectorAdd(1, 1), 16384);                      // libtpu
  EXPECT_EQ(CopyTiles({8, 128}, {257, 513}), 16384);      // libtpu
  EXPECT_EQ(CopyTiles({16, 256}, {257, 513}), 65536);     // libtpu
  EXPECT_EQ(CopyTiles({8, 1024}, {256, 1024}), 131072);   // libtpu
  EXPECT_EQ(CopyTiles({512, 512}, {1024, 1024}), 4194304);  // libtpu
}

std::int64_t MatrixProduct(std::int64_t block) {
  return Vmem([=](const auto& a) {
    const auto spec = [=](int row, int column) {
      return pl::BlockSpec(pl::Block({block, block}), [=](const std::vector<pl::Index>& g) { return pl::indices(g[static_cast<std::size_t>(row)], g[static_cast<std::size_t>(column)]); });
    };
    const auto kernel = [](pl::Ref x, pl::Ref y, pl::Ref z, pl::Ref sum) {
      sum.store(pl::dot(x.load(), y.load()));
      z.store(sum.load());
    };
    const std::int64_t n = 1024 / block;
    return pl::pallas_call(kernel, {.grid = {n, n, n}, .in_specs = {spec(0, 2), spec(2, 1)}, .out_specs = {spec(0, 1)}, .out_shape = a[0].aval(),
                                    .scratch_shapes = {pl::VMEM({block, block}, pl::f32)}})(a[0], a[1]);
  }, {{DType::kFloat32, {1024, 1024}}, {DType::kFloat32, {1024, 1024}}});
}

TEST(Capacity, CountsScratch) {
  EXPECT_EQ(MatrixProduct(128), 458752);   // libtpu
  EXPECT_EQ(MatrixProduct(256), 1835008);  // libtpu
  EXPECT_EQ(MatrixProduct(512), 7340032);  // libtpu
}

TEST(Capacity, AWindowOfTheWholeArrayHasOneBufferAndFewRowsAreNotPaddedToEight) {
  const auto sums = [](const auto& a) {
    const auto whole = [](const pl::Block& block) { return pl::BlockSpec(block, [](pl::Index) { return pl::indices(0, 0); }); };
    return pl::pallas_call([](pl::Ref x, pl::Ref z) { z.store(pl::sum(x.load(), 0, true)); },
                           {.grid = {1}, .in_specs = {whole({1024, 1024})}, .out_specs = {whole({1, 1024})}, .out_shape = pl::ShapeDtype{{1, 1024}, pl::f32}})(a[0]);
  };
  EXPECT_EQ(Vmem(sums, {{DType::kFloat32, {1024, 1024}}}), 4198400);  // libtpu
}

// Each is the size of libtpu's allocation for a scratch operand, in VMEM or SMEM, on v4, v5e, v5p, v6e and 7x.
TEST(Capacity, PadsToTiles) {
  const auto f32 = [](const Shape& shape) { return sim::TiledBytes(DType::kFloat32, shape); };
  const auto bf16 = [](const Shape& shape) { return sim::TiledBytes(DType::kBFloat16, shape); };
  const auto int8 = [](const Shape& shape) { return sim::TiledBytes(DType::kInt8, shape); };
  EXPECT_EQ(f32({8, 1448}), 8 * 1536 * 4);
  EXPECT_EQ(f32({1, 300}), 1536);
  EXPECT_EQ(f32({3, 300}), 6144);
  EXPECT_EQ(f32({5, 300}), 12288);
  EXPECT_EQ(f32({17, 300}), 36864);
  EXPECT_EQ(f32({2, 3, 300}), 12288);
  EXPECT_EQ(bf16({1, 300}), 1536);
  EXPECT_EQ(bf16({9, 300}), 12288);
  EXPECT_EQ(bf16({17, 300}), 18432);
  EXPECT_EQ(int8({1, 300}), 1536);
  EXPECT_EQ(int8({9, 300}), 6144);
  EXPECT_EQ(int8({33, 300}), 15360);
  EXPECT_EQ(f32({5}), 512);
  EXPECT_EQ(f32({129}), 1024);
  EXPECT_EQ(f32({1000}), 4096);
  EXPECT_EQ(f32({1025}), 8192);
  EXPECT_EQ(f32({3000}), 12288);
  EXPECT_EQ(bf16({5}), 512);
  EXPECT_EQ(bf16({300}), 1024);
  EXPECT_EQ(bf16({1025}), 4096);
  EXPECT_EQ(int8({5}), 512);
  EXPECT_EQ(int8({513}), 1024);
  EXPECT_EQ(int8({3000}), 3072);
  EXPECT_EQ(f32({}), 512);
  EXPECT_EQ(CopyTiles({24, 1024}, {4800, 8192}, DType::kInt8), 98304);  // libtpu: a window is padded alike
}

// Of memory in scopes, the most that is alive at once.
TEST(Capacity, CountsNestedScopesTogetherAndScopesInTurnOnce) {
  const auto vmem = [](std::int64_t rows) { return std::vector<pl::Scratch>{pl::VMEM({rows, 128}, pl::f32)}; };
  const auto kernel = [&](pl::Ref x, pl::Ref z) {
    pl::run_scoped([&](pl::Ref a) {
      a.store(x.load());
      pl::run_scoped([&](pl::Ref b) { b.store(0.0f, {pl::ds(0, 8)}); }, vmem(16));
      pl::run_scoped([&](pl::Ref b) { b.store(0.0f, {pl::ds(0, 8)}); }, vmem(32));
      z.store(a.load());
    }, vmem(8));
    pl::run_scoped([&](pl::Ref b) { b.store(0.0f, {pl::ds(0, 8)}); }, vmem(8));
  };
  const sim::KernelMemory memory = Count([&](const auto& a) { return pl::pallas_call(kernel, {.out_shape = a[0].aval()})(a[0]); }, {{DType::kFloat32, {8, 128}}});
  EXPECT_EQ(memory.vmem.bytes, 4096 * (1 + 1 + 1 + 4));
  EXPECT_EQ(memory.scoped_vmem_bytes, 4096 * (1 + 4));
  ASSERT_EQ(memory.vmem.users.size(), 4u);
  EXPECT_EQ(memory.vmem.users[0].name, "scoped memory, float32(32, 128)");
  EXPECT_THAT(memory.vmem.users[0].location.ToString(), HasSubstr("capacity_test.cc:"));
}

SingleFunction Pipelined(int slots, bool synchronous, const pl::Block& block) {
  return [=](const auto& a) {
    const pl::BlockSpec in = Tiles(block).buffered(slots), whole(pl::any);
    const auto kernel = [&](pl::Ref x, pl::Ref y, pl::Ref z) {
      pl::emit_pipeline([](pl::Ref x, pl::Ref y, pl::Ref z) { z.store(x.load() + y.load()); },
                        {.grid = pl::ceil_grid(x.shape(), block), .in_specs = {in, in}, .out_specs = {Tiles(block)}, .synchronous = synchronous})(x, y, z);
    };
    return pl::pallas_call(kernel, {.in_specs = {whole, whole}, .out_specs = {whole}, .out_shape = a[0].aval()})(a[0], a[1]);
  };
}

TEST(Capacity, CountsAPipelinesSlotsAndItsDmas) {
  const std::vector<core::ArrayType> f32 = {{DType::kFloat32, {24, 384}}, {DType::kFloat32, {24, 384}}};
  EXPECT_EQ(Vmem(Pipelined(2, false, {8, 128}), f32), 24576);
  EXPECT_EQ(Vmem(Pipelined(3, false, {8, 128}), f32), 32768);
  EXPECT_EQ(Vmem(Pipelined(2, true, {8, 128}), f32), 24576);
  const HostArray x = Floats({24, 384}, [](std::int64_t i) { return static_cast<double>(i); });
  for (const bool synchronous : {false, true}) {
    const KernelRun run = RunKernel(Pipelined(2, synchronous, {8, 128}), {&x, &x});
    EXPECT_THAT(Findings(run.report), IsEmpty());
    EXPECT_EQ(run.report.vmem_bytes, 24576);
    EXPECT_EQ(run.report.dmas, 27);
    EXPECT_EQ(run.report.dma_bytes, 27 * 4096);
    EXPECT_EQ(run.report.chip, "v5e");
  }
}

SingleFunction WithScratch(std::int64_t rows, pl::Scratch (*space)(Shape, DType), std::int64_t limit = 0) {
  return [=](const auto& a) {
    const auto kernel = [](pl::Ref x, pl::Ref z, pl::Ref) { z.store(x.load()); };
    return pl::pallas_call(kernel, {.out_shape = a[0].aval(), .scratch_shapes = {space({rows, 1024}, pl::i32)}, .vmem_limit_bytes = limit})(a[0]);
  };
}

TEST(Capacity, AKernelThatCannotFitIsNotRun) {
  const HostArray x = Floats({8, 128}, [](std::int64_t) { return 1.0; });
  const KernelRun run = RunKernel(WithScratch(32768, pl::VMEM), {&x});
  EXPECT_FALSE(run.report.ran);
  EXPECT_TRUE(std::isnan(Values(run.outputs[0])[0]));
  ASSERT_EQ(run.report.findings.size(), 1u);
  EXPECT_EQ(run.report.findings[0].kind, sim::FindingKind::kCapacity);
  EXPECT_THAT(run.report.findings[0].message, HasSubstr("the kernel needs at least 134225920 bytes of VMEM, a core of v5e has 134217728: it was not run; "
                                                        "the largest users, in bytes: scratch 0, int32(32768, 1024) ("));
  EXPECT_THAT(run.report.findings[0].message, HasSubstr("capacity_test.cc:"));
  EXPECT_THAT(run.report.findings[0].message, HasSubstr("): 134217728; input 0, float32(8, 128) ("));
  EXPECT_EQ(run.report.ownership.at(0).unwritten_elements, 1024);
}

TEST(Capacity, AnotherChipHasOtherLimits) {
  const HostArray x = Floats({8, 128}, [](std::int64_t) { return 1.0; });
  const SingleFunction small = WithScratch(4096, pl::VMEM);  // 16 MiB
  EXPECT_TRUE(RunKernel(small, {&x}).report.ran);
  const sim::Report report = RunKernel(small, {&x}, {.chip = &Chip("v4")}).report;
  EXPECT_FALSE(report.ran);
  EXPECT_EQ(report.chip, "v4");
}

// A table of 255 rows is padded to 256 and fills the SMEM, of which the compiler needs some itself: libtpu refuses it, and takes 224 rows.
TEST(Capacity, NoKernelHasAllOfTheSmem) {
  const HostArray x = Floats({8, 128}, [](std::int64_t) { return 1.0; });
  const sim::Report fits = RunKernel(WithScratch(224, pl::SMEM), {&x}).report, full = RunKernel(WithScratch(255, pl::SMEM), {&x}).report;
  EXPECT_THAT(Findings(fits), IsEmpty());
  EXPECT_EQ(fits.smem_bytes, 224 * 4096);
  EXPECT_FALSE(full.ran);
  ASSERT_EQ(full.findings.size(), 1u);
  EXPECT_EQ(full.smem_bytes, 1048576);
  EXPECT_THAT(full.findings[0].message, HasSubstr("1048576 bytes of SMEM"));
}

// What the compiler would refuse can still be simulated, and is found.
TEST(Capacity, AKernelAboveItsVmemLimitRunsAndIsFound) {
  const HostArray x = Floats({8, 128}, [](std::int64_t) { return 1.0; });
  const sim::Report above = RunKernel(WithScratch(4097, pl::VMEM), {&x}).report;
  EXPECT_TRUE(above.ran);
  ASSERT_EQ(above.findings.size(), 1u);
  EXPECT_THAT(above.findings[0].message, HasSubstr("the compiler's limit for v5e is 16777216; ask for more with vmem_limit_bytes"));
  EXPECT_THAT(Findings(RunKernel(WithScratch(4097, pl::VMEM, 20 << 20), {&x}).report), IsEmpty());
  EXPECT_THAT(RunKernel(WithScratch(8, pl::VMEM, 8192), {&x}).report.findings.at(0).message, HasSubstr("its own vmem_limit_bytes is 8192"));
}

}  // namespace
}  // namespace kernel_audit::testing
