#include "kernel_audit/sim/ops/test_targets.h"
// The line above comes first: it chooses the instruction sets.
#include <functional>
#include <set>
#include <string>

#include "kernel_audit/sim/ops/elementwise.h"
#include "kernel_audit/sim/ops/test_oracle.h"

namespace kernel_audit::sim::ops {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr DType kFloats[] = {DType::kFloat32, DType::kBFloat16};
constexpr DType kInts[] = {DType::kBool, DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kIndex};
constexpr OpCode kFloatOps[] = {OpCode::kAddF, OpCode::kSubF, OpCode::kMulF, OpCode::kDivF, OpCode::kMaximumF, OpCode::kMinimumF};
constexpr OpCode kIntOps[] = {OpCode::kAddI,  OpCode::kSubI,  OpCode::kMulI,  OpCode::kDivSI, OpCode::kRemSI,
                              OpCode::kDivUI, OpCode::kRemUI, OpCode::kMaxSI, OpCode::kMinSI, OpCode::kAndI,
                              OpCode::kOrI,   OpCode::kXOrI,  OpCode::kShlI,  OpCode::kShrSI, OpCode::kShrUI};
constexpr std::size_t kCount = 4000;

std::vector<std::size_t> Lengths() {
  std::vector<std::size_t> lengths = {0, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025};
  for (std::size_t n = 1; n < 40; ++n) lengths.push_back(n);
  return lengths;
}

// An element that no operation leaves behind by chance.
constexpr std::uint8_t kUntouched = 0xa5;

// Runs on all of the sample, on short lengths at every start and in place; each must write the expected bytes and no others.
void ExpectBytes(DType to, std::size_t n, const Bytes& expected, const std::function<void(void*, std::size_t, std::size_t)>& run) {
  const std::size_t size = core::ByteSize(to);
  Bytes result(n * size, kUntouched);
  run(result.data(), 0, n);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(std::memcmp(&result[i * size], &expected[i * size], size), 0) << "element " << i;
  }
  std::size_t begin = 0;
  for (const std::size_t length : Lengths()) {
    begin = (begin + 7) % (n - length);
    Bytes part((length + 2) * size, kUntouched);
    run(part.data() + size, begin, length);
    ASSERT_EQ(length == 0 ? 0 : std::memcmp(part.data() + size, &expected[begin * size], length * size), 0) << "length " << length;
    for (std::size_t i = 0; i < size; ++i) ASSERT_TRUE(part[i] == kUntouched && part[part.size() - 1 - i] == kUntouched) << "length " << length;
  }
}

void ExpectUnary(OpCode code, DType from, DType to, const std::function<void(const std::uint8_t*, std::uint8_t*)>& oracle) {
  SCOPED_TRACE(std::string(ir::Info(code).name) + " " + std::string(core::Name(from)) + " to " + std::string(core::Name(to)));
  const std::size_t in = core::ByteSize(from), out = core::ByteSize(to);
  const Bytes a = oracle::SampleOf(from, kCount, 1);
  Bytes expected(kCount * out);
  for (std::size_t i = 0; i < kCount; ++i) oracle(&a[i * in], &expected[i * out]);
  ForEachTarget([&] {
    const UnaryFn fn = FindUnary(code, from, to);
    ASSERT_NE(fn, nullptr);
    ExpectBytes(to, kCount, expected, [&](void* dst, std::size_t begin, std::size_t n) { fn(dst, a.data() + begin * in, n); });
    if (in != out) return;
    Bytes in_place = a;
    fn(in_place.data(), in_place.data(), kCount);
    ASSERT_EQ(in_place, expected);
  });
}

