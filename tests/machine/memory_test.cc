// Loads and stores at starts that the kernel computes, scratch, aliases, limits, subnormals, determinism.
#include <cmath>
#include <cstring>

#include "kernel_audit/import/import_testing.h"
#include "simulate.h"

namespace kernel_audit::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

HostArray Rows(std::int64_t rows) { return MakeArray(DType::kFloat32, {rows, 128}, [](std::int64_t i) { return static_cast<double>(i / 128); }); }

std::vector<double> FirstColumn(const HostArray& array) {
  const std::vector<double> values = Values(array);
  std::vector<double> column;
  for (std::size_t i = 0; i < values.size(); i += 128) column.push_back(values[i]);
  return column;
}

std::string OutOfBounds(const char* op, const std::string& buffer, int start, int size, int extent) {
  return "out_of_bounds of " + buffer + ": " + op + " touches elements [" + std::to_string(start) + ", " + std::to_string(std::int64_t{start} + size) +
         ") of dimension 0 of " + buffer + ", whose extent is " + std::to_string(extent);
}

const std::vector<int> kStarts = {INT32_MIN, -200, -9, -8, -7, -1, 0, 1, 11, 12, 13, 19, 20, 21, 500, INT32_MAX};

TEST(DynamicStarts, ALoadIsNeverClamped) {
  const HostArray x = Rows(20);
  for (int start : kStarts) {
    const HostArray s = Ints({start});
    const KernelRun run = RunKernel([](const auto& a) {
      const auto kernel = [](pl::Ref s, pl::Ref x, pl::Ref z) { z.store(x.load({pl::ds(s.load({0}), 8), pl::all})); };
      return pl::pallas_call(kernel, {.in_specs = {pl::BlockSpec(pl::smem), pl::BlockSpec()}, .out_shape = pl::ShapeDtype{{8, 128}, pl::f32}})(a[0], a[1]);
    }, {&s, &x});
    if (start >= 0 && start <= 12) {
      EXPECT_THAT(Findings(run.report), IsEmpty()) << start;
    } else {
      EXPECT_THAT(Findings(run.report), ElementsAre(OutOfBounds("vector.load", "input 1", start, 8, 20)));
    }
    const std::vector<double> got = FirstColumn(run.outputs[0]);
    for (int r = 0; r < 8; ++r) {
      const std::int64_t row = std::int64_t{start} + r;
      const double value = got[static_cast<std::size_t>(r)];
      const bool inside = row >= 0 && row < 20;
      EXPECT_TRUE(inside ? value == static_cast<double>(row) : std::isnan(value)) << start << ": " << value;
    }
  }
}

TEST(DynamicStarts, AStoreWritesOnlyWhatIsInside) {
  const HostArray x = Rows(8);
  for (int start : kStarts) {
    const HostArray s = Ints({start});
    const KernelRun run = RunKernel([](const auto& a) {
      const auto kernel = [](pl::Ref s, pl::Ref x, pl::Ref z) {
        z.store(-1.0f);
        z.store(x.load(), {pl::ds(s.load({0}), 8), pl::all});
      };
      return pl::pallas_call(kernel, {.in_specs = {pl::BlockSpec(pl::smem), pl::BlockSpec()}, .out_shape = pl::ShapeDtype{{20, 128}, pl::f32}})(a[0], a[1]);
    }, {&s, &x});
    if (start >= 0 && start <= 12) {
      EXPECT_THAT(Findings(run.report), IsEmpty()) << start;
    } else {
      EXPECT_THAT(Findings(run.report), ElementsAre(OutOfBounds("tpu.vector_store", "output 0", start, 8, 20)));
    }
    const std::vector<double> got = FirstColumn(run.outputs[0]);
    for (int row = 0; row < 20; ++row) {
      const std::int64_t from = row - std::int64_t{start};
      EXPECT_EQ(got[static_cast<std::size_t>(row)], from >= 0 && from < 8 ? static_cast<double>(from) : -1) << start;
    }
  }
}

