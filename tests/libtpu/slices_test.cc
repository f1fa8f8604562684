// Which slices the TPU compiler takes: rows in steps of 8 and columns in steps of 128, provably.
#include "kernel_audit/trace/trace_error.h"
#include "libtpu/hand_written.h"
#include "libtpu/libtpu_fixture.h"

namespace kernel_audit::testing {
namespace {

using IndexOf = std::function<pl::Indexer(const pl::Index&)>;

// In four turns i, copies index(i) of the input in HBM to VMEM; the last one is the output.
std::string CopiedPart(const core::ArrayType& x, const Shape& part, const IndexOf& index) {
  return ModuleOf([&](const auto& a) {
    const auto kernel = [&](pl::Ref x, pl::Ref z, pl::Ref memory) {
      pl::fori_loop(0, 4, [&](pl::Index i) { pl::sync_copy(x.at(index(i)), memory); });
      z.store(memory.load());
    };
    return pl::pallas_call(kernel, {.in_specs = {pl::BlockSpec(pl::any)}, .out_shape = pl::ShapeDtype{part, x.dtype}, .scratch_shapes = {pl::VMEM(part, x.dtype)}})(a[0]);
  }, {x});
}

// The same with loads from VMEM.
std::string LoadedPart(const core::ArrayType& x, const Shape& part, const IndexOf& index) {
  return ModuleOf([&](const auto& a) {
    const auto kernel = [&](pl::Ref x, pl::Ref z) { pl::fori_loop(0, 4, [&](pl::Index i) { z.store(x.load(index(i))); }); };
    return pl::pallas_call(kernel, {.out_shape = pl::ShapeDtype{part, x.dtype}})(a[0]);
  }, {x});
}

constexpr const char* kDtypes[] = {"float32", "bfloat16", "int8"};

TEST_F(LibtpuTest, CopiesTakeWholeTilesOfRows) {
  for (const char* name : kDtypes) {
    const DType dtype = *core::DTypeFromName(name);
    const core::ArrayType x{dtype, {64, 512}};
    const auto rows = [&](std::int64_t first, std::int64_t end) { return CopiedPart(x, {end - first, 512}, [=](const auto&) { return pl::Indexer{pl::ds(static_cast<int>(first), end - first)}; }); };
    const std::string slice_shape = "must be aligned to tiling (8)";
    ExpectAccepted(name, rows(8, 16), V5e());
    ExpectRefused(name, rows(4, 12), "Failed to prove that a tile index in dimension 0 is divisible by the tiling (8)");
    ExpectRefused(name, rows(3, 8), slice_shape);
    ExpectRefused(name, rows(0, 4), slice_shape);
    ExpectAccepted(name, CopiedPart(x, {8, 512}, [](const auto& i) { return pl::Indexer{pl::ds(i * 8, 8)}; }), V5e());
    ExpectRefused(name, CopiedPart(x, {8, 512}, [](const auto& i) { return pl::Indexer{pl::ds(i * 3, 8)}; }), "Failed to prove");
  }
}

TEST_F(LibtpuTest, CopiesTakeWholeTilesOfColumns) {
  for (const char* name : kDtypes) {
    const core::ArrayType x{*core::DTypeFromName(name), {64, 512}};
    const auto columns = [&](std::int64_t first, std::int64_t count) { return CopiedPart(x, {64, count}, [=](const auto&) { return pl::Indexer{pl::all, pl::ds(static_cast<int>(first), count)}; }); };
    ExpectAccepted(name, columns(128, 128), V5e());
    ExpectRefused(name, columns(0, 64), "along dimension 1 must be aligned to tiling (128)");
    ExpectRefused(name, columns(64, 128), "dimension 1 is divisible by the tiling (128)");
  }
}

TEST_F(LibtpuTest, LoadsTakeAnyStaticStartAndOnlyProvenDynamicOnes) {
  const core::ArrayType x{DType::kFloat32, {64, 512}};
  ExpectAccepted("row 3", LoadedPart(x, {8, 512}, [](const auto&) { return pl::Indexer{pl::ds(3, 8)}; }), V5e());
  ExpectAccepted("column 64", LoadedPart(x, {64, 128}, [](const auto&) { return pl::Indexer{pl::all, pl::ds(64, 128)}; }), V5e());
  ExpectRefused("row i * 3", LoadedPart(x, {8, 512}, [](const auto& i) { return pl::Indexer{pl::ds(i * 3, 8)}; }), "CompileTimeMosaicUnprovenMemoryAccessAlignment");
}

TEST_F(LibtpuTest, CopiesOfVectors) {
  const auto part = [](std::int64_t size, std::int64_t of) {
    return CopiedPart({DType::kFloat32, {of}}, {size}, [size](const auto& i) { return pl::Indexer{pl::ds(i * static_cast<int>(size), size)}; });
  };
  ExpectRefused("128 of 512", part(128, 512), "512");
  ExpectRefused("512 of 2048", part(512, 2048), "1024");
  ExpectAccepted("1024 of 4096", part(1024, 4096), V5e());
}

std::string Memref(const std::string& shape, const std::string& space) { return "memref<" + shape + "xf32, #tpu.memory_space<" + space + ">>"; }

// A load of (8, 128) by `operation` from %x, stored to %z.
std::string LoadAndStore(const std::string& shape, const std::string& space, const std::string& operation) {
  const std::string in = Memref(shape, space), out = Memref("8x128", "vmem"), vector = "vector<8x128xf32>";
  return HandWrittenModule(shape, in, out,
                           "    %v = \"stable_mosaic." + operation + " : (" + in + ", index, index) -> " + vector + " loc(\"k.cpp\":7:0)\n" +
                               "    \"stable_mosaic.tpu.vector_store\"(%v, %z, %c0, %c0) {add = false, operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>} : (" + vector +
                               ", " + out + ", index, index) -> ()\n");
}

TEST_F(LibtpuTest, StridesOfRowsNotOfLanes) {
  ExpectAccepted("rows", LoadAndStore("64x128", "vmem", "tpu.strided_load\"(%x, %c0, %c0) {strides = array<i32: 8, 1>}"), V5e());
  const target::CompileOutcome lanes = CompileForV5e(LoadAndStore("8x1024", "vmem", "tpu.strided_load\"(%x, %c0, %c0) {strides = array<i32: 1, 8>}"));
  EXPECT_FALSE(lanes.accepted);
  EXPECT_EQ(lanes.location, (core::SourceLocation{"k.cpp", 7}));
}

TEST_F(LibtpuTest, LoadsFromVmemNotFromHbm) {
  const std::string load = "vector.load\"(%x, %c0, %c0)";
  ExpectAccepted("VMEM", LoadAndStore("8x128", "vmem", load), V5e());
  ExpectRefused("HBM", LoadAndStore("8x128", "any", load), "memory space");
}

TEST_F(LibtpuTest, ScalarsAreStoredToSmemNotToVmem) {
  const auto store = [](const std::string& space) {
    const std::string out = Memref("8x128", space);
    return HandWrittenModule("8x128", Memref("8x128", "vmem"), out,
                             "    %one = \"stable_mosaic.arith.constant\"() {value = 1.0 : f32} : () -> f32\n    \"stable_mosaic.memref.store\"(%one, %z, %c0, %c0) : (f32, " + out +
                                 ", index, index) -> ()\n");
  };
  ExpectAccepted("SMEM", store("smem"), V5e());
  ExpectRefused("VMEM", store("vmem"), "failed to legalize operation 'memref.store'");
}

// The front end says the same before a compiler is asked.
TEST(SlicesInTheFrontEnd, NoDirectLoadFromHbm) {
  const auto module = [] {
    return ModuleOf([](const auto& a) {
      return pl::pallas_call([](pl::Ref x, pl::Ref z) { z.store(x.load()); }, {.in_specs = {pl::BlockSpec(pl::any)}, .out_shape = a[0].aval()})(a[0]);
    }, {{DType::kFloat32, {8, 128}}});
  };
  EXPECT_THROW(module(), pl::TraceError);
}

}  // namespace
}  // namespace kernel_audit::testing