void ExpectBinary(OpCode code, DType from, DType to, std::int64_t predicate,
                  const std::function<void(const std::uint8_t*, const std::uint8_t*, std::uint8_t*)>& oracle) {
  SCOPED_TRACE(std::string(ir::Info(code).name) + " " + std::string(core::Name(from)) + " predicate " + std::to_string(predicate));
  const std::size_t in = core::ByteSize(from), out = core::ByteSize(to);
  const Bytes a = oracle::SampleOf(from, kCount, 2), b = oracle::SampleOf(from, kCount, 3);
  Bytes expected(kCount * out);
  for (std::size_t i = 0; i < kCount; ++i) oracle(&a[i * in], &b[i * in], &expected[i * out]);
  ForEachTarget([&] {
    const BinaryFn fn = FindBinary(code, from, predicate);
    ASSERT_NE(fn, nullptr);
    ExpectBytes(to, kCount, expected,
                [&](void* dst, std::size_t begin, std::size_t n) { fn(dst, a.data() + begin * in, b.data() + begin * in, n); });
    if (in != out) return;
    Bytes left = a, right = b;
    fn(left.data(), left.data(), b.data(), kCount);
    fn(right.data(), a.data(), right.data(), kCount);
    ASSERT_EQ(left, expected);
    ASSERT_EQ(right, expected);
  });
}

TEST(Elementwise, EveryTargetHasItsOwnFunctions) {
  std::set<BinaryFn> functions;
  std::size_t targets = 0;
  ForEachTarget([&] {
    functions.insert(FindBinary(OpCode::kAddF, DType::kFloat32));
    ++targets;
  });
  EXPECT_EQ(functions.size(), targets);
}

TEST(Elementwise, FloatArithmetic) {
  for (const DType dtype : kFloats) {
    for (const OpCode code : kFloatOps) {
      ExpectBinary(code, dtype, dtype, 0, [&](const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* result) {
        oracle::StoreFloat(dtype, oracle::FloatBinary(code, oracle::LoadFloat(dtype, a), oracle::LoadFloat(dtype, b)), result);
      });
    }
  }
}

TEST(Elementwise, FloatSignsAndRoots) {
  for (const DType dtype : kFloats) {
    const std::size_t last = core::ByteSize(dtype) - 1;
    const auto with_sign = [&](const std::function<int(int)>& change) {
      return [&, change](const std::uint8_t* a, std::uint8_t* result) {
        std::memcpy(result, a, last + 1);
        result[last] = static_cast<std::uint8_t>(change(result[last]));
      };
    };
    ExpectUnary(OpCode::kNegF, dtype, dtype, with_sign([](int byte) { return byte < 128 ? byte + 128 : byte - 128; }));
    ExpectUnary(OpCode::kAbsF, dtype, dtype, with_sign([](int byte) { return byte % 128; }));
    ExpectUnary(OpCode::kSqrt, dtype, dtype, [&](const std::uint8_t* a, std::uint8_t* result) {
      oracle::StoreFloat(dtype, oracle::ToFloat(std::sqrt(static_cast<double>(oracle::LoadFloat(dtype, a)))), result);
    });
  }
}

TEST(Elementwise, FloatComparisons) {
  for (const DType dtype : kFloats) {
    for (std::int64_t predicate = 0; predicate < 16; ++predicate) {
      ExpectBinary(OpCode::kCmpF, dtype, DType::kBool, predicate, [&](const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* result) {
        *result = oracle::CompareFloat(predicate, oracle::LoadFloat(dtype, a), oracle::LoadFloat(dtype, b));
      });
    }
  }
}

TEST(Elementwise, IntArithmetic) {
  for (const DType dtype : kInts) {
    for (const OpCode code : kIntOps) {
      ExpectBinary(code, dtype, dtype, 0, [&](const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* result) {
        oracle::StoreInt(dtype, oracle::IntBinary(code, oracle::LoadInt(dtype, a), oracle::LoadInt(dtype, b), oracle::Bits(dtype)), result);
      });
    }
  }
}

TEST(Elementwise, IntComparisons) {
  for (const DType dtype : kInts) {
    for (std::int64_t predicate = 0; predicate < 10; ++predicate) {
      ExpectBinary(OpCode::kCmpI, dtype, DType::kBool, predicate, [&](const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* result) {
        *result = oracle::CompareInt(predicate, oracle::LoadInt(dtype, a), oracle::LoadInt(dtype, b), oracle::Bits(dtype));
      });
    }
  }
}