TEST(DynamicStarts, BothDimensionsAndScalars) {
  const HostArray s = Ints({3, -2}), x = MakeArray(DType::kFloat32, {4, 6}, [](std::int64_t i) { return static_cast<double>(i); });
  const KernelRun run = RunKernel([](const auto& a) {
    const auto kernel = [](pl::Ref s, pl::Ref x, pl::Ref z) { z.store(x.load({pl::ds(s.load({0}), 2), pl::ds(s.load({1}), 4)})); };
    return pl::pallas_call(kernel, {.in_specs = {pl::BlockSpec(pl::smem), pl::BlockSpec()}, .out_shape = pl::ShapeDtype{{2, 4}, pl::f32}})(a[0], a[1]);
  }, {&s, &x});
  // One finding a place and buffer; the second dimension is counted with it.
  EXPECT_THAT(Findings(run.report), ElementsAre("out_of_bounds of input 1, 2 times: vector.load touches elements [3, 5) of dimension 0 of input 1, whose extent is 4"));
  const std::vector<double> z = Values(run.outputs[0]);
  EXPECT_TRUE(std::isnan(z[0]) && std::isnan(z[1]));
  EXPECT_EQ(z[2], 18);
  EXPECT_EQ(z[3], 19);
  EXPECT_TRUE(std::isnan(z[6]));

  const HostArray past = Ints({4, -1});
  const KernelRun scalars = RunKernel([](const auto& a) {
    const auto kernel = [](pl::Ref s, pl::Ref z, pl::Ref count) {
      count.store(7, {s.load({1})});
      z.store((s.load({s.load({0})}) + 1).astype(pl::f32));
    };
    return pl::pallas_call(kernel, {.in_specs = {pl::BlockSpec(pl::smem)}, .out_shape = pl::ShapeDtype{{1}, pl::f32}, .scratch_shapes = {pl::SMEM({2}, pl::i32)}})(a[0]);
  }, {&past});
  EXPECT_THAT(Findings(scalars.report), ElementsAre("out_of_bounds of scratch 0: memref.store touches elements [-1, 0) of dimension 0 of scratch 0, whose extent is 2",
                                                    "out_of_bounds of input 0: memref.load touches elements [4, 5) of dimension 0 of input 0, whose extent is 2"));
}

TEST(DynamicStarts, StartsAtTheEndsOf64Bits) {
  const std::string ref = "memref<8x128xf32, #tpu.memory_space<vmem>>";
  const HostArray x = Rows(8);
  for (const char* start : {"9223372036854775807", "-9223372036854775808"}) {
    const Kernel kernel(import::testing::ModuleWithOps(
        "    %i = \"arith.constant\"() {value = " + std::string(start) + " : index} : () -> index\n    %c = \"arith.constant\"() {value = 0 : index} : () -> index\n"
        "    %v = \"vector.load\"(%x, %i, %c) : (" + ref + ", index, index) -> vector<8x128xf32>\n"
        "    \"tpu.vector_store\"(%v, %z, %c, %c) {add = false, operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>} : (vector<8x128xf32>, " + ref +
        ", index, index) -> ()\n"
        "    \"tpu.vector_store\"(%v, %z, %i, %c) {add = false, operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>} : (vector<8x128xf32>, " + ref +
        ", index, index) -> ()\n"));
    const KernelRun run = kernel.Run({&x});
    ASSERT_EQ(run.report.findings.size(), 2u);
    EXPECT_THAT(run.report.findings[0].message, HasSubstr("[" + std::string(start) + ", "));
  }
}

TEST(Scratch, KeepsItsContentFromProgramToProgram) {
  const HostArray x = Rows(32);
  const KernelRun run = RunKernel([](const auto& a) {
    const auto kernel = [](pl::Ref x, pl::Ref z, pl::Ref sum, pl::Ref count) {
      pl::when(pl::program_id(0) == 0, [&] {
        sum.store(0.0f);
        count.store(0, {0});
      });
      sum.store(sum.load() + x.load());
      count.store(count.load({0}) + 1, {0});
      z.store(sum.load() + 1000.0f * count.load({0}).astype(pl::f32));
    };
    const pl::BlockSpec rows({8, 128}, [](pl::Index i) { return pl::indices(i, 0); });
    return pl::pallas_call(kernel, {.grid = {4}, .in_specs = {rows}, .out_specs = {rows}, .out_shape = a[0].aval(),
                                    .scratch_shapes = {pl::VMEM({8, 128}, pl::f32), pl::SMEM({1}, pl::i32)}})(a[0]);
  }, {&x});
  EXPECT_THAT(Findings(run.report), IsEmpty());
  const std::vector<double> z = FirstColumn(run.outputs[0]);
  EXPECT_EQ(z[3], 1003);
  EXPECT_EQ(z[8 + 3], 2003 + 11);
  EXPECT_EQ(z[16 + 3], 3003 + 11 + 19);
  EXPECT_EQ(z[24 + 3], 4003 + 11 + 19 + 27);
}

