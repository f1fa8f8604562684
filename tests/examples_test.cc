// The examples against oracles in double precision that share nothing with them. Tolerances are in units in the last place (ulps) of the
// result's dtype, for errors that the result's own rounding doesn't explain.
#include <cmath>
#include <limits>

#include "examples/column_sum.cpp"
#include "examples/masked_max.cpp"
#include "examples/matmul.cpp"
#include "examples/softmax.cpp"
#include "simulate.h"

namespace kernel_audit::testing {
namespace {

class ExamplesTest : public SimulatedTest {};

const std::vector<DType> kDTypes = {DType::kFloat32, DType::kBFloat16};

// Numbers with a full mantissa between -3 and 3.
double Irregular(std::int64_t i) { return 3 * std::sin(12.9898 * static_cast<double>(i + 1) + 0.37); }

HostArray Matrix(DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t seed = 0) {
  return MakeArray(dtype, {rows, columns}, [seed](std::int64_t i) { return Irregular(i + seed); });
}

// The largest distance of an output from what the oracle says, in ulps of the output's dtype; an oracle's value that is closer to zero
// than `floor` counts as that large (sums that cancel have the errors of their terms).
void ExpectClose(const HostArray& got, const std::vector<double>& want, double ulps, double floor, const std::string& what) {
  const std::vector<double> values = Values(got);
  ASSERT_EQ(values.size(), want.size()) << what;
  const double relative = got.dtype() == DType::kBFloat16 ? std::ldexp(1.0, -7) : std::ldexp(1.0, -23);
  double worst = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    ASSERT_FALSE(std::isnan(values[i]) != std::isnan(want[i])) << what << ", element " << i << ": " << values[i] << " instead of " << want[i];
    if (std::isnan(want[i]) || values[i] == want[i]) continue;
    const double ulp = std::ldexp(relative, std::ilogb(std::max(std::abs(want[i]), floor)));
    worst = std::max(worst, std::abs(values[i] - want[i]) / ulp);
  }
  EXPECT_LE(worst, ulps) << what;
}

std::string What(DType dtype, const Shape& shape, const Shape& block) {
  return std::string(core::Name(dtype)) + " " + core::ToString(shape) + " in blocks of " + core::ToString(block);
}

struct MatmulCase {
  std::int64_t m, k, n;
  Shape tile;
};

TEST_F(ExamplesTest, MatmulAddsUpInFloat32) {
  const std::vector<MatmulCase> cases = {
      {16, 32, 16, {8, 16, 16}}, {1, 1, 1, {8, 128, 128}}, {17, 100, 33, {8, 16, 32}}, {64, 256, 128, {64, 128, 64}}, {40, 7, 300, {16, 128, 8}}};
  for (DType dtype : kDTypes) {
    for (const MatmulCase& c : cases) {
      const HostArray x = Matrix(dtype, c.m, c.k), y = Matrix(dtype, c.k, c.n, 1000);
      const std::string what = What(dtype, {c.m, c.k, c.n}, c.tile);
      const Outcome outcome = Simulate(Single([&](const auto& a) { return matmul(a[0], a[1], pl::Block(c.tile)); }), {&x, &y});
      EXPECT_THAT(Findings(outcome), ::testing::IsEmpty()) << what;
      ASSERT_EQ(outcome.outputs[0].dtype(), DType::kFloat32);
      const std::vector<double> a = Values(x), b = Values(y);
      std::vector<double> want(static_cast<std::size_t>(c.m * c.n));
      double largest = 0;
      for (std::int64_t i = 0; i < c.m; ++i) {
        for (std::int64_t j = 0; j < c.n; ++j) {
          double sum = 0, magnitude = 0;
          for (std::int64_t k = 0; k < c.k; ++k) {
            const double term = a[static_cast<std::size_t>(i * c.k + k)] * b[static_cast<std::size_t>(k * c.n + j)];
            sum += term;
            magnitude += std::abs(term);
          }
          want[static_cast<std::size_t>(i * c.n + j)] = sum;
          largest = std::max(largest, magnitude);
        }
      }
      // Rounding a sum of k terms, each below the sum of magnitudes: sqrt(k) roundings at that size in the mean.
      ExpectClose(outcome.outputs[0], want, 1 + std::sqrt(static_cast<double>(c.k)), largest, what);
    }
  }
}

TEST_F(ExamplesTest, SoftmaxOfRows) {
  for (DType dtype : kDTypes) {
    for (const auto& [shape, rows] : std::vector<std::pair<Shape, std::int64_t>>{{{8, 128}, 8}, {{1, 1}, 8}, {{17, 257}, 8}, {{5, 300}, 16}, {{33, 7}, 16}}) {
      const HostArray x = Matrix(dtype, shape[0], shape[1]);
      const std::string what = What(dtype, shape, {rows});
      const Outcome outcome = Simulate(Single([rows = rows](const auto& a) { return softmax(a[0], rows); }), {&x});
      EXPECT_THAT(Findings(outcome), ::testing::IsEmpty()) << what;
      std::vector<double> want = Values(x);
      for (std::int64_t i = 0; i < shape[0]; ++i) {
        double* row = want.data() + i * shape[1];
        double sum = 0;
        for (std::int64_t j = 0; j < shape[1]; ++j) sum += row[j] = std::exp(row[j]);
        for (std::int64_t j = 0; j < shape[1]; ++j) row[j] /= sum;
      }
      // float32: the difference from the maximum (below 6) carries 2 ulps into the exponential, which adds 1, the sum 2, the quotient 1.
      // bfloat16: the one rounding at the end, and the errors before it in a tie.
      ExpectClose(outcome.outputs[0], want, dtype == DType::kFloat32 ? 8 : 0.51, std::ldexp(1.0, -126), what);
    }
  }
}

TEST_F(ExamplesTest, SoftmaxOfLargeValuesDoesNotOverflow) {
  const HostArray x = Floats({2, 3}, [](std::int64_t i) { return std::vector<double>{1000, 1000, 1000, -1000, 0, 1000}[static_cast<std::size_t>(i)]; });
  const Outcome outcome = Simulate(Single([](const auto& a) { return softmax(a[0], 8); }), {&x});
  ExpectClose(outcome.outputs[0], {1 / 3.0, 1 / 3.0, 1 / 3.0, 0, 0, 1}, 1, 1, "large values");
}

TEST_F(ExamplesTest, MaskedMaxIsExact) {
  const std::vector<std::pair<Shape, Shape>> cases = {{{8, 128}, {8, 128}}, {{1, 1}, {8, 128}}, {{17, 257}, {8, 128}}, {{17, 257}, {16, 256}}, {{9, 300}, {8, 128}}};
  for (DType dtype : kDTypes) {
    for (const auto& [shape, block] : cases) {
      HostArray x = MakeArray(dtype, shape, [](std::int64_t i) { return -4 + Irregular(i); });  // negative: a zero from the padding would win
      const std::string what = What(dtype, shape, block);
      const Outcome outcome = Simulate(Single([block = block](const auto& a) { return masked_max(a[0], pl::Block(block)); }), {&x});
      EXPECT_THAT(Findings(outcome), ::testing::IsEmpty()) << what;
      const std::vector<double> values = Values(x);
      std::vector<double> want;
      for (std::int64_t i = 0; i < shape[0]; ++i) want.push_back(*std::max_element(values.begin() + i * shape[1], values.begin() + (i + 1) * shape[1]));
      EXPECT_EQ(Values(outcome.outputs[0]), want) << what;
    }
  }
}

TEST_F(ExamplesTest, MaskedMaxKeepsNanAndMinusInfinity) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const HostArray x = Floats({3, 130}, [&](std::int64_t i) { return i == 129 ? nan : i / 130 == 1 ? -infinity : -1.0; });
  const Outcome outcome = Simulate(Single([](const auto& a) { return masked_max(a[0], {8, 128}); }), {&x});
  ExpectClose(outcome.outputs[0], {nan, -infinity, -1}, 0, 1, "special values");
}