TEST(Elementwise, IntCasts) {
  for (const DType from : kInts) {
    for (const DType to : kInts) {
      const auto expect = [&](OpCode code, bool is_unsigned) {
        ExpectUnary(code, from, to, [&](const std::uint8_t* a, std::uint8_t* result) {
          const oracle::Wide value = oracle::LoadInt(from, a);
          oracle::StoreInt(to, is_unsigned ? oracle::Unsigned(value, oracle::Bits(from)) : value, result);
        });
      };
      const int change = oracle::Bits(to) - oracle::Bits(from);
      for (const OpCode code : {OpCode::kExtUI, OpCode::kExtSI}) {
        if (change > 0) expect(code, code == OpCode::kExtUI);
        if (change <= 0) {
          EXPECT_EQ(FindUnary(code, from, to), nullptr);
        }
      }
      if (change < 0) expect(OpCode::kTruncI, false);
      if (change >= 0) {
        EXPECT_EQ(FindUnary(OpCode::kTruncI, from, to), nullptr);
      }
      if ((from == DType::kIndex) != (to == DType::kIndex)) expect(OpCode::kIndexCast, false);
    }
  }
}

TEST(Elementwise, FloatWidths) {
  ExpectUnary(OpCode::kTruncF, DType::kFloat32, DType::kBFloat16, [](const std::uint8_t* a, std::uint8_t* result) {
    oracle::StoreFloat(DType::kBFloat16, oracle::FromBytes<float>(a), result);
  });
  ExpectUnary(OpCode::kExtF, DType::kBFloat16, DType::kFloat32, [](const std::uint8_t* a, std::uint8_t* result) {
    std::memset(result, 0, 2);
    std::memcpy(result + 2, a, 2);
  });
}

// Integers below 2^63 are exact in x87's long double; the nearest bfloat16 lies among its 8-bit multiples.
float NearestBFloat16(oracle::Wide value) {
  const long double exact = static_cast<long double>(value);
  if (exact == 0) return 0;
  const int unit = std::ilogb(exact) - 7;
  return static_cast<float>(std::ldexp(std::nearbyint(std::ldexp(exact, -unit)), unit));
}

TEST(Elementwise, IntToFloatRoundsOnce) {
  for (const DType from : kInts) {
    ExpectUnary(OpCode::kSIToFP, from, DType::kFloat32, [&](const std::uint8_t* a, std::uint8_t* result) {
      oracle::StoreFloat(DType::kFloat32, static_cast<float>(static_cast<long double>(oracle::LoadInt(from, a))), result);
    });
    ExpectUnary(OpCode::kSIToFP, from, DType::kBFloat16, [&](const std::uint8_t* a, std::uint8_t* result) {
      oracle::StoreFloat(DType::kBFloat16, NearestBFloat16(oracle::LoadInt(from, a)), result);
    });
  }
  const std::int32_t value = 16973823;
  std::uint16_t rounded = 0;
  FindUnary(OpCode::kSIToFP, DType::kInt32, DType::kBFloat16)(&rounded, &value, 1);
  EXPECT_EQ(rounded, 0x4b81);
}