TEST(Scratch, TooMuchIsRefused) {
  const HostArray x = Rows(8);
  const auto make = [&](std::int64_t rows) {
    return Trace({&x}, Single([&](const auto& a) {
      return pl::pallas_call([](pl::Ref x, pl::Ref z, pl::Ref) { z.store(x.load()); }, {.out_shape = a[0].aval(), .scratch_shapes = {pl::VMEM({rows, 128}, pl::f32)}})(a[0]);
    }));
  };
  const auto module = import::ImportModule(make(std::int64_t{1} << 25), 0);  // 16 GiB
  ASSERT_TRUE(module) << module.error().ToString();
  const auto program = sim::Program::Decode(*module->kernels[0]);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, core::ErrorCode::kUnsupported);
  EXPECT_THAT(program.error().message, HasSubstr("more than the simulator's limit"));
}

TEST(Alias, InputAndOutputShareMemoryAndTheCallersArrayIsLeftAlone) {
  const HostArray x = Rows(16), before = x.Clone();
  const KernelRun run = RunKernel([](const auto& a) {
    const auto kernel = [](pl::Ref x, pl::Ref z) {
      z.store(5.0f, {pl::ds(0, 1), pl::all});
      z.store(x.load({pl::ds(0, 1), pl::all}) + 1.0f, {pl::ds(1, 1), pl::all});  // sees the 5
    };
    return pl::pallas_call(kernel, {.out_shape = a[0].aval(), .input_output_aliases = {{0, 0}}})(a[0]);
  }, {&x});
  EXPECT_THAT(Findings(run.report), IsEmpty());
  const std::vector<double> z = FirstColumn(run.outputs[0]);
  EXPECT_EQ(z[0], 5);
  EXPECT_EQ(z[1], 6);
  EXPECT_EQ(z[2], 2);
  EXPECT_EQ(Values(x), Values(before));
}

TEST(Alias, AWindowReadsWhatAnEarlierProgramWroteBack) {
  const HostArray x = Rows(24);
  const KernelRun run = RunKernel([](const auto& a) {
    const pl::BlockSpec before({8, 128}, [](pl::Index i) { return pl::indices(pl::maximum(i - 2, 0), 0); });
    const pl::BlockSpec rows({8, 128}, [](pl::Index i) { return pl::indices(i, 0); });
    return pl::pallas_call([](pl::Ref x, pl::Ref z) { z.store(x.load() + 100.0f); },
                           {.grid = {3}, .in_specs = {before}, .out_specs = {rows}, .out_shape = a[0].aval(), .input_output_aliases = {{0, 0}}})(a[0]);
  }, {&x});
  const std::vector<double> z = FirstColumn(run.outputs[0]);
  EXPECT_EQ(z[0], 100);
  EXPECT_EQ(z[8], 100);   // the window of block 0 was not fetched again
  EXPECT_EQ(z[16], 100);
}

TEST(Limits, WorkStopsAnEndlessKernel) {
  const HostArray x = Rows(8);
  const Kernel kernel(Single([](const auto& a) {
    return pl::pallas_call([](pl::Ref x, pl::Ref z) {
      pl::fori_loop(0, INT32_MAX, [&](pl::Index) { z.store(x.load()); });
    }, {.out_shape = a[0].aval()})(a[0]);
  }), {&x});
  const auto run = kernel.TryRun({&x}, {.work_limit = 1'000'000});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, core::ErrorCode::kFailed);
  EXPECT_THAT(run.error().message, HasSubstr("more work than the limit allows"));
}

