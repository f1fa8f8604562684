// For tests: what ops.def says, element by element, in wider arithmetic than the operations use and without their code.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "kernel_audit/sim/ops/elementwise.h"

namespace kernel_audit::sim::ops::oracle {

__extension__ typedef __int128 Wide;

template <class T>
T FromBytes(const void* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

// A float32 from a value that is exact or farther from every rounding boundary than a double's error.
inline float ToFloat(double value) {
  if (std::isnan(value)) return FromBytes<float>("\x00\x00\xc0\x7f");
  return static_cast<float>(value);
}

// To bfloat16 by trying both neighbours; the tie goes to the even one. For float32 values only.
inline std::uint16_t ToBFloat16(float value) {
  if (std::isnan(value)) return std::signbit(value) ? 0xffc0 : 0x7fc0;
  const double magnitude = std::fabs(static_cast<double>(value));
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isinf(magnitude)) return sign | 0x7f80;
  const int exponent = magnitude == 0 ? -126 : std::max(std::ilogb(magnitude), -126);
  const double steps = std::nearbyint(std::ldexp(magnitude, 7 - exponent));  // 0 .. 256
  // Steps run on through the binades: 128 a binade, the first of them subnormal.
  const int code = (exponent + 126) * 128 + static_cast<int>(steps);
  return static_cast<std::uint16_t>(sign | (code > 0x7f80 ? 0x7f80 : code));
}

inline float FromBFloat16(std::uint16_t bits) {
  const std::uint32_t wide = static_cast<std::uint32_t>(bits) * 65536u;
  return FromBytes<float>(&wide);
}

inline float Maximum(float a, float b, bool maximum) {
  if (std::isnan(a) || std::isnan(b)) return ToFloat(NAN);
  if (a == 0 && b == 0) return std::signbit(a) == std::signbit(b) ? a : (maximum ? 0.0f : -0.0f);
  return (a > b) == maximum ? a : b;
}

inline float FloatBinary(OpCode code, float a, float b) {
  const double x = a, y = b;
  switch (code) {
    case OpCode::kAddF: return ToFloat(x + y);
    case OpCode::kSubF: return ToFloat(x - y);
    case OpCode::kMulF: return ToFloat(x * y);
    case OpCode::kDivF: return ToFloat(x / y);
    default: return Maximum(a, b, code == OpCode::kMaximumF);
  }
}

inline bool CompareFloat(std::int64_t predicate, float a, float b) {
  const bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
    case 0: return false;
    case 1: return !unordered && a == b;
    case 2: return a > b;
    case 3: return a >= b;
    case 4: return a < b;
    case 5: return a <= b;
    case 6: return !unordered && a != b;
    case 7: return !unordered;
    case 8: return unordered || a == b;
    case 9: return unordered || a > b;
    case 10: return unordered || a >= b;
    case 11: return unordered || a < b;
    case 12: return unordered || a <= b;
    case 13: return unordered || a != b;
    case 14: return unordered;
    default: return true;
  }
}

// An integer of `bits` bits: from its low bits, as a signed or an unsigned number.
inline Wide Unsigned(Wide value, int bits) {
  const Wide modulus = static_cast<Wide>(1) << bits;
  return ((value % modulus) + modulus) % modulus;
}
inline Wide Signed(Wide value, int bits) {
  const Wide low = Unsigned(value, bits);
  return low >= (static_cast<Wide>(1) << (bits - 1)) ? low - (static_cast<Wide>(1) << bits) : low;
}