TEST_F(ExamplesTest, ColumnSumRoundsOnce) {
  const std::vector<std::pair<Shape, Shape>> cases = {{{8, 128}, {8, 128}}, {{1, 1}, {8, 128}}, {{17, 257}, {8, 128}}, {{130, 129}, {16, 256}}, {{512, 3}, {8, 128}}};
  for (DType dtype : kDTypes) {
    for (const auto& [shape, block] : cases) {
      const HostArray x = MakeArray(dtype, shape, [](std::int64_t i) { return 4 + Irregular(i); });
      const std::string what = What(dtype, shape, block);
      const Outcome outcome = Simulate(Single([block = block](const auto& a) { return column_sum(a[0], pl::Block(block)); }), {&x});
      EXPECT_THAT(Findings(outcome), ::testing::IsEmpty()) << what;
      const std::vector<double> values = Values(x);
      std::vector<double> want(static_cast<std::size_t>(shape[1]), 0);
      for (std::size_t i = 0; i < values.size(); ++i) want[i % want.size()] += values[i];
      // float32: a rounding a program, and those of the 16 partial sums. bfloat16: one rounding; sums in bfloat16 would be tens of ulps off.
      const double float32 = 4 + std::sqrt(static_cast<double>(shape[0]));
      ExpectClose(outcome.outputs[0], want, dtype == DType::kFloat32 ? float32 : 0.51, 1, what);
    }
  }
}

TEST_F(ExamplesTest, TheOutputBlocksHaveTheOwnersThatTheGridSays) {
  const HostArray x = Matrix(DType::kFloat32, 17, 257), y = Matrix(DType::kFloat32, 257, 33);
  const Outcome outcome = Simulate(Single([](const auto& a) { return matmul(a[0], a[1], {8, 32, 128}); }), {&x, &y});
  const sim::Report& report = outcome.kernels.at(0);
  EXPECT_EQ(report.grid, (Shape{3, 2, 3}));
  EXPECT_EQ(report.programs, 18);
  EXPECT_EQ(report.ownership.at(0).owner, (std::vector<std::int32_t>{2, 5, 8, 11, 14, 17}));  // the last depth step of each tile
  // x's block changes with every step, y's too; an output block is written once a tile.
  EXPECT_EQ(report.traffic.at(0).fetches, 18);
  EXPECT_EQ(report.traffic.at(1).fetches, 18);
  EXPECT_EQ(report.traffic.at(2).write_backs, 6);
}

}  // namespace
}  // namespace kernel_audit::testing
