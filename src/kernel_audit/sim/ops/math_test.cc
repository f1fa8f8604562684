#include "kernel_audit/sim/ops/test_targets.h"
// The line above comes first: it chooses the instruction sets.
#include <cstdio>

#include "kernel_audit/sim/ops/elementwise.h"
#include "kernel_audit/sim/ops/test_oracle.h"

namespace kernel_audit::sim::ops {
namespace {

using Function = long double (*)(long double);

struct MathOp {
  OpCode code;
  Function truth;
};

const MathOp kMathOps[] = {{OpCode::kExp, [](long double x) { return std::exp(x); }},
                           {OpCode::kLog, [](long double x) { return std::log(x); }},
                           {OpCode::kTanh, [](long double x) { return std::tanh(x); }},
                           {OpCode::kSin, [](long double x) { return std::sin(x); }},
                           {OpCode::kRsqrt, [](long double x) { return 1 / std::sqrt(x); }}};

std::vector<float> EveryPattern(std::uint32_t step) {
  std::vector<float> values;
  for (std::uint64_t bits = 0; bits <= 0xffffffff; bits += step) {
    const std::uint32_t pattern = static_cast<std::uint32_t>(bits);
    values.push_back(oracle::FromBytes<float>(&pattern));
  }
  return values;
}

// Units in the last place of a float32 near `truth`; an infinity counts as the number after the largest.
double Ulps(float result, long double truth) {
  const long double magnitude = std::fabs(truth);
  if (magnitude == 0) return result == 0 ? 0 : INFINITY;
  if (std::isinf(result) && magnitude >= 0x1p128L) return std::signbit(result) == std::signbit(truth) ? 0 : INFINITY;
  const long double value = std::isinf(result) ? std::copysign(0x1p128L, static_cast<long double>(result)) : static_cast<long double>(result);
  const int exponent = magnitude < 0x1p-126L ? -126 : std::min(std::ilogb(magnitude), 127);
  return static_cast<double>(std::fabs(value - truth) / std::ldexp(1.0L, exponent - 23));
}

void ExpectAccurate(const MathOp& op, const std::vector<float>& x, double& worst) {
  std::vector<float> y(x.size());
  FindUnary(op.code, DType::kFloat32, DType::kFloat32)(y.data(), x.data(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double truth = op.truth(x[i]);
    if (std::isnan(truth)) {
      ASSERT_EQ(oracle::FromBytes<std::uint32_t>(&y[i]), 0x7fc00000u) << ir::Info(op.code).name << " of " << x[i];
      continue;
    }
    const double ulps = std::isinf(truth) ? (y[i] == truth ? 0 : INFINITY) : Ulps(y[i], truth);
    ASSERT_LE(ulps, 0.501) << ir::Info(op.code).name << " of " << x[i] << " gives " << y[i];
    worst = std::max(worst, ulps);
  }
}

TEST(Math, WithinHalfAUnitAndAThousandth) {
  const std::vector<float> x = EveryPattern(997);
  for (const MathOp& op : kMathOps) {
    double worst = 0;
    ExpectAccurate(op, x, worst);
    std::printf("%s: at most %.6f ulp over %zu arguments\n", ir::Info(op.code).name, worst, x.size());
  }
}

// Where reductions are hardest: neighbours of multiples of pi, of powers of two, of the ends of exp's and tanh's ranges.
TEST(Math, AccurateAroundHardArguments) {
  std::vector<float> x;
  const auto add_around = [&](double centre) {
    float value = static_cast<float>(centre);
    for (int i = 0; i < 4; ++i) value = std::nextafter(value, -INFINITY);
    for (int i = 0; i < 9; ++i, value = std::nextafter(value, INFINITY)) x.insert(x.end(), {value, -value});
  };
  for (int k = 1; k < 20000; ++k) add_around(k * 1.5707963267948966);
  for (int k = 0; k < 20000; ++k) add_around(0x1p20 + k * 3.141592653589793);
  for (int k = 20000; k < 333773; ++k) x.push_back(static_cast<float>(k * 3.141592653589793));
  // The float32 numbers nearest to multiples of pi, up to 2^20 and beyond.
  for (const float hard : {505.796417f, 1011.59283f, 9.42477798f, 105032.867f, 1.54583578e+29f, 4.39987692e+10f, 3.09167157e+29f, 9.27636677e+25f}) {
    add_around(static_cast<double>(hard));
  }
  for (int k = 1; k < 400; ++k) add_around(k * 0.34657359027997264);
  for (int k = -149; k < 128; ++k) add_around(std::ldexp(1.0, k));
  for (const double centre : {88.72283905206835, -103.97207708399179, -87.33654475055310, 9.010913, 1e-45, 3.4e38, 1.0}) add_around(centre);
  for (const MathOp& op : kMathOps) {
    double worst = 0;
    ExpectAccurate(op, x, worst);
    std::printf("%s: at most %.6f ulp over %zu hard arguments\n", ir::Info(op.code).name, worst, x.size());
  }
}

TEST(Math, SameBytesOnEveryTargetAndInPlace) {
  const std::vector<float> x = EveryPattern(3989);
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
    const std::size_t n = x.size() * sizeof(float) / core::ByteSize(dtype);
    for (const MathOp& op : kMathOps) {
      SCOPED_TRACE(ir::Info(op.code).name);
      std::vector<float> first;
      ForEachTarget([&] {
        std::vector<float> y(x.size()), in_place = x;
        FindUnary(op.code, dtype, dtype)(y.data(), x.data(), n);
        FindUnary(op.code, dtype, dtype)(in_place.data(), in_place.data(), n);
        if (first.empty()) first = y;
        ASSERT_EQ(std::memcmp(first.data(), y.data(), n * core::ByteSize(dtype)), 0);
        ASSERT_EQ(std::memcmp(in_place.data(), y.data(), n * core::ByteSize(dtype)), 0);
      });
    }
  }
}

TEST(Math, BFloat16IsFloat32RoundedOnce) {
  std::vector<std::uint16_t> x(65536), y(65536);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint16_t>(i);
  for (const MathOp& op : kMathOps) {
    SCOPED_TRACE(ir::Info(op.code).name);
    FindUnary(op.code, DType::kBFloat16, DType::kBFloat16)(y.data(), x.data(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float wide = oracle::FromBFloat16(x[i]);
      float result = 0;
      FindUnary(op.code, DType::kFloat32, DType::kFloat32)(&result, &wide, 1);
      ASSERT_EQ(y[i], oracle::ToBFloat16(result)) << i;
    }
  }
}

TEST(Math, SpecialValues) {
  const auto value_of = [](OpCode code, float x) {
    FindUnary(code, DType::kFloat32, DType::kFloat32)(&x, &x, 1);
    return x;
  };
  const auto expect_zero = [](float value, bool negative) { EXPECT_TRUE(value == 0 && std::signbit(value) == negative) << value; };
  ForEachTarget([&] {
    expect_zero(value_of(OpCode::kExp, -INFINITY), false);
    EXPECT_EQ(value_of(OpCode::kExp, INFINITY), INFINITY);
    EXPECT_EQ(value_of(OpCode::kExp, 0), 1);
    EXPECT_EQ(value_of(OpCode::kExp, -103), 1.40129846e-45f);
    EXPECT_EQ(value_of(OpCode::kLog, 0), -INFINITY);
    EXPECT_EQ(value_of(OpCode::kLog, -0.0f), -INFINITY);
    EXPECT_EQ(value_of(OpCode::kLog, INFINITY), INFINITY);
    expect_zero(value_of(OpCode::kLog, 1), false);
    EXPECT_TRUE(std::isnan(value_of(OpCode::kLog, -1)));
    EXPECT_EQ(value_of(OpCode::kTanh, INFINITY), 1);
    EXPECT_EQ(value_of(OpCode::kTanh, -INFINITY), -1);
    expect_zero(value_of(OpCode::kTanh, -0.0f), true);
    EXPECT_TRUE(std::isnan(value_of(OpCode::kSin, INFINITY)));
    expect_zero(value_of(OpCode::kSin, -0.0f), true);
    EXPECT_EQ(value_of(OpCode::kRsqrt, 0), INFINITY);
    EXPECT_EQ(value_of(OpCode::kRsqrt, -0.0f), -INFINITY);
    expect_zero(value_of(OpCode::kRsqrt, INFINITY), false);
    EXPECT_TRUE(std::isnan(value_of(OpCode::kRsqrt, -1)));
    for (const MathOp& op : kMathOps) EXPECT_TRUE(std::isnan(value_of(op.code, NAN))) << ir::Info(op.code).name;
  });
}

}  // namespace
}  // namespace kernel_audit::sim::ops