// Operands are signed numbers; so is the result, to be taken modulo 2^bits.
inline Wide IntBinary(OpCode code, Wide a, Wide b, int bits) {
  const Wide ua = Unsigned(a, bits), ub = Unsigned(b, bits);
  switch (code) {
    case OpCode::kAddI: return a + b;
    case OpCode::kSubI: return a - b;
    case OpCode::kMulI: return a * b;
    case OpCode::kDivSI: return b == 0 ? -1 : a / b;
    case OpCode::kRemSI: return b == 0 ? a : a % b;
    case OpCode::kDivUI: return ub == 0 ? -1 : ua / ub;
    case OpCode::kRemUI: return ub == 0 ? ua : ua % ub;
    case OpCode::kMaxSI: return a > b ? a : b;
    case OpCode::kMinSI: return a < b ? a : b;
    case OpCode::kAndI: return a & b;
    case OpCode::kOrI: return a | b;
    case OpCode::kXOrI: return a ^ b;
    case OpCode::kShlI: return ub >= bits ? 0 : ua * (static_cast<Wide>(1) << static_cast<int>(ub));
    case OpCode::kShrSI: return ub >= bits ? (a < 0 ? -1 : 0) : a >> static_cast<int>(ub);
    default: return ub >= bits ? 0 : ua >> static_cast<int>(ub);
  }
}

inline bool CompareInt(std::int64_t predicate, Wide a, Wide b, int bits) {
  const Wide ua = Unsigned(a, bits), ub = Unsigned(b, bits);
  switch (predicate) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return a < b;
    case 3: return a <= b;
    case 4: return a > b;
    case 5: return a >= b;
    case 6: return ua < ub;
    case 7: return ua <= ub;
    case 8: return ua > ub;
    default: return ua >= ub;
  }
}

inline int Bits(DType dtype) { return dtype == DType::kBool ? 1 : static_cast<int>(8 * core::ByteSize(dtype)); }

// Elements by their bytes.
inline Wide LoadInt(DType dtype, const std::uint8_t* at) {
  std::uint64_t raw = 0;
  std::memcpy(&raw, at, core::ByteSize(dtype));
  return Signed(static_cast<Wide>(raw), Bits(dtype));
}
inline void StoreInt(DType dtype, Wide value, std::uint8_t* at) {
  const std::uint64_t raw = static_cast<std::uint64_t>(Unsigned(value, Bits(dtype)));
  std::memcpy(at, &raw, core::ByteSize(dtype));
}
inline float LoadFloat(DType dtype, const std::uint8_t* at) {
  return dtype == DType::kFloat32 ? FromBytes<float>(at) : FromBFloat16(FromBytes<std::uint16_t>(at));
}
inline void StoreFloat(DType dtype, float value, std::uint8_t* at) {
  const std::uint16_t narrow = ToBFloat16(value);
  dtype == DType::kFloat32 ? std::memcpy(at, &value, 4) : std::memcpy(at, &narrow, 2);
}

// n elements of any bits, among them every value that is special in its type.
inline std::vector<std::uint8_t> SampleOf(DType dtype, std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  const std::size_t size = core::ByteSize(dtype);
  static const std::uint32_t special[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffffffff, 0x7f800001, 1,
                                          0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f800000, 0xbf800000, 0x4f000000,
                                          0xcf000000, 0x5f000000, 0xdf000000, 0x3f000000, 0x7f810000, 0x3f808000};
  std::vector<std::uint8_t> bytes(n * size);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t draw = random();
    std::uint64_t value = random();
    if (core::IsFloat(dtype)) {
      std::uint32_t bits = static_cast<std::uint32_t>(value);
      if (draw % 4 == 0) bits = special[(draw >> 8) % std::size(special)];
      if (draw % 4 == 1) bits = (bits & 0x807fffff) | ((120 + (draw >> 8) % 16) << 23);
      value = dtype == DType::kBFloat16 ? bits >> 16 : bits;
    } else if (draw % 2 == 0) {
      const std::uint64_t minimum = std::uint64_t{1} << (Bits(dtype) - 1);
      const std::uint64_t edges[] = {0, 1, ~std::uint64_t{0}, minimum, minimum - 1, static_cast<std::uint64_t>(Bits(dtype)), 7, (draw >> 8) % 70};
      value = edges[(draw >> 32) % std::size(edges)];
    }
    if (dtype == DType::kBool) value &= 1;
    std::memcpy(bytes.data() + i * size, &value, size);
  }
  return bytes;
}

}  // namespace kernel_audit::sim::ops::oracle
