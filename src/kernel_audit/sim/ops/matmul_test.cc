#include "kernel_audit/sim/ops/matmul.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "kernel_audit/core/bfloat16.h"

namespace kernel_audit::sim::ops {
namespace {

using core::ErrorCode;
using Bytes = std::vector<std::uint8_t>;
using ir::DotDimensionNumbers;

struct Case {
  MatmulShapes shapes;
  DotDimensionNumbers dims;
  bool transpose_lhs = false, transpose_rhs = false;
};

// Numbers between -1 and 1, integers of their type's range.
Bytes Random(DType dtype, const Shape& shape, unsigned seed) {
  std::mt19937 random(seed);
  const std::size_t count = static_cast<std::size_t>(core::NumElements(shape)), size = core::ByteSize(dtype);
  Bytes bytes(count * size);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t draw = static_cast<std::uint32_t>(random());
    const float value = static_cast<float>(static_cast<double>(draw) / 0x1p31 - 1);
    const std::uint16_t narrow = core::FloatToBFloat16(value);
    const void* element = dtype == DType::kFloat32 ? static_cast<const void*>(&value) : dtype == DType::kBFloat16 ? &narrow : static_cast<const void*>(&draw);
    std::memcpy(&bytes[i * size], element, size);
  }
  return bytes;
}

double Get(DType dtype, const Bytes& bytes, std::size_t i) {
  const std::uint8_t* at = &bytes[i * core::ByteSize(dtype)];
  const auto read = [&](auto value) {
    std::memcpy(&value, at, sizeof(value));
    return value;
  };
  switch (dtype) {
    case DType::kFloat32: return static_cast<double>(read(0.0f));
    case DType::kBFloat16: return static_cast<double>(core::BFloat16ToFloat(read(std::uint16_t{})));
    case DType::kInt8: return read(std::int8_t{});
    case DType::kInt16: return read(std::int16_t{});
    default: return read(std::int32_t{});
  }
}

// An operand's element by the index of each of its dimensions as dimension numbers count them.
double At(DType dtype, const Bytes& bytes, Shape shape, std::vector<std::int64_t> index, bool transposed) {
  if (transposed) std::swap(index[index.size() - 1], index[index.size() - 2]);
  std::size_t flat = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) flat = flat * static_cast<std::size_t>(shape[i]) + static_cast<std::size_t>(index[i]);
  return Get(dtype, bytes, flat);
}

struct Truth {
  double value;      // the exact sum, nearly
  double magnitude;  // the sum of its terms' magnitudes
};

// From the definition: every result element by every contracting index, through the output order.
std::vector<Truth> Oracle(const Case& c, DType lhs_type, DType rhs_type, DType acc_type, const Bytes& lhs, const Bytes& rhs, const Bytes& acc) {
  const std::size_t count = static_cast<std::size_t>(core::NumElements(c.shapes.acc));
  std::vector<Truth> result(count);
  const auto shape_of = [](Shape shape, bool transposed) {
    if (transposed) std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    return shape;
  };
  const std::int64_t k = shape_of(c.shapes.lhs, c.transpose_lhs)[static_cast<std::size_t>(c.dims.lhs_contracting[0])];
  for (std::size_t flat = 0; flat < count; ++flat) {
    std::vector<std::int64_t> left(c.shapes.lhs.size()), right(c.shapes.rhs.size());
    std::size_t rest = flat;
    for (std::size_t i = c.shapes.acc.size(); i-- > 0;) {
      const std::int64_t index = static_cast<std::int64_t>(rest) % c.shapes.acc[i];
      rest /= static_cast<std::size_t>(c.shapes.acc[i]);
      const std::int64_t dimension = c.dims.output_order[2 * i + 1];
      (c.dims.output_order[2 * i] == 0 ? left : right)[static_cast<std::size_t>(dimension)] = index;
      for (std::size_t b = 0; b < c.dims.lhs_batch.size(); ++b) {
        if (c.dims.output_order[2 * i] == 0 && c.dims.lhs_batch[b] == dimension) right[static_cast<std::size_t>(c.dims.rhs_batch[b])] = index;
      }
    }
    Truth truth{Get(acc_type, acc, flat), std::fabs(Get(acc_type, acc, flat))};
    for (std::int64_t i = 0; i < k; ++i) {
      left[static_cast<std::size_t>(c.dims.lhs_contracting[0])] = i;
      right[static_cast<std::size_t>(c.dims.rhs_contracting[0])] = i;
      const double term = At(lhs_type, lhs, c.shapes.lhs, left, c.transpose_lhs) * At(rhs_type, rhs, c.shapes.rhs, right, c.transpose_rhs);
      truth.value += term;
      truth.magnitude += std::fabs(term);
    }
    result[flat] = truth;
  }
  return result;
}

