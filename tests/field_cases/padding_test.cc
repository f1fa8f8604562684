// Cases from the field, group B: reductions over padding.
#include <cmath>
#include <limits>

#include "field_cases/field_cases.h"

namespace kernel_audit::testing {
namespace {

constexpr float kLowest = -std::numeric_limits<float>::infinity();

enum class Filler { kNone, kNeutral, kZero };

// The rows of an (8, 300) matrix reduced in 3 blocks of 128 columns; the columns past the edge are replaced by the filler.
Outcome ReduceRows(const HostArray& x, bool sum, Filler filler) {
  return Simulate(Single([&](const auto& a) {
    const auto kernel = [=](pl::Ref x, pl::Ref z) {
      const float neutral = sum ? 0.0f : kLowest;
      pl::when(pl::program_id(0) == 0, [&] { z.store(neutral); });
      pl::Value v = x.load();
      const pl::Value column = pl::program_id(0) * 128 + pl::iota(x.shape(), 1);
      if (filler != Filler::kNone) v = pl::where(column < 300, v, filler == Filler::kZero ? 0.0f : neutral);
      z.store(sum ? z.load() + pl::sum(v, 1, true) : pl::maximum(z.load(), pl::max(v, 1, true)));
    };
    return pl::pallas_call(kernel, {.grid = {3}, .in_specs = {pl::BlockSpec({8, 128}, [](pl::Index j) { return pl::indices(0, j); })},
                                    .out_specs = {pl::BlockSpec({8, 1}, [](pl::Index) { return pl::indices(0, 0); })},
                                    .out_shape = pl::ShapeDtype{{8, 1}, pl::f32}})(a[0]);
  }), {&x});
}

const char* const kPoisoned =
    "uninitialized of the window of input 0 at (2,): 672 of the 1024 elements that vector.load reads from the window of input 0 lie past the "
    "array's edge, the first is (0, 44), and what was read becomes part of output 0";

TEST_F(FieldCase, C07PaddingEntersASum) {
  const HostArray x = Floats({8, 300}, [](std::int64_t e) { return e % 7 - 3; });
  const Outcome masked = ReduceRows(x, true, Filler::kNeutral);
  EXPECT_THAT(Findings(masked), IsEmpty());
  EXPECT_THAT(Values(masked.outputs[0]), ElementsAre(-3, -2, -1, 0, 1, 2, 3, -3));
  const Outcome naive = ReduceRows(x, true, Filler::kNone);
  EXPECT_THAT(Findings(naive), ElementsAre(kPoisoned));  // 84 columns of 8 rows
  for (double v : Values(naive.outputs[0])) EXPECT_TRUE(std::isnan(v));
}

TEST_F(FieldCase, C07PaddingEntersAMaximum) {
  const HostArray x = Floats({8, 300}, [](std::int64_t e) { return -(1 + (e / 300 + e % 300) % 5); });
  const Outcome masked = ReduceRows(x, false, Filler::kNeutral);
  EXPECT_THAT(Findings(masked), IsEmpty());
  EXPECT_THAT(Values(masked.outputs[0]), ::testing::Each(-1));
  EXPECT_THAT(Findings(ReduceRows(x, false, Filler::kNone)), ElementsAre(kPoisoned));
  // Zero is a value like any other: only the values tell.
  const Outcome zeros = ReduceRows(x, false, Filler::kZero);
  EXPECT_THAT(Findings(zeros), IsEmpty());
  EXPECT_THAT(Values(zeros.outputs[0]), ::testing::Each(0));
}

TEST_F(FieldCase, C07PaddingEntersASoftmax) {
  const HostArray x = Floats({1, 3}, [](std::int64_t j) { return std::vector<double>{-3, -1, -2}[static_cast<std::size_t>(j)]; });
  const auto run = [&](Filler filler) {
    return Simulate(Single([&](const auto& a) {
      const auto kernel = [=](pl::Ref x, pl::Ref z) {
        pl::Value v = x.load();
        if (filler != Filler::kNone) v = pl::where(pl::iota(x.shape(), 1) < 3, v, filler == Filler::kZero ? 0.0f : kLowest);
        const pl::Value e = pl::exp(v - pl::max(v, 1, true));
        z.store(e / pl::sum(e, 1, true));
      };
      const pl::BlockSpec block = Tile({1, 128});
      return pl::pallas_call(kernel, {.grid = {1, 1}, .in_specs = {block}, .out_specs = {block}, .out_shape = a[0].aval()})(a[0]);
    }), {&x});
  };
  const Outcome masked = run(Filler::kNeutral);
  EXPECT_THAT(Findings(masked), IsEmpty());
  const std::vector<double> right = Values(masked.outputs[0]);
  EXPECT_NEAR(right[0], 0.0900, 5e-5);
  EXPECT_NEAR(right[1], 0.6652, 5e-5);
  EXPECT_NEAR(right[2], 0.2447, 5e-5);
  EXPECT_THAT(Findings(run(Filler::kNone)),
              ElementsAre("uninitialized of the window of input 0 at (0, 0): 125 of the 128 elements that vector.load reads from the window of "
                          "input 0 lie past the array's edge, the first is (0, 3), and what was read becomes part of output 0"));
  const std::vector<double> zeros = Values(run(Filler::kZero).outputs[0]);
  EXPECT_NEAR(zeros[0], 0.0004, 5e-5);
  EXPECT_NEAR(zeros[1], 0.0029, 5e-5);
  EXPECT_NEAR(zeros[2], 0.0011, 5e-5);
}

TEST_F(FieldCase, C09RaggedSegmentPullsInTheNextOne) {
  const HostArray x = Floats({128, 128}, [](std::int64_t e) { return e % 11; });
  const auto run = [&](bool mask) {
    const HostArray length = Ints({35});
    return Simulate(Single([&](const auto& a) {
      const auto kernel = [=](pl::Ref n, pl::Ref x, pl::Ref z) {
        pl::Value v = x.load({pl::ds(0, 64), pl::all});
        if (mask) v = pl::where(pl::iota({64, 128}, 0) < n.load({0}), v, 0.0f);
        z.store(pl::sum(v, 0, true));
      };
      return pl::pallas_call(kernel, {.in_specs = {pl::BlockSpec(pl::smem), pl::BlockSpec()}, .out_shape = pl::ShapeDtype{{1, 128}, pl::f32}})(a[0], a[1]);
    }), {&length, &x});
  };
  const Outcome right = run(true), wrong = run(false);
  EXPECT_EQ(Values(right.outputs[0])[0], 172);
  EXPECT_THAT(Findings(right), IsEmpty());
  EXPECT_EQ(Values(wrong.outputs[0])[0], 318);  // 29 foreign rows, all in bounds and written: only the values tell
  EXPECT_THAT(Findings(wrong), IsEmpty());
}

}  // namespace
}  // namespace kernel_audit::testing