TEST(Limits, AnEmptyLoopAndAnEmptyGridPointCountAsWork) {
  const HostArray x = Rows(8);
  const Kernel loop(Single([](const auto& a) {
    return pl::pallas_call([](pl::Ref x, pl::Ref z) {
      const pl::Value n = pl::fori_loop(0, INT32_MAX, pl::program_id(0), [&](pl::Index, pl::Value v) { return v; });
      z.store(x.load() + n.astype(pl::f32));
    }, {.grid = {1}, .out_shape = a[0].aval()})(a[0]);
  }), {&x});
  EXPECT_FALSE(loop.TryRun({&x}, {.work_limit = 100'000}));
  const Kernel grid(Single([](const auto& a) {
    return pl::pallas_call([](pl::Ref, pl::Ref) {}, {.grid = {1 << 20, 1 << 10}, .out_shape = a[0].aval()})(a[0]);
  }), {&x});
  EXPECT_FALSE(grid.TryRun({&x}, {.work_limit = 100'000}));
}

TEST(Subnormals, AreKeptOrFlushedAsTheOptionSays) {
  const HostArray x = MakeArray(DType::kFloat32, {3}, [](std::int64_t i) { return std::vector<double>{1e-40, -1e-40, 2e-38}[static_cast<std::size_t>(i)]; });
  const SingleFunction half = [](const std::vector<pl::Array>& a) -> pl::Array {
    return pl::pallas_call([](pl::Ref x, pl::Ref z) { z.store(x.load() * 0.5f); }, {.out_shape = a[0].aval()})(a[0]);
  };
  const auto exact = [](double v) { return static_cast<double>(static_cast<float>(v) * 0.5f); };
  const std::vector<double> kept = Values(RunKernel(half, {&x}).outputs[0]);
  EXPECT_THAT(kept, ElementsAre(exact(1e-40), exact(-1e-40), exact(2e-38)));
  EXPECT_NE(kept[2], 0);
  EXPECT_THAT(Values(RunKernel(half, {&x}, {.subnormals = sim::Subnormals::kFlush}).outputs[0]), ElementsAre(0, 0, 0));
}

class SubnormalsInXla : public SimulatedTest {};

TEST_F(SubnormalsInXla, AreKeptThoughXlaFlushesItsOwn) {
  const HostArray x = MakeArray(DType::kFloat32, {1}, [](std::int64_t) { return 1e-40; });
  const Function half = Single([](const auto& a) {
    return pl::pallas_call([](pl::Ref x, pl::Ref z) { z.store(x.load() * 0.5f); }, {.out_shape = a[0].aval()})(a[0]);
  });
  EXPECT_EQ(Values(Simulate(half, {&x}).outputs[0])[0], static_cast<double>(1e-40f * 0.5f));
  EXPECT_EQ(Values(Simulate(half, {&x}, {.subnormals = sim::Subnormals::kFlush}).outputs[0])[0], 0);
}

TEST(Determinism, TenRunsGiveTheSameBytesAndFindings) {
  const HostArray x = Rows(20);
  const Kernel kernel(Single([](const auto& a) {
    const auto body = [](pl::Ref x, pl::Ref z, pl::Ref scratch) {
      pl::when(pl::program_id(0) % 2 == 1, [&] { scratch.store(x.load()); });
      z.store(scratch.load() + pl::sum(x.load(), 0, true));
    };
    const pl::BlockSpec rows({8, 128}, [](pl::Index i) { return pl::indices(i, 0); });
    return pl::pallas_call(body, {.grid = {4}, .in_specs = {rows}, .out_specs = {rows}, .out_shape = a[0].aval(), .scratch_shapes = {pl::VMEM({8, 128}, pl::f32)}})(a[0]);
  }), {&x});
  const KernelRun first = kernel.Run({&x});
  EXPECT_THAT(Findings(first.report), ::testing::SizeIs(::testing::Ge(3u)));
  for (int i = 0; i < 9; ++i) {
    std::vector<std::unique_ptr<std::byte[]>> noise;  // what is on the heap must not matter
    for (int k = 0; k < 8; ++k) std::memset((noise.emplace_back(new std::byte[1 << 14])).get(), 17 * i + k, 1 << 14);
    noise.clear();
    const KernelRun again = kernel.Run({&x});
    EXPECT_EQ(Bits(again.outputs[0]), Bits(first.outputs[0]));
    EXPECT_EQ(Findings(again.report), Findings(first.report));
  }
}

}  // namespace
}  // namespace kernel_audit::testing