Bytes Product(const Case& c, DType lhs_type, DType rhs_type, DType acc_type, const Bytes& lhs, const Bytes& rhs, const Bytes& acc) {
  auto plan = MatmulPlan::Make(c.shapes, lhs_type, rhs_type, acc_type, c.dims, c.transpose_lhs, c.transpose_rhs);
  if (!plan) {
    ADD_FAILURE() << plan.error().ToString();
    return acc;
  }
  Bytes result(acc.size()), again = acc;
  plan->Run(result.data(), lhs.data(), rhs.data(), acc.data());
  plan->Run(again.data(), lhs.data(), rhs.data(), again.data());
  EXPECT_EQ(result, again);
  const Bytes zeros(acc.size(), 0);
  Bytes added(acc.size()), alone(acc.size(), 0xff);
  plan->Run(added.data(), lhs.data(), rhs.data(), zeros.data());
  plan->Run(alone.data(), lhs.data(), rhs.data(), nullptr);
  EXPECT_EQ(added, alone);
  return result;
}

void ExpectProduct(const Case& c, DType lhs_type, DType rhs_type, DType acc_type) {
  SCOPED_TRACE(core::ToString(c.shapes.lhs) + " " + core::ToString(c.shapes.rhs) + " " + std::string(core::Name(lhs_type)));
  const Bytes lhs = Random(lhs_type, c.shapes.lhs, 1), rhs = Random(rhs_type, c.shapes.rhs, 2), acc = Random(acc_type, c.shapes.acc, 3);
  const Bytes result = Product(c, lhs_type, rhs_type, acc_type, lhs, rhs, acc);
  const std::vector<Truth> truth = Oracle(c, lhs_type, rhs_type, acc_type, lhs, rhs, acc);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double got = Get(acc_type, result, i);
    if (acc_type == DType::kFloat32) {
      ASSERT_LE(std::fabs(got - truth[i].value), 1e-5 * truth[i].magnitude) << i;
    } else {
      const double wrapped = truth[i].value - std::floor((truth[i].value + 0x1p31) / 0x1p32) * 0x1p32;
      ASSERT_EQ(got, wrapped) << i;
    }
  }
}

