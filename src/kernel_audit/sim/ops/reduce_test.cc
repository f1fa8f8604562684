#include "kernel_audit/sim/ops/test_targets.h"
// The line above comes first: it chooses the instruction sets.
#include <map>

#include "kernel_audit/core/error.h"
#include "kernel_audit/sim/ops/reduce.h"
#include "kernel_audit/sim/ops/test_oracle.h"

namespace kernel_audit::sim::ops {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Dims = std::vector<std::int64_t>;
using ir::ReductionKind;

// Elements of each result in row-major order of the reduced dimensions, by the result's row-major position.
std::vector<std::vector<std::size_t>> Sequences(const Shape& from, const Dims& dims) {
  std::size_t results = 1;
  const auto is_reduced = [&](std::size_t i) { return std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(i)) != dims.end(); };
  for (std::size_t i = 0; i < from.size(); ++i) results *= is_reduced(i) ? 1 : static_cast<std::size_t>(from[i]);
  std::vector<std::vector<std::size_t>> sequences(results);
  const std::size_t count = static_cast<std::size_t>(core::NumElements(from));
  for (std::size_t flat = 0; flat < count; ++flat) {
    std::size_t rest = flat, result = 0, step = 1;
    for (std::size_t i = from.size(); i-- > 0;) {
      const std::size_t extent = static_cast<std::size_t>(from[i]), index = rest % extent;
      rest /= extent;
      if (is_reduced(i)) continue;
      result += index * step;
      step *= extent;
    }
    sequences[result].push_back(flat);
  }
  return sequences;
}

// reduce.h's order: lists of values, halved until one is left.
template <class T, class Combine>
T InOrder(const std::vector<T>& values, T init, const Combine& combine) {
  if (values.empty()) return init;
  std::map<std::size_t, T> partials;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto [found, fresh] = partials.try_emplace(i % 16, values[i]);
    if (!fresh) found->second = combine(found->second, values[i]);
  }
  for (std::size_t distance = 8; distance > 0; distance /= 2) {
    for (std::size_t l = 0; l < distance; ++l) {
      if (partials.count(l + distance) != 0) partials[l] = combine(partials[l], partials[l + distance]);
    }
  }
  return combine(init, partials[0]);
}

float CombineFloats(ReductionKind kind, float a, float b) {
  switch (kind) {
    case ReductionKind::kAdd: return oracle::FloatBinary(OpCode::kAddF, a, b);
    case ReductionKind::kMul: return oracle::FloatBinary(OpCode::kMulF, a, b);
    default: return oracle::Maximum(a, b, kind == ReductionKind::kMaximumF);
  }
}

oracle::Wide CombineInts(ReductionKind kind, oracle::Wide a, oracle::Wide b, int bits) {
  switch (kind) {
    case ReductionKind::kAdd: return oracle::Signed(a + b, bits);
    case ReductionKind::kMul: return oracle::Signed(a * b, bits);
    case ReductionKind::kMinSI: return std::min(a, b);
    case ReductionKind::kMaxSI: return std::max(a, b);
    case ReductionKind::kAnd: return a & b;
    default: return a | b;
  }
}

void OracleResult(ReductionKind kind, DType dtype, const Bytes& source, const std::vector<std::size_t>& sequence, const std::uint8_t* init,
                  std::uint8_t* result) {
  const std::size_t size = core::ByteSize(dtype);
  if (sequence.empty()) {
    std::memcpy(result, init, size);
  } else if (core::IsFloat(dtype)) {
    std::vector<float> values;
    for (const std::size_t at : sequence) values.push_back(oracle::LoadFloat(dtype, &source[at * size]));
    const auto combine = [&](float a, float b) { return CombineFloats(kind, a, b); };
    oracle::StoreFloat(dtype, InOrder(values, oracle::LoadFloat(dtype, init), combine), result);
  } else {
    std::vector<oracle::Wide> values;
    for (const std::size_t at : sequence) values.push_back(oracle::LoadInt(dtype, &source[at * size]));
    const auto combine = [&](oracle::Wide a, oracle::Wide b) { return CombineInts(kind, a, b, oracle::Bits(dtype)); };
    oracle::StoreInt(dtype, InOrder(values, oracle::LoadInt(dtype, init), combine), result);
  }
}