TEST(Elementwise, IntToBFloat16AroundEveryBoundary) {
  std::vector<std::int64_t> values;
  for (int shift = 0; shift < 55; ++shift) {
    for (std::int64_t steps = 128; steps < 256; ++steps) {
      const std::int64_t middle = (2 * steps + 1) << shift;
      for (std::int64_t nudge = -2; nudge <= 2; ++nudge) {
        values.push_back(middle + nudge);
        values.push_back(-(middle + nudge));
      }
    }
  }
  ForEachTarget([&] {
    std::vector<std::uint16_t> rounded(values.size());
    FindUnary(OpCode::kSIToFP, DType::kInt64, DType::kBFloat16)(rounded.data(), values.data(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(oracle::FromBFloat16(rounded[i]), NearestBFloat16(values[i])) << values[i];
    }
  });
}

TEST(Elementwise, FloatToIntSaturates) {
  for (const DType from : kFloats) {
    for (const DType to : kInts) {
      ExpectUnary(OpCode::kFPToSI, from, to, [&](const std::uint8_t* a, std::uint8_t* result) {
        const float value = oracle::LoadFloat(from, a);
        const oracle::Wide end = static_cast<oracle::Wide>(1) << (oracle::Bits(to) - 1);
        const double limit = static_cast<double>(end);
        const oracle::Wide integer = std::isnan(value)     ? 0
                                     : value >= limit      ? end - 1
                                     : value <= -limit     ? -end
                                                           : static_cast<oracle::Wide>(std::trunc(value));
        oracle::StoreInt(to, integer, result);
      });
    }
  }
}

TEST(Elementwise, Bitcasts) {
  for (const auto& pair : {std::pair(DType::kFloat32, DType::kInt32), std::pair(DType::kInt32, DType::kFloat32),
                           std::pair(DType::kBFloat16, DType::kInt16), std::pair(DType::kInt8, DType::kInt8)}) {
    const std::size_t size = core::ByteSize(pair.first);
    ExpectUnary(OpCode::kBitcast, pair.first, pair.second, [&](const std::uint8_t* a, std::uint8_t* result) { std::memcpy(result, a, size); });
  }
  EXPECT_EQ(FindUnary(OpCode::kBitcast, DType::kFloat32, DType::kInt16), nullptr);
  EXPECT_EQ(FindUnary(OpCode::kBitcast, DType::kBool, DType::kInt8), nullptr);
}

TEST(Elementwise, Selects) {
  for (const DType dtype : {DType::kBool, DType::kInt16, DType::kFloat32, DType::kBFloat16, DType::kInt64}) {
    SCOPED_TRACE(core::Name(dtype));
    const std::size_t size = core::ByteSize(dtype);
    const Bytes cond = oracle::SampleOf(DType::kBool, kCount, 4), a = oracle::SampleOf(dtype, kCount, 5), b = oracle::SampleOf(dtype, kCount, 6);
    Bytes expected(kCount * size);
    for (std::size_t i = 0; i < kCount; ++i) std::memcpy(&expected[i * size], &(cond[i] != 0 ? a : b)[i * size], size);
    ForEachTarget([&] {
      const SelectFn fn = FindSelect(dtype);
      ExpectBytes(dtype, kCount, expected, [&](void* dst, std::size_t begin, std::size_t n) {
        fn(dst, cond.data() + begin, a.data() + begin * size, b.data() + begin * size, n);
      });
    });
  }
}

// A few elements, and more than a cache holds, from an odd element on and to one.
TEST(Elementwise, Fills) {
  for (const std::size_t size : {1, 2, 4, 8}) {
    for (const std::size_t count : {std::size_t{10}, (std::size_t{5} << 20) / size + 3}) {
      const Bytes element = {1, 2, 3, 4, 5, 6, 7, 8};
      Bytes block((count + 2) * size, kUntouched), expected = block;
      for (std::size_t i = size; i < (count + 1) * size; ++i) expected[i] = element[i % size];
      Fill(block.data() + size, element.data(), size, count);
      EXPECT_TRUE(block == expected) << count << " elements of " << size;
    }
  }
}

TEST(Elementwise, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(FindBinary(OpCode::kAddF, DType::kFloat16), nullptr);
  EXPECT_EQ(FindBinary(OpCode::kAddF, DType::kInt32), nullptr);
  EXPECT_EQ(FindBinary(OpCode::kAddI, DType::kFloat32), nullptr);
  EXPECT_EQ(FindBinary(OpCode::kAddI, DType::kUInt32), nullptr);
  EXPECT_EQ(FindBinary(OpCode::kCmpF, DType::kFloat32, 16), nullptr);
  EXPECT_EQ(FindBinary(OpCode::kCmpF, DType::kFloat32, -1), nullptr);
  EXPECT_EQ(FindBinary(OpCode::kCmpI, DType::kInt32, 10), nullptr);
  EXPECT_EQ(FindUnary(OpCode::kExp, DType::kFloat32, DType::kBFloat16), nullptr);
  EXPECT_EQ(FindUnary(OpCode::kExp, DType::kFloat64, DType::kFloat64), nullptr);
  EXPECT_EQ(FindUnary(OpCode::kTruncF, DType::kBFloat16, DType::kFloat32), nullptr);
  EXPECT_EQ(FindSelect(DType::kSemaphore), nullptr);
}

// relu and max: a NaN survives in both operand orders, at every position, at every length.
TEST(Elementwise, MaximumKeepsNaNAtEveryPosition) {
  for (const DType dtype : kFloats) {
    const std::size_t size = core::ByteSize(dtype);
    ForEachTarget([&] {
      const BinaryFn maximum = FindBinary(OpCode::kMaximumF, dtype), minimum = FindBinary(OpCode::kMinimumF, dtype);
      for (const std::size_t n : Lengths()) {
        const Bytes zeros(n * size, 0);
        for (std::size_t position = 0; position <= n; ++position) {  // n: NaN everywhere
          Bytes x(n * size, 0), result(n * size);
          for (std::size_t i = 0; i < n; ++i) oracle::StoreFloat(dtype, i == position || position == n ? NAN : 1.25f, &x[i * size]);
          for (const BinaryFn fn : {maximum, minimum}) {
            for (const bool swapped : {false, true}) {
              fn(result.data(), swapped ? zeros.data() : x.data(), swapped ? x.data() : zeros.data(), n);
              for (std::size_t i = 0; i < n; ++i) {
                const float got = oracle::LoadFloat(dtype, &result[i * size]);
                const bool nan = i == position || position == n;
                ASSERT_TRUE(nan ? std::isnan(got) : got == (fn == maximum ? 1.25f : 0.0f)) << n << " " << position << " " << i;
              }
            }
          }
        }
      }
    });
  }
}

TEST(Elementwise, ReluKeepsSubnormalsAndSpecials) {
  const float x[] = {NAN, INFINITY, -INFINITY, 1.25f, -0.5f, -0.0f, 0.0f, 1e-40f, -1e-40f};
  const float expected[] = {NAN, INFINITY, 0, 1.25f, 0, 0, 0, 1e-40f, 0};
  const float zeros[9] = {};
  ForEachTarget([&] {
    float result[9];
    for (const bool swapped : {false, true}) {
      FindBinary(OpCode::kMaximumF, DType::kFloat32)(result, swapped ? zeros : x, swapped ? x : zeros, 9);
      EXPECT_TRUE(std::isnan(result[0]));
      EXPECT_EQ(std::memcmp(result + 1, expected + 1, sizeof(result) - sizeof(float)), 0);
    }
  });
}

// y - ((x + y) - x) in bfloat16: excess precision would give 0 throughout.
TEST(Elementwise, BFloat16HasNoExcessPrecision) {
  const float x[] = {4, 5, 6}, y[] = {0, 0.001f, 0.002f}, expected[] = {0, 0.00099945068359375f, 0.0019989013671875f};
  std::uint16_t a[3], b[3], sum[3];
  FindUnary(OpCode::kTruncF, DType::kFloat32, DType::kBFloat16)(a, x, 3);
  FindUnary(OpCode::kTruncF, DType::kFloat32, DType::kBFloat16)(b, y, 3);
  FindBinary(OpCode::kAddF, DType::kBFloat16)(sum, a, b, 3);
  FindBinary(OpCode::kSubF, DType::kBFloat16)(sum, sum, a, 3);
  FindBinary(OpCode::kSubF, DType::kBFloat16)(sum, b, sum, 3);
  float wide[3];
  FindUnary(OpCode::kExtF, DType::kBFloat16, DType::kFloat32)(wide, sum, 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(wide[i], expected[i]);
}

}  // namespace
}  // namespace kernel_audit::sim::ops