const std::vector<Case>& Cases() {
  static const std::vector<Case> cases = {
      {{{5, 7}, {7, 3}, {5, 3}}, {{1}, {0}, {0}, {1}, {0, 0, 1, 1}, {}, {}}},
      {{{64, 128}, {128, 128}, {64, 128}}, {{1}, {1}, {0}, {0}, {0, 0, 1, 0}, {}, {}}},
      {{{7, 5}, {7, 3}, {5, 3}}, {{0}, {0}, {1}, {1}, {0, 1, 1, 1}, {}, {}}},
      {{{5, 7}, {7, 3}, {3, 5}}, {{1}, {0}, {0}, {1}, {1, 1, 0, 0}, {}, {}}},
      {{{7, 5}, {7, 3}, {5, 3}}, {{1}, {0}, {0}, {1}, {0, 0, 1, 1}, {}, {}}, true, false},
      {{{7, 5}, {3, 7}, {5, 3}}, {{1}, {0}, {0}, {1}, {0, 0, 1, 1}, {}, {}}, true, true},
      {{{4, 5, 7}, {4, 7, 3}, {4, 5, 3}}, {{2}, {1}, {1}, {2}, {0, 0, 0, 1, 1, 2}, {0}, {0}}},
      {{{5, 4, 7}, {7, 3, 4}, {5, 3, 4}}, {{2}, {0}, {0}, {1}, {0, 0, 1, 1, 0, 1}, {1}, {2}}},
      {{{5, 7, 4}, {4, 3, 7}, {3, 4, 5}}, {{1}, {2}, {0}, {1}, {1, 1, 0, 2, 0, 0}, {2}, {0}}},
      {{{2, 4, 5, 7}, {4, 2, 7, 3}, {2, 4, 5, 3}}, {{3}, {2}, {2}, {3}, {0, 0, 0, 1, 0, 2, 1, 3}, {0, 1}, {1, 0}}},
      {{{7}, {7, 3}, {3}}, {{0}, {0}, {}, {1}, {1, 1}, {}, {}}},
      {{{5, 7}, {7}, {5}}, {{1}, {0}, {0}, {}, {0, 0}, {}, {}}},
      {{{7}, {7}, {}}, {{0}, {0}, {}, {}, {}, {}, {}}},
      {{{1, 1}, {1, 1}, {1, 1}}, {{1}, {0}, {0}, {1}, {0, 0, 1, 1}, {}, {}}},
      {{{5, 1}, {1, 3}, {5, 3}}, {{1}, {0}, {0}, {1}, {0, 0, 1, 1}, {}, {}}},
      {{{5, 0}, {0, 3}, {5, 3}}, {{1}, {0}, {0}, {1}, {0, 0, 1, 1}, {}, {}}},
      {{{0, 5}, {5, 3}, {0, 3}}, {{1}, {0}, {0}, {1}, {0, 0, 1, 1}, {}, {}}},
      {{{5, 513}, {513, 300}, {5, 300}}, {{1}, {0}, {0}, {1}, {0, 0, 1, 1}, {}, {}}},
      {{{3, 4096}, {4096, 17}, {3, 17}}, {{1}, {0}, {0}, {1}, {0, 0, 1, 1}, {}, {}}},
      {{{70, 130}, {130, 90}, {70, 90}}, {{1}, {0}, {0}, {1}, {0, 0, 1, 1}, {}, {}}},
      {{{64, 128}, {128, 128}, {128, 64}}, {{1}, {1}, {0}, {0}, {1, 0, 0, 0}, {}, {}}},
      {{{130, 70}, {90, 130}, {70, 90}}, {{0}, {1}, {1}, {0}, {0, 1, 1, 0}, {}, {}}},
  };
  return cases;
}

TEST(Matmul, FloatsNearTheTruth) {
  for (const Case& c : Cases()) {
    ExpectProduct(c, DType::kFloat32, DType::kFloat32, DType::kFloat32);
    ExpectProduct(c, DType::kBFloat16, DType::kBFloat16, DType::kFloat32);
    ExpectProduct(c, DType::kFloat32, DType::kBFloat16, DType::kFloat32);
  }
}

TEST(Matmul, IntegersExactly) {
  for (const Case& c : Cases()) {
    ExpectProduct(c, DType::kInt8, DType::kInt8, DType::kInt32);
    ExpectProduct(c, DType::kInt16, DType::kInt8, DType::kInt32);
  }
}

TEST(Matmul, Int32Wraps) {
  const Case c = {{{1, 2}, {2, 1}, {1, 1}}, {}, false, false};
  auto plan = MatmulPlan::Make(c.shapes, DType::kInt32, DType::kInt32, DType::kInt32, c.dims, false, false);
  ASSERT_TRUE(plan.has_value());
  const std::int32_t lhs[] = {INT32_MAX, 2}, rhs[] = {2, INT32_MIN}, acc = 5;
  std::int32_t result = 0;
  plan->Run(&result, lhs, rhs, &acc);
  EXPECT_EQ(result, 3);
}