// Sample bits hold so many special values that few sums stay finite; every other round takes numbers of like size instead.
Bytes Operand(DType dtype, std::size_t n, unsigned seed) {
  Bytes bytes = oracle::SampleOf(dtype, n, seed);
  if (!core::IsFloat(dtype) || seed % 2 == 0) return bytes;
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < n; ++i) {
    oracle::StoreFloat(dtype, static_cast<float>(static_cast<double>(random()) / 0x1p30 - 2), &bytes[i * core::ByteSize(dtype)]);
  }
  return bytes;
}

void ExpectReduction(ReductionKind kind, DType dtype, const Shape& from, const Dims& dims, unsigned seed) {
  SCOPED_TRACE(std::string(ir::Name(kind)) + " " + std::string(core::Name(dtype)) + " " + core::ToString(from) + " along " + core::ToString(dims));
  const std::size_t size = core::ByteSize(dtype);
  const auto sequences = Sequences(from, dims);
  const Bytes source = Operand(dtype, static_cast<std::size_t>(core::NumElements(from)), seed);
  const Bytes init = Operand(dtype, sequences.size(), seed + 2);
  Bytes expected(init.size());
  for (std::size_t i = 0; i < sequences.size(); ++i) OracleResult(kind, dtype, source, sequences[i], &init[i * size], &expected[i * size]);
  ForEachTarget([&] {
    Bytes result(init.size()), in_place = init;
    Reduce(kind, dtype, result.data(), source.data(), from, dims, init.data());
    Reduce(kind, dtype, in_place.data(), source.data(), from, dims, in_place.data());
    ASSERT_EQ(result, expected);
    ASSERT_EQ(in_place, expected);
  });
}

TEST(Reduce, EveryKindTypeAndLayout) {
  const std::pair<Shape, Dims> layouts[] = {
      {{40}, {0}},         {{8, 70}, {1}},       {{37, 9}, {0}},          {{5, 300}, {0}},      {{3, 21, 5}, {0, 2}}, {{4, 3, 33}, {0, 2}},
      {{6, 5, 4}, {1}},    {{6, 5, 4}, {0, 1}},  {{2, 3, 4, 5}, {0, 2}},  {{2, 3, 4, 5}, {1, 3}}, {{3, 4}, {}},       {{3, 4}, {0, 1}},
      {{1, 7, 1}, {1}},    {{1, 1}, {0, 1}},     {{0, 4}, {0}},           {{4, 0}, {0}},        {{}, {}},             {{3, 2, 1, 16}, {3, 0}}};
  unsigned seed = 1;
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16, DType::kBool, DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64}) {
    for (int kind = 0; kind <= static_cast<int>(ReductionKind::kOr); ++kind) {
      if (!CanReduce(static_cast<ReductionKind>(kind), dtype)) continue;
      for (const auto& [from, dims] : layouts) ExpectReduction(static_cast<ReductionKind>(kind), dtype, from, dims, ++seed);
    }
  }
}

TEST(Reduce, EveryLength) {
  unsigned seed = 1001;
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
    for (const ReductionKind kind : {ReductionKind::kAdd, ReductionKind::kMaximumF}) {
      for (std::int64_t n = 0; n < 70; ++n) {
        ExpectReduction(kind, dtype, {3, n}, {1}, seed += 2);
        ExpectReduction(kind, dtype, {n, 3}, {0}, seed);
      }
    }
  }
}

TEST(Reduce, OrderDoesNotDependOnLayout) {
  const std::int64_t n = 1000;
  const Bytes values = Operand(DType::kFloat32, n, 7);
  const float init = 0.5f;
  float row = 0, column = 0, folded = 0;
  const Dims first = {0}, second = {1}, both = {0, 1};
  Reduce(ReductionKind::kAdd, DType::kFloat32, &row, values.data(), {1, n}, second, &init);
  Reduce(ReductionKind::kAdd, DType::kFloat32, &column, values.data(), {n, 1}, first, &init);
  Reduce(ReductionKind::kAdd, DType::kFloat32, &folded, values.data(), {8, n / 8}, both, &init);
  EXPECT_EQ(row, column);
  EXPECT_EQ(row, folded);
}

