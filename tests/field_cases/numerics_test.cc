// Cases from the field, group D: bfloat16 and numerics.
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include "field_cases/field_cases.h"

namespace kernel_audit::testing {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

// `body` on whole arrays of one shape.
Outcome Elementwise(const std::function<pl::Value(const std::vector<pl::Value>&)>& body, const std::vector<const HostArray*>& inputs, DType result,
                    const sim::RunOptions& options = {}) {
  return Simulate(Single([&](const std::vector<pl::Array>& a) {
    const auto kernel = [&](const std::vector<pl::Ref>& refs) {
      std::vector<pl::Value> values;
      for (std::size_t i = 0; i + 1 < refs.size(); ++i) values.push_back(refs[i].load());
      refs.back().store(body(values));
    };
    const pl::Array z = pl::pallas_call(kernel, {.out_shape = pl::ShapeDtype{a[0].shape(), result}}).Call(a);
    return z;
  }), inputs, options);
}

HostArray FromBits(const std::vector<std::uint32_t>& bits) {
  HostArray array({DType::kFloat32, {static_cast<std::int64_t>(bits.size())}});
  std::memcpy(array.data(), bits.data(), array.byte_size());
  return array;
}

HostArray FromValues(DType dtype, const std::vector<double>& values) {
  return MakeArray(dtype, {static_cast<std::int64_t>(values.size())}, [&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; });
}

TEST_F(FieldCase, C19Float32ToBFloat16Bits) {
  std::ifstream file(std::string(KA_SOURCE_DIR) + "/tests/data/cases_bf16_convert.csv");
  std::string line, field;
  std::getline(file, line);
  std::vector<std::uint32_t> from, want;
  while (std::getline(file, line)) {
    const std::size_t bits = line.find(",0x");
    std::istringstream rest(line.substr(bits + 1));
    std::getline(rest, field, ',');
    from.push_back(static_cast<std::uint32_t>(std::stoul(field, nullptr, 16)));
    std::getline(rest, field, ',');
    want.push_back(static_cast<std::uint32_t>(std::stoul(field, nullptr, 16)));
  }
  ASSERT_EQ(from.size(), 20u);
  const HostArray x = FromBits(from);
  EXPECT_EQ(Bits(Elementwise([](const auto& v) { return v[0].astype(pl::bf16); }, {&x}, pl::bf16).outputs[0]), want);
  // The host's conversion too.
  EXPECT_EQ(Bits(Simulate(Single([](const auto& a) { return a[0].astype(pl::bf16); }), {&x}).outputs[0]), want);
}

TEST_F(FieldCase, C19AnIntegerIsRoundedOnce) {
  const HostArray n = Ints({16973823, -16973823, 16973824, 1});
  const Outcome outcome = Elementwise([](const auto& v) { return v[0].astype(pl::bf16); }, {&n}, pl::bf16);
  EXPECT_THAT(Bits(outcome.outputs[0]), ElementsAre(0x4b81u, 0xcb81u, 0x4b82u, 0x3f80u));  // through float32 the first would be 4b82
}

TEST_F(FieldCase, C21NarrowThenWidenDoesNotVanish) {
  const HostArray x = FromValues(DType::kFloat32, {1 + std::ldexp(1, -9), 3.14159265358979, 1e-3, 1 + std::ldexp(1, -8)});
  const Outcome outcome = Elementwise([](const auto& v) { return v[0].astype(pl::bf16).astype(pl::f32); }, {&x}, pl::f32);
  EXPECT_THAT(Values(outcome.outputs[0]), ElementsAre(1, 3.140625, .00099945068359375, 1));
}

TEST_F(FieldCase, C21BFloat16ArithmeticRoundsEachOperation) {
  const HostArray x = FromValues(DType::kBFloat16, {4, 5, 6}), y = FromValues(DType::kBFloat16, {0, .001, .002});
  const Outcome outcome = Elementwise([](const auto& v) { return v[1] - ((v[0] + v[1]) - v[0]); }, {&x, &y}, pl::bf16);
  EXPECT_THAT(Values(outcome.outputs[0]), ElementsAre(0, .00099945068359375, .0019989013671875));
}

TEST_F(FieldCase, C22BFloat16Sums) {
  const HostArray ones = MakeArray(DType::kBFloat16, {512, 128}, [](std::int64_t) { return 1; });
  const Outcome outcome = Simulate([](const std::vector<pl::Array>& a) {
    const auto wide = [](pl::Ref x, pl::Ref z) { z.store(pl::sum(x.load().astype(pl::f32), 0, true)); };
    const auto running = [](pl::Ref x, pl::Ref z) {
      z.store(0.0f);
      pl::fori_loop(0, 512, [&](pl::Index i) { z.store(z.load() + x.load({pl::ds(i, 1), pl::all})); });
    };
    return std::vector<pl::Array>{pl::pallas_call(wide, {.out_shape = pl::ShapeDtype{{1, 128}, pl::f32}})(a[0]),
                                  pl::pallas_call(running, {.out_shape = pl::ShapeDtype{{1, 128}, pl::bf16}})(a[0])};
  }, {&ones});
  EXPECT_THAT(Values(outcome.outputs[0]), ::testing::Each(512));
  EXPECT_THAT(Values(outcome.outputs[1]), ::testing::Each(256));  // 256 + 1 is 256 in bfloat16
}

TEST_F(FieldCase, C22BFloat16Partials) {
  const HostArray x = Floats({3 * 7, 128}, [](std::int64_t) { return 37; });  // three tiles of 7 rows: 259 each
  const auto run = [&](DType partial) {
    return Values(Simulate(Single([&](const auto& a) {
      const auto kernel = [&](pl::Ref x, pl::Ref z) {
        pl::when(pl::program_id(0) == 0, [&] { z.store(0.0f); });
        z.store(z.load() + pl::sum(x.load(), 0, true).astype(partial).astype(pl::f32));
      };
      const pl::Array sum = pl::pallas_call(kernel, {.grid = {3}, .in_specs = {pl::BlockSpec({7, 128}, [](pl::Index i) { return pl::indices(i, 0); })},
                                                     .out_specs = {pl::BlockSpec({1, 128}, [](pl::Index) { return pl::indices(0, 0); })},
                                                     .out_shape = pl::ShapeDtype{{1, 128}, pl::f32}})(a[0]);
      return sum.astype(pl::bf16);
    }), {&x}).outputs[0])[0];
  };
  EXPECT_EQ(run(pl::f32), 776);
  EXPECT_EQ(run(pl::bf16), 780);
}

TEST_F(FieldCase, C22ColumnSumsOfAProduct) {
  const auto factor = [](int rows, int columns, int modulus, int middle) {
    return MakeArray(DType::kBFloat16, {2048, 8}, [=](std::int64_t e) { return ((rows * (e / 8) + columns * (e % 8)) % modulus - middle) / 64.0; });
  };
  const HostArray g = factor(37, 11, 257, 128), x = factor(53, 7, 251, 125);
  const Outcome outcome = Simulate(Single([](const auto& a) {
    const auto kernel = [](pl::Ref g, pl::Ref x, pl::Ref z) { z.store(pl::sum(g.load().astype(pl::f32) * x.load().astype(pl::f32), 0, true).astype(pl::bf16)); };
    return pl::pallas_call(kernel, {.out_shape = pl::ShapeDtype{{1, 8}, pl::bf16}})(a[0], a[1]);
  }), {&g, &x});
  EXPECT_THAT(Values(outcome.outputs[0]), ElementsAre(3.5, -15.3125, -3.703125, -3.171875, 19.75, -1.3203125, -10.25, -10.625));
}

TEST_F(FieldCase, C23ScaleAndBiasStayWide) {
  std::vector<double> steps;
  for (int k = -64; k <= 64; ++k) steps.push_back(k / 8.0);
  const HostArray h = FromValues(DType::kFloat32, steps);
  const auto run = [&](float scale, float bias, bool narrow) {
    const HostArray a = FromValues(DType::kFloat32, {scale, bias});
    return Simulate(Single([&](const auto& arrays) {
      const auto kernel = [&](pl::Ref h, pl::Ref a, pl::Ref z) {
        const auto constant = [&](int i) { return narrow ? a.load({i}).astype(pl::bf16).astype(pl::f32) : a.load({i}); };
        z.store((1.0f / (1.0f + pl::exp(-(constant(0) * h.load() + constant(1))))).astype(pl::bf16));
      };
      return pl::pallas_call(kernel, {.in_specs = {pl::BlockSpec(), pl::BlockSpec(pl::smem)}, .out_shape = pl::ShapeDtype{{129}, pl::bf16}})(arrays[0], arrays[1]);
    }), {&h, &a});
  };
  const auto compare = [&](float scale, float bias) {
    const std::vector<double> wide = Values(run(scale, bias, false).outputs[0]), narrow = Values(run(scale, bias, true).outputs[0]);
    std::int64_t most = 0;
    for (std::size_t i = 0; i < wide.size(); ++i) {
      const double right = 1 / (1 + std::exp(-(static_cast<double>(scale) * steps[i] + static_cast<double>(bias))));
      EXPECT_LE(UlpsApart(static_cast<float>(wide[i]), core::BFloat16ToFloat(core::FloatToBFloat16(static_cast<float>(right))), DType::kBFloat16), 1);
      most = std::max(most, UlpsApart(static_cast<float>(wide[i]), static_cast<float>(narrow[i]), DType::kBFloat16));
    }
    return std::pair<std::size_t, std::int64_t>(CountDifferent(wide, narrow), most);
  };
  EXPECT_EQ(compare(1.7f, 0.01f), (std::pair<std::size_t, std::int64_t>(55, 6)));
  EXPECT_EQ(compare(0.1f, 0.3f), (std::pair<std::size_t, std::int64_t>(6, 1)));
  EXPECT_NEAR(Values(run(1.7f, 0.01f, false).outputs[0])[2], 1.92225e-6, 5e-12);  // h = -7.75
  EXPECT_NEAR(Values(run(1.7f, 0.01f, true).outputs[0])[2], 1.87010e-6, 5e-12);
}

TEST_F(FieldCase, C25SummationOrderNeedsATolerance) {
  const HostArray x = MakeArray(DType::kBFloat16, {256, 512}, [](std::int64_t k) {
    return 4 * static_cast<double>(static_cast<std::uint32_t>(k) * 2654435761u) / 4294967296.0 - 2;
  });
  const Outcome outcome = Simulate(Single([](const auto& a) {
    const auto kernel = [](pl::Ref x, pl::Ref z) {
      const pl::Value v = x.load().astype(pl::f32);
      z.store((v * pl::rsqrt(pl::sum(v * v, 1, true) * (1.0f / 512) + 1e-6f)).astype(pl::bf16));
    };
    const pl::BlockSpec rows({8, 512}, [](pl::Index i) { return pl::indices(i, 0); });
    return pl::pallas_call(kernel, {.grid = {32}, .in_specs = {rows}, .out_specs = {rows}, .out_shape = a[0].aval()})(a[0]);
  }), {&x});
  const std::vector<double> values = Values(x), got = Values(outcome.outputs[0]);
  int different_sums = 0, different_outputs = 0;
  for (std::size_t row = 0; row < 256; ++row) {
    float sequential = 0;
    std::vector<float> lanes(128, 0);
    for (std::size_t c = 0; c < 512; ++c) {
      const auto v = static_cast<float>(values[row * 512 + c]);
      sequential += v * v;
      lanes[c % 128] += v * v;
    }
    for (std::size_t half = 64; half > 0; half /= 2) {
      for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
    }
    different_sums += sequential != lanes[0] ? 1 : 0;
    for (std::size_t c = 0; c < 512; ++c) {
      const auto normalised = [&](float sum) {
        return core::BFloat16ToFloat(core::FloatToBFloat16(static_cast<float>(values[row * 512 + c]) * (1 / std::sqrt(sum / 512 + 1e-6f))));
      };
      const float a = normalised(sequential), b = normalised(lanes[0]);
      different_outputs += a != b ? 1 : 0;
      const auto z = static_cast<float>(got[row * 512 + c]);
      ASSERT_LE(UlpsApart(z, a, DType::kBFloat16), 1) << row << ", " << c;
      ASSERT_LE(UlpsApart(z, b, DType::kBFloat16), 1) << row << ", " << c;
    }
  }
  // Two right orders disagree: bit equality with either would refuse right kernels.
  EXPECT_GT(different_sums, 200);
  EXPECT_GT(different_outputs, 0);
}

TEST_F(FieldCase, C26ReluOfSpecialValues) {
  for (DType dtype : {DType::kFloat32, DType::kBFloat16}) {
    const HostArray x = FromValues(dtype, {kNan, kInfinity, -kInfinity, 1.25, -.5, -0.0, 0, 1e-40, -1e-40});
    const double subnormal = Values(x)[7];
    ASSERT_NE(subnormal, 0);
    for (bool zero_first : {false, true}) {
      for (sim::Subnormals policy : {sim::Subnormals::kKeep, sim::Subnormals::kFlush}) {
        const Outcome outcome = Elementwise([&](const auto& v) { return zero_first ? pl::maximum(0.0f, v[0]) : pl::maximum(v[0], 0.0f); }, {&x}, dtype,
                                            {.subnormals = policy});
        const std::vector<double> got = Values(outcome.outputs[0]);
        EXPECT_TRUE(std::isnan(got[0]));
        const double kept = policy == sim::Subnormals::kKeep ? subnormal : got[7] == 0 ? 0 : subnormal;  // a maximum may pass what it does not compute
        EXPECT_EQ(std::vector<double>(got.begin() + 1, got.end()), (std::vector<double>{kInfinity, 0, 1.25, 0, 0, 0, kept, 0}));
      }
    }
  }
}

TEST_F(FieldCase, C26NanSurvivesAtEveryPositionAndLength) {
  std::vector<std::int64_t> lengths = {127, 128, 129, 1023, 1024, 1025};
  for (std::int64_t n = 1; n < 40; ++n) lengths.push_back(n);
  for (DType dtype : {DType::kFloat32, DType::kBFloat16}) {
    for (std::int64_t n : lengths) {
      const HostArray x = MakeArray(dtype, {n}, [](std::int64_t) { return kNan; });
      const Kernel kernel(Single([&](const auto& a) {
        return pl::pallas_call([](pl::Ref x, pl::Ref z) { z.store(pl::maximum(x.load(), 0.0f)); }, {.out_shape = a[0].aval()})(a[0]);
      }), {&x});
      const KernelRun run = kernel.Run({&x});
      for (double v : Values(run.outputs[0])) ASSERT_TRUE(std::isnan(v)) << n;
    }
  }
}

TEST_F(FieldCase, C27TheSignOfAMaximumOfZerosDoesNotVaryWithLength) {
  for (bool positive_first : {false, true}) {
    std::vector<std::uint32_t> seen;
    for (std::int64_t n : {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, 128, 131, 1000}) {
      const HostArray x = Floats({n}, [&](std::int64_t) { return positive_first ? 0.0 : -0.0; }), y = Floats({n}, [&](std::int64_t) { return positive_first ? -0.0 : 0.0; });
      for (std::uint32_t bits : Bits(Elementwise([](const auto& v) { return pl::maximum(v[0], v[1]); }, {&x, &y}, pl::f32).outputs[0])) seen.push_back(bits);
    }
    EXPECT_EQ(seen.front() & 0x7fffffffu, 0u);
    EXPECT_THAT(seen, ::testing::Each(seen.front()));
  }
}

TEST_F(FieldCase, C27AMaximumOverNegativeZerosIsAZero) {
  for (std::int64_t n : {131, 8192, 8193}) {
    const HostArray x = Floats({1, n}, [](std::int64_t) { return -0.0; });
    const Outcome outcome = Simulate(Single([](const auto& a) {
      return pl::pallas_call([](pl::Ref x, pl::Ref z) { z.store(pl::max(x.load(), 1, true)); }, {.out_shape = pl::ShapeDtype{{1, 1}, pl::f32}})(a[0]);
    }), {&x});
    EXPECT_EQ(Values(outcome.outputs[0])[0], 0) << n;
  }
}

}  // namespace
}  // namespace kernel_audit::testing