TEST(Matmul, WithoutDimensionNumbers) {
  Case c = {{{2, 5, 7}, {2, 7, 3}, {2, 5, 3}}, {{2}, {1}, {1}, {2}, {0, 0, 0, 1, 1, 2}, {0}, {0}}};
  const Bytes lhs = Random(DType::kFloat32, c.shapes.lhs, 4), rhs = Random(DType::kFloat32, c.shapes.rhs, 5);
  const Bytes acc = Random(DType::kFloat32, c.shapes.acc, 6);
  const Bytes named = Product(c, DType::kFloat32, DType::kFloat32, DType::kFloat32, lhs, rhs, acc);
  c.dims = {};
  EXPECT_EQ(Product(c, DType::kFloat32, DType::kFloat32, DType::kFloat32, lhs, rhs, acc), named);
}

TEST(Matmul, NaNAndInfinityPropagate) {
  const std::int64_t n = 40, k = 70;
  auto plan = MatmulPlan::Make({{n, k}, {k, n}, {n, n}}, DType::kFloat32, DType::kFloat32, DType::kFloat32, {}, false, false);
  ASSERT_TRUE(plan.has_value());
  std::vector<float> lhs(n * k, 1.0f), rhs(n * k, 0.0f), acc(n * n, 0.0f), result(n * n);
  lhs[3 * k + 69] = NAN;       // row 3: NaN, though rhs is 0 everywhere
  lhs[5 * k + 11] = INFINITY;  // row 5: infinity times 0
  rhs[20 * n + 7] = INFINITY;  // column 7
  acc[8 * n + 9] = NAN;
  acc[8 * n + 10] = -INFINITY;
  plan->Run(result.data(), lhs.data(), rhs.data(), acc.data());
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const float got = result[static_cast<std::size_t>(i * n + j)];
      const bool nan = i == 3 || i == 5 || (i == 8 && j == 9);
      const float number = j == 7 ? INFINITY : i == 8 && j == 10 ? -INFINITY : 0.0f;
      ASSERT_TRUE(nan ? std::isnan(got) : got == number) << i << " " << j << " " << got;
    }
  }
}

TEST(Matmul, SubnormalOperandsAreKept) {
  auto plan = MatmulPlan::Make({{1, 1}, {1, 1}, {1, 1}}, DType::kBFloat16, DType::kBFloat16, DType::kFloat32, {}, false, false);
  ASSERT_TRUE(plan.has_value());
  const std::uint16_t tiny = 0x0001, huge = 0x7f00;  // 2^-133, 2^127
  const float acc = 0;
  float result = 0;
  plan->Run(&result, &tiny, &huge, &acc);
  EXPECT_EQ(result, 0x1p-6f);
}

// Large enough for the processor's own instructions, whose sums would lose subnormal numbers.
TEST(Matmul, SubnormalSumsOfBFloat16AreKept) {
  const std::int64_t n = 64;
  auto plan = MatmulPlan::Make({{n, n}, {n, n}, {n, n}}, DType::kBFloat16, DType::kBFloat16, DType::kFloat32, {}, false, false);
  ASSERT_TRUE(plan.has_value());
  struct Tiny {
    float lhs, rhs, acc;
  };
  for (const Tiny& tiny : {Tiny{0x1p-64f, 0x1p-64f, 0.0f}, Tiny{0x1p-130f, 1.0f, 0.0f}, Tiny{1.0f, 0x1p-130f, 0.0f}, Tiny{1.0f, 0.0f, 0x1p-130f}, Tiny{1.5f, 1.5f, 0.5f}}) {
    std::vector<std::uint16_t> lhs(n * n, 0), rhs(n * n, 0);
    std::vector<float> acc(n * n, 0.0f), result(n * n);
    lhs[5 * n + 7] = core::FloatToBFloat16(tiny.lhs);
    rhs[7 * n + 9] = core::FloatToBFloat16(tiny.rhs);
    acc[5 * n + 9] = tiny.acc;
    plan->Run(result.data(), lhs.data(), rhs.data(), acc.data());
    for (std::int64_t i = 0; i < n * n; ++i) ASSERT_EQ(result[static_cast<std::size_t>(i)], i == 5 * n + 9 ? tiny.lhs * tiny.rhs + tiny.acc : 0.0f);
  }
}