TEST(Reduce, SupportsWhatItSays) {
  EXPECT_TRUE(CanReduce(ReductionKind::kMaximumF, DType::kBFloat16));
  EXPECT_FALSE(CanReduce(ReductionKind::kMaximumF, DType::kInt32));
  EXPECT_FALSE(CanReduce(ReductionKind::kMaxSI, DType::kFloat32));
  EXPECT_FALSE(CanReduce(ReductionKind::kAdd, DType::kFloat16));
  float x = 0;
  const Dims dims = {0}, none = {1};
  EXPECT_THROW(Reduce(ReductionKind::kAdd, DType::kFloat16, &x, &x, {1}, dims, &x), core::InternalError);
  EXPECT_THROW(Reduce(ReductionKind::kAdd, DType::kFloat32, &x, &x, {1}, none, &x), core::InternalError);
}

TEST(Reduce, BFloat16SumsDoNotStick) {
  const std::vector<std::uint16_t> ones(512, 0x3f80);
  const std::uint16_t zero = 0;
  std::uint16_t sum = 0;
  const Dims dims = {0};
  Reduce(ReductionKind::kAdd, DType::kBFloat16, &sum, ones.data(), {512}, dims, &zero);
  EXPECT_EQ(oracle::FromBFloat16(sum), 512);
}

// Column sums of g * x over 2048 rows: float32 inside, rounded once.
TEST(Reduce, ColumnSumsInFloat32) {
  std::vector<float> product(2048 * 8);
  for (int r = 0; r < 2048; ++r) {
    for (int c = 0; c < 8; ++c) {
      const float g = static_cast<float>((37 * r + 11 * c) % 257 - 128) / 64, x = static_cast<float>((53 * r + 7 * c) % 251 - 125) / 64;
      product[static_cast<std::size_t>(r * 8 + c)] = g * x;
    }
  }
  const float zeros[8] = {}, expected[] = {3.5f, -15.3125f, -3.703125f, -3.171875f, 19.75f, -1.3203125f, -10.25f, -10.625f};
  float sums[8];
  const Dims dims = {0};
  Reduce(ReductionKind::kAdd, DType::kFloat32, sums, product.data(), {2048, 8}, dims, zeros);
  for (int c = 0; c < 8; ++c) EXPECT_EQ(oracle::FromBFloat16(oracle::ToBFloat16(sums[c])), expected[c]);
}

TEST(Reduce, MaximumOfNegativeZeros) {
  const Dims dims = {0};
  for (const std::int64_t n : {1, 2, 15, 16, 17, 131, 8192, 8193}) {
    const std::vector<float> zeros(static_cast<std::size_t>(n), -0.0f);
    const float lowest = -INFINITY;
    ForEachTarget([&] {
      float result = 1;
      Reduce(ReductionKind::kMaximumF, DType::kFloat32, &result, zeros.data(), {n}, dims, &lowest);
      EXPECT_TRUE(result == 0 && std::signbit(result)) << n << " " << result;
      Reduce(ReductionKind::kAdd, DType::kFloat32, &result, zeros.data(), {n}, dims, zeros.data());
      EXPECT_TRUE(result == 0 && std::signbit(result)) << n << " " << result;
    });
  }
}

TEST(Reduce, MaximumFindsNaNAtEveryPosition) {
  const Dims dims = {0};
  const float lowest = -INFINITY;
  ForEachTarget([&] {
    for (const std::size_t n : {1u, 7u, 16u, 39u, 127u, 128u, 129u, 1023u, 1024u, 1025u}) {
      std::vector<float> values(n, 1.0f);
      for (std::size_t i = 0; i < n; ++i) {
        values[i] = NAN;
        float result = 0;
        Reduce(ReductionKind::kMaximumF, DType::kFloat32, &result, values.data(), {static_cast<std::int64_t>(n)}, dims, &lowest);
        ASSERT_TRUE(std::isnan(result)) << n << " " << i;
        values[i] = 1.0f;
      }
    }
  });
}

}  // namespace
}  // namespace kernel_audit::sim::ops
