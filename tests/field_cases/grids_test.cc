// Cases from the field, group A: grids, index maps, tails. A kernel with a wrong grid or index map must give the finding that is named.
#include <cmath>

#include "field_cases/field_cases.h"
#include "field_cases/prefetch_module.h"

namespace kernel_audit::testing {
namespace {

TEST_F(FieldCase, C01IndexMapReturnsElementOffsets) {
  const HostArray x = Floats({1, 512}, [](std::int64_t j) { return j + 1; });
  const auto offsets = pl::BlockSpec({1, 128}, [](pl::Index i, pl::Index j) { return pl::indices(i, 128 * j); });
  const auto run = [&](const pl::BlockSpec& spec) {
    return Simulate(Single([&](const auto& a) {
      return pl::pallas_call(Copy, {.grid = {1, 4}, .in_specs = {spec}, .out_specs = {spec}, .out_shape = a[0].aval()})(a[0]);
    }), {&x});
  };
  const auto message = [](const std::string& operand) {
    return "out_of_bounds of " + operand + " at (0, 1), 3 times: the index map of " + operand +
           " gives block (0, 128), elements [16384, 16512) of dimension 1, whose extent is 512";
  };
  EXPECT_THAT(Findings(run(offsets)), ElementsAre(message("input 0"), message("output 0"),
      "ownership of output 0: 384 of 512 elements of output 0 were never written, the first is (0, 128), the last (0, 511)"));
  const Outcome right = run(Tile({1, 128}));
  EXPECT_THAT(Findings(right), IsEmpty());
  EXPECT_EQ(Values(right.outputs[0]), Values(x));
}

TEST_F(FieldCase, C01IndexOneInAnAxisOfSizeOne) {
  const HostArray x = Floats({1, 16, 1, 256}, [](std::int64_t i) { return i; });
  const auto run = [&](int first) {
    const pl::Block block{1, 8, 1, 128};
    const pl::BlockSpec in(block, [first](pl::Index l, pl::Index j) { return pl::indices(first, l, 0, j); });
    const pl::BlockSpec out(block, [](pl::Index l, pl::Index j) { return pl::indices(0, l, 0, j); });
    return Simulate(Single([&](const auto& a) {
      return pl::pallas_call(Copy, {.grid = {2, 2}, .in_specs = {in}, .out_specs = {out}, .out_shape = a[0].aval()})(a[0]);
    }), {&x});
  };
  EXPECT_THAT(Findings(run(1)), ElementsAre("out_of_bounds of input 0 at (0, 0), 4 times: the index map of input 0 gives block (1, 0, 0, 0), "
                                            "elements [1, 2) of dimension 0, whose extent is 1"));
  const Outcome right = run(0);
  EXPECT_THAT(Findings(right), IsEmpty());
  EXPECT_EQ(Values(right.outputs[0]), Values(x));
}

TEST_F(FieldCase, C02FloorExactAndExcessiveGrids) {
  const HostArray x = Floats({100, 128}, [](std::int64_t i) { return i; });
  const auto run = [&](std::int64_t programs) {
    const pl::BlockSpec rows({8, 128}, [](pl::Index i) { return pl::indices(i, 0); });
    return Simulate(Single([&](const auto& a) {
      return pl::pallas_call(AddOne, {.grid = {programs}, .in_specs = {rows}, .out_specs = {rows}, .out_shape = a[0].aval()})(a[0]);
    }), {&x});
  };
  const Outcome floor = run(12);
  EXPECT_THAT(Findings(floor), ElementsAre("ownership of output 0: 512 of 12800 elements of output 0 were never written, the first is (96, 0), "
                                           "the last (99, 127)"));
  EXPECT_EQ(floor.kernels[0].ownership[0].unwritten_elements, 512);
  EXPECT_EQ(floor.kernels[0].ownership[0].first_unwritten, (Shape{96, 0}));
  EXPECT_TRUE(std::isnan(Values(floor.outputs[0]).back()));

  const Outcome exact = run(13);
  EXPECT_THAT(Findings(exact), IsEmpty());
  EXPECT_EQ(Crc(exact.outputs[0]), 0x4984d52cu);

  const auto message = [](const std::string& operand) {
    return "out_of_bounds of " + operand + " at (13,): the index map of " + operand +
           " gives block (13, 0), elements [104, 112) of dimension 0, whose extent is 100";
  };
  EXPECT_THAT(Findings(run(14)), ElementsAre(message("input 0"), message("output 0")));
}

TEST_F(FieldCase, C03GridAxesSwappedInTheIndexMap) {
  const pl::Block block{8, 128};
  const pl::BlockSpec swapped(block, [](pl::Index i, pl::Index j) { return pl::indices(j, i); });
  const auto run = [&](const HostArray& x, pl::Grid grid, const pl::BlockSpec& out) {
    return Simulate(Single([&](const auto& a) {
      return pl::pallas_call(Copy, {.grid = grid, .in_specs = {swapped}, .out_specs = {out}, .out_shape = a[0].aval()})(a[0]);
    }), {&x});
  };
  const HostArray wide = Floats({16, 512}, [](std::int64_t i) { return i; });
  const auto message = [](const std::string& operand) {
    return "out_of_bounds of " + operand + " at (0, 2), 4 times: the index map of " + operand +
           " gives block (2, 0), elements [16, 24) of dimension 0, whose extent is 16";
  };
  EXPECT_THAT(Findings(run(wide, {2, 4}, swapped)), ElementsAre(message("input 0"), message("output 0"),
      "ownership of output 0: 4096 of 8192 elements of output 0 were never written, the first is (0, 256), the last (15, 511)"));

  // All blocks exist, so that the values alone tell.
  const HostArray square = Floats({32, 512}, [](std::int64_t i) { return i; });
  const Outcome outcome = run(square, {4, 4}, Tile(block));
  EXPECT_THAT(Findings(outcome), IsEmpty());
  const std::vector<double> got = Values(outcome.outputs[0]), want = Values(square);
  EXPECT_EQ(CountDifferent(got, want), 12288u);
  for (std::size_t e = 0; e < got.size(); ++e) {
    const bool diagonal = e / 512 / 8 == e % 512 / 128;
    ASSERT_TRUE(!diagonal || got[e] == want[e]) << e;
  }
}

TEST_F(FieldCase, C04BlockIndexFromAnEmptySequence) {
  const std::string module = ClampedPrefetchModule();
  const HostArray x = Floats({32, 128}, [](std::int64_t i) { return i / 128 * 128; });  // a block's first element: its number x 1024
  const auto run = [&](int length) {
    const HostArray lengths = Ints({length});
    return SimulateModule(module, {&lengths, &x});
  };
  const auto block_starts = [](const Outcome& outcome) { return Every(Values(outcome.outputs[0]), 1024); };
  EXPECT_THAT(Findings(run(0)), ElementsAre("out_of_bounds of input 1 at (0,): the index map of input 1 gives block (-1, 0), "
                                            "elements [-8, 0) of dimension 0, whose extent is 32"));
  const Outcome ragged = run(9), full = run(32);
  EXPECT_THAT(Findings(ragged), IsEmpty());
  EXPECT_THAT(Findings(full), IsEmpty());
  EXPECT_THAT(block_starts(ragged), ElementsAre(0, 1024, 1024, 1024));
  EXPECT_THAT(block_starts(full), ElementsAre(0, 1024, 2048, 3072));
  EXPECT_EQ(ragged.kernels[0].traffic[0].fetches, 2);
}

TEST_F(FieldCase, C05DynamicWindowPastTheEnd) {
  const HostArray x = Floats({20, 128}, [](std::int64_t i) { return i / 128; });
  const auto run = [&](int start) {
    const HostArray starts = Ints({start});
    return Simulate(Single([&](const auto& a) {
      const auto kernel = [](pl::Ref s, pl::Ref x, pl::Ref z) { z.store(x.load({pl::ds(s.load({0}), 8), pl::all})); };
      return pl::pallas_call(kernel, {.in_specs = {pl::BlockSpec(pl::smem), pl::BlockSpec()}, .out_shape = pl::ShapeDtype{{8, 128}, pl::f32}})(a[0], a[1]);
    }), {&starts, &x});
  };
  const Outcome past = run(13);
  EXPECT_THAT(Findings(past), ElementsAre("out_of_bounds of input 1: vector.load touches elements [13, 21) of dimension 0 of input 1, whose extent is 20"));
  const std::vector<double> rows = Every(Values(past.outputs[0]), 128);
  EXPECT_THAT(std::vector<double>(rows.begin(), rows.begin() + 7), ElementsAre(13, 14, 15, 16, 17, 18, 19));  // never rows 12 to 19
  EXPECT_TRUE(std::isnan(rows[7]));
  const Outcome inside = run(12);
  EXPECT_THAT(Findings(inside), IsEmpty());
  EXPECT_THAT(Every(Values(inside.outputs[0]), 128), ElementsAre(12, 13, 14, 15, 16, 17, 18, 19));
}

TEST_F(FieldCase, C05TwoClampedSlicesAreNotMerged) {
  const HostArray buffer = Floats({10}, [](std::int64_t i) { return i; });
  const auto run = [&](int first, int second) {
    const HostArray starts = Ints({first, second});
    const Outcome outcome = Simulate(Single([&](const auto& a) {
      const auto kernel = [](pl::Ref s, pl::Ref x, pl::Ref z, pl::Ref part) {
        const auto clamp = [](const pl::Value& v, int most) { return pl::minimum(pl::maximum(v, 0), most); };
        part.store(x.load({pl::ds(clamp(s.load({0}), 6), 4)}));
        z.store(part.load({pl::ds(clamp(s.load({1}), 3), 1)}));
      };
      return pl::pallas_call(kernel, {.in_specs = {pl::BlockSpec(pl::smem), pl::BlockSpec()}, .out_shape = pl::ShapeDtype{{1}, pl::f32},
                                      .scratch_shapes = {pl::VMEM({4}, pl::f32)}})(a[0], a[1]);
    }), {&starts, &buffer});
    EXPECT_THAT(Findings(outcome), IsEmpty());
    return Values(outcome.outputs[0])[0];
  };
  EXPECT_EQ(run(9, 0), 6);
  EXPECT_EQ(run(3, 5), 6);
  EXPECT_EQ(run(6, 0), 6);
}

TEST_F(FieldCase, C05AStaticStartPastTheEndIsRefusedWhileTracing) {
  const HostArray x = Floats({64, 128}, [](std::int64_t) { return 0; });
  const auto trace = [&] {
    Trace({&x}, Single([](const auto& a) {
      const auto kernel = [](pl::Ref x, pl::Ref z) { z.store(x.load({pl::ds(60, 8), pl::all})); };
      return pl::pallas_call(kernel, {.out_shape = pl::ShapeDtype{{8, 128}, pl::f32}})(a[0]);
    }));
  };
  EXPECT_THROW(trace(), pl::TraceError);
}

TEST_F(FieldCase, C06AxpyWithTailsAndNoPadding) {
  const HostArray x = Floats({30, 250}, [](std::int64_t e) { return ((7 * (e / 250) + 3 * (e % 250)) % 64 - 32) / 8.0; });
  const HostArray y = Floats({30, 250}, [](std::int64_t e) { return ((5 * (e / 250) + 11 * (e % 250)) % 32 - 16) / 4.0; });
  const Outcome outcome = Simulate(Single([](const auto& a) {
    const pl::BlockSpec tile = Tile({8, 128});
    const auto kernel = [](pl::Ref x, pl::Ref y, pl::Ref z) { z.store(2.0f * x.load() + y.load()); };
    return pl::pallas_call(kernel, {.grid = {4, 2}, .in_specs = {tile, tile}, .out_specs = {tile}, .out_shape = a[0].aval()})(a[0], a[1]);
  }), {&x, &y});
  EXPECT_THAT(Findings(outcome), IsEmpty());
  EXPECT_EQ(Crc(outcome.outputs[0]), 0x63806985u);
  const std::vector<double> z = Values(outcome.outputs[0]);
  double sum = 0;
  for (double v : z) sum += v;
  EXPECT_EQ(sum, -1913);
  EXPECT_EQ(z.back(), 2.5);
  // Whole and partial blocks: what lies outside the arrays is never copied.
  EXPECT_EQ(outcome.kernels[0].traffic[0].fetched_bytes, 30 * 250 * 4);
  EXPECT_EQ(outcome.kernels[0].traffic[2].written_bytes, 30 * 250 * 4);
}

TEST_F(FieldCase, C06ArraysSmallerThanABlock) {
  for (const Shape& shape : {Shape{1, 2}, Shape{3, 300}, Shape{5, 7}}) {
    const HostArray x = Floats(shape, [](std::int64_t i) { return i; });
    const Outcome outcome = Simulate(Single([&](const auto& a) {
      const pl::Block block{8, 128};
      return pl::pallas_call(AddOne, {.grid = pl::ceil_grid(shape, block), .in_specs = {Tile(block)}, .out_specs = {Tile(block)}, .out_shape = a[0].aval()})(a[0]);
    }), {&x});
    EXPECT_THAT(Findings(outcome), IsEmpty());
    EXPECT_EQ(Values(outcome.outputs[0]), Values(Floats(shape, [](std::int64_t i) { return i + 1; }))) << core::ToString(shape);
  }
}

TEST_F(FieldCase, C06FusedScaleBiasRelu) {
  for (DType dtype : {DType::kFloat32, DType::kBFloat16}) {
    const HostArray x = MakeArray(dtype, {20, 200}, [](std::int64_t e) { return ((13 * (e / 200) + 7 * (e % 200)) % 97 - 48) / 16.0; });
    const HostArray b = MakeArray(dtype, {200}, [](std::int64_t j) { return ((29 * j) % 31 - 15) / 8.0; });
    const Outcome outcome = Simulate(Single([](const auto& a) {
      const pl::BlockSpec tile = Tile({8, 128}), bias({128}, [](pl::Index, pl::Index j) { return pl::indices(j); });
      const auto kernel = [](pl::Ref x, pl::Ref b, pl::Ref z) {
        z.store(pl::maximum(0.75f * x.load().astype(pl::f32) + b.load().astype(pl::f32), 0.0f).astype(z.dtype()));
      };
      return pl::pallas_call(kernel, {.grid = {3, 2}, .in_specs = {tile, bias}, .out_specs = {tile}, .out_shape = a[0].aval()})(a[0], a[1]);
    }), {&x, &b});
    EXPECT_THAT(Findings(outcome), IsEmpty());
    EXPECT_EQ(Crc(outcome.outputs[0]), dtype == DType::kFloat32 ? 0x5800edc0u : 0xf5ebc01eu);
    if (dtype == DType::kBFloat16) continue;
    int zeros = 0, negative = 0;
    double sum = 0;
    for (double v : Values(outcome.outputs[0])) {
      zeros += v == 0 ? 1 : 0;
      negative += std::signbit(v) ? 1 : 0;
      sum += v;
    }
    EXPECT_EQ(zeros, 2012);
    EXPECT_EQ(negative, 0);
    EXPECT_EQ(sum, 2858.4375);
  }
}

}  // namespace
}  // namespace kernel_audit::testing