TEST(Matmul, SmallestMagnitudeIsThatOfWhatIsNotZero) {
  std::vector<std::uint16_t> bits(100, 0x8000);
  EXPECT_EQ(SmallestMagnitude(bits.data(), bits.size()), 0x7fff);
  bits[70] = 0x8001;
  bits[3] = 0x3f80;
  EXPECT_EQ(SmallestMagnitude(bits.data(), bits.size()), 1);
  EXPECT_EQ(SmallestMagnitude(bits.data(), 70), 0x3f80);
  std::vector<float> floats(100, -0.0f);
  EXPECT_EQ(SmallestMagnitude(floats.data(), floats.size()), 0x7fffffffu);
  floats[99] = -0x1p-149f;
  floats[1] = 1.0f;
  EXPECT_EQ(SmallestMagnitude(floats.data(), floats.size()), 1u);
  EXPECT_EQ(SmallestMagnitude(floats.data(), 99), 0x3f800000u);
}

TEST(Matmul, RefusesWhatItCannotDo) {
  const auto code_of = [](const MatmulShapes& shapes, const DotDimensionNumbers& dims, DType lhs = DType::kFloat32, DType acc = DType::kFloat32) {
    const auto plan = MatmulPlan::Make(shapes, lhs, DType::kFloat32, acc, dims, false, false);
    return plan ? ErrorCode::kFailed : plan.error().code;
  };
  const DotDimensionNumbers plain = {{1}, {0}, {0}, {1}, {0, 0, 1, 1}, {}, {}};
  EXPECT_EQ(code_of({{5, 7}, {7, 3}, {5, 3}}, plain), ErrorCode::kFailed);  // that is, made
  EXPECT_EQ(code_of({{5, 7}, {7, 3}, {5, 3}}, plain, DType::kFloat16), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of({{5, 7}, {7, 3}, {5, 3}}, plain, DType::kFloat32, DType::kBFloat16), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of({{5, 7}, {7, 3}, {5, 3}}, {{0, 1}, {0, 1}, {}, {}, {}, {}, {}}), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of({{5, 7}, {8, 3}, {5, 3}}, plain), ErrorCode::kBadInput);
  EXPECT_EQ(code_of({{5, 7}, {7, 3}, {5, 4}}, plain), ErrorCode::kBadInput);
  EXPECT_EQ(code_of({{5, 7}, {7, 3}, {5}}, plain), ErrorCode::kBadInput);
  EXPECT_EQ(code_of({{5, 7}, {7, 3}, {5, 3}}, {{9}, {0}, {0}, {1}, {0, 0, 1, 1}, {}, {}}), ErrorCode::kBadInput);
  EXPECT_EQ(code_of({{5, 7}, {7, 3}, {5, 3}}, {{1}, {0}, {1}, {1}, {0, 0, 1, 1}, {}, {}}), ErrorCode::kBadInput);
  EXPECT_EQ(code_of({{5, 7}, {7, 3}, {5, 3}}, {{1}, {0}, {0}, {1}, {0, 0, 0, 0}, {}, {}}), ErrorCode::kBadInput);
  EXPECT_EQ(code_of({{7}, {7, 3}, {3}}, {}), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of({{core::kDynamicExtent, 7}, {7, 3}, {5, 3}}, plain), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of({{5, 7}, {7, 3}, Shape(9, 1)}, plain), ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace kernel_audit::sim::ops
