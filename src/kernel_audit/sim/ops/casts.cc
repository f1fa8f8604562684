#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel_audit/sim/ops/casts.cc"
#include "kernel_audit/sim/ops/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <limits>

#include "kernel_audit/sim/ops/families.h"
#include "kernel_audit/sim/ops/loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernel_audit::sim::ops {
namespace HWY_NAMESPACE {

struct Same {
  template <class T>
  static HWY_INLINE T Of(T value) { return value; }
};

// i1, with its one bit as a sign (true is -1) or as a magnitude.
struct SignedBool {
  using Stored = std::uint8_t;
  static HWY_INLINE std::int8_t Load(std::uint8_t value) { return static_cast<std::int8_t>(-static_cast<int>(value & 1)); }
};
struct LowBit {
  using Stored = std::uint8_t;
  template <class T>
  static HWY_INLINE std::uint8_t Store(T value) { return static_cast<std::uint8_t>(value & 1); }
};

template <class To>
struct Convert {
  template <class From>
  static HWY_INLINE To Of(From value) { return static_cast<To>(value); }
};

// A double of magnitude 0 or 1 .. 2^63 to bfloat16, to nearest, ties to even.
HWY_INLINE std::uint16_t RoundToBFloat16(double value) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = bits & 0x7fffffffffffffffu;
  const std::uint64_t rounded = (magnitude + 0xfffffffffffu + ((magnitude >> 45) & 1)) >> 45;
  const std::uint64_t rebiased = magnitude == 0 ? 0 : rounded - ((1023u - 127u) << 7);
  return static_cast<std::uint16_t>(rebiased | ((bits >> 48) & 0x8000u));
}

// Integers up to 32 bits are exact in double. Of a larger one the low 12 bits count only as "not zero", so that rounding to double
// does not round it once more.
struct IntToBFloat16 {
  template <class T>
  static HWY_INLINE std::uint16_t Of(T value) { return RoundToBFloat16(static_cast<double>(value)); }

  static HWY_INLINE std::uint16_t Of(std::int64_t value) {
    const std::uint64_t bits = static_cast<std::uint64_t>(value);
    const std::uint64_t magnitude = value < 0 ? 0 - bits : bits;
    const std::uint64_t sticky = (magnitude >> 12) | ((magnitude & 0xfff) != 0 ? 1 : 0);
    const double exact = magnitude < (std::uint64_t{1} << 52) ? static_cast<double>(static_cast<std::int64_t>(magnitude))
                                                              : static_cast<double>(static_cast<std::int64_t>(sticky)) * 4096.0;
    return RoundToBFloat16(value < 0 ? -exact : exact);
  }
};

// The ends of T's range are -2^k and 2^k - 1: the lower one is a float, so is 2^k, and what lies below 2^k needs no clamping.
template <class T, int kBits>
struct Saturate {
  static HWY_INLINE T Of(float x) {
    constexpr float kEnd = static_cast<float>(std::uint64_t{1} << (kBits - 1));
    constexpr float kBelowEnd = std::bit_cast<float>(std::bit_cast<std::uint32_t>(kEnd) - 1);
    const float ordered = x == x ? x : 0.0f;
    const float from_below = ordered < -kEnd ? -kEnd : ordered;
    const T inside = static_cast<T>(from_below > kBelowEnd ? kBelowEnd : from_below);
    return x >= kEnd ? static_cast<T>((std::uint64_t{1} << (kBits - 1)) - 1) : inside;
  }
};

template <class From>
UnaryFn FromInt(DType to) {
  switch (to) {
    case DType::kFloat32: return MapUnary<From, Float32, Convert<float>>;
    case DType::kBFloat16: return MapUnary<From, Int<std::uint16_t>, IntToBFloat16>;
    default: return nullptr;
  }
}

UnaryFn SIToFP(DType from, DType to) {
  switch (from) {
    case DType::kBool: return FromInt<SignedBool>(to);
    case DType::kInt8: return FromInt<Int<std::int8_t>>(to);
    case DType::kInt16: return FromInt<Int<std::int16_t>>(to);
    case DType::kInt32: return FromInt<Int<std::int32_t>>(to);
    case DType::kInt64:
    case DType::kIndex: return FromInt<Int<std::int64_t>>(to);
    default: return nullptr;
  }
}

// Unsigned integers of up to 32 bits, as 64 signed ones.
template <class T>
struct Unsigned {
  using Stored = T;
  static HWY_INLINE std::int64_t Load(T value) { return static_cast<std::int64_t>(value); }
};

UnaryFn UIToFP(DType from, DType to) {
  switch (from) {
    case DType::kBool:
    case DType::kInt8: return FromInt<Unsigned<std::uint8_t>>(to);
    case DType::kInt16: return FromInt<Unsigned<std::uint16_t>>(to);
    case DType::kInt32: return FromInt<Unsigned<std::uint32_t>>(to);
    default: return nullptr;
  }
}

// From 0 to 2^k - 1; NaN gives 0.
template <class T>
struct SaturateUnsigned {
  static HWY_INLINE T Of(float x) {
    constexpr float kEnd = static_cast<float>(std::uint64_t{1} << (8 * sizeof(T)));
    const float inside = x > 0.0f ? (x < kEnd ? x : 0.0f) : 0.0f;
    return x >= kEnd ? static_cast<T>(~T{0}) : static_cast<T>(static_cast<std::int64_t>(inside));
  }
};

template <class From>
UnaryFn FPToUIFrom(DType to) {
  switch (to) {
    case DType::kInt8: return MapUnary<From, Int<std::uint8_t>, SaturateUnsigned<std::uint8_t>>;
    case DType::kInt16: return MapUnary<From, Int<std::uint16_t>, SaturateUnsigned<std::uint16_t>>;
    case DType::kInt32: return MapUnary<From, Int<std::uint32_t>, SaturateUnsigned<std::uint32_t>>;
    default: return nullptr;
  }
}

template <class From>
UnaryFn FPToSIFrom(DType to) {
  switch (to) {
    case DType::kBool: return MapUnary<From, LowBit, Saturate<std::int8_t, 1>>;
    case DType::kInt8: return MapUnary<From, Int<std::int8_t>, Saturate<std::int8_t, 8>>;
    case DType::kInt16: return MapUnary<From, Int<std::int16_t>, Saturate<std::int16_t, 16>>;
    case DType::kInt32: return MapUnary<From, Int<std::int32_t>, Saturate<std::int32_t, 32>>;
    case DType::kInt64:
    case DType::kIndex: return MapUnary<From, Int<std::int64_t>, Saturate<std::int64_t, 64>>;
    default: return nullptr;
  }
}

UnaryFn FloatCast(OpCode code, DType from, DType to) {
  const bool narrow = from == DType::kBFloat16;
  if (code == OpCode::kSIToFP) return SIToFP(from, to);
  if (code == OpCode::kUIToFP) return UIToFP(from, to);
  if (!narrow && from != DType::kFloat32) return nullptr;
  if (code == OpCode::kFPToUI) return narrow ? FPToUIFrom<BFloat16>(to) : FPToUIFrom<Float32>(to);
  if (code == OpCode::kFPToSI) return narrow ? FPToSIFrom<BFloat16>(to) : FPToSIFrom<Float32>(to);
  if (code == OpCode::kExtF && narrow && to == DType::kFloat32) return MapUnary<BFloat16, Float32, Same>;
  if (code == OpCode::kTruncF && !narrow && to == DType::kBFloat16) return MapUnary<Float32, BFloat16, Same>;
  return nullptr;
}

template <class From>
UnaryFn IntTo(DType to) {
  switch (to) {
    case DType::kBool: return MapUnary<From, LowBit, Same>;
    case DType::kInt8: return MapUnary<From, Int<std::int8_t>, Convert<std::int8_t>>;
    case DType::kInt16: return MapUnary<From, Int<std::int16_t>, Convert<std::int16_t>>;
    case DType::kInt32: return MapUnary<From, Int<std::int32_t>, Convert<std::int32_t>>;
    case DType::kInt64:
    case DType::kIndex: return MapUnary<From, Int<std::int64_t>, Convert<std::int64_t>>;
    default: return nullptr;
  }
}

UnaryFn SignedIntCast(DType from, DType to) {
  switch (from) {
    case DType::kBool: return IntTo<SignedBool>(to);
    case DType::kInt8: return IntTo<Int<std::int8_t>>(to);
    case DType::kInt16: return IntTo<Int<std::int16_t>>(to);
    case DType::kInt32: return IntTo<Int<std::int32_t>>(to);
    case DType::kInt64:
    case DType::kIndex: return IntTo<Int<std::int64_t>>(to);
    default: return nullptr;
  }
}

UnaryFn UnsignedIntCast(DType from, DType to) {
  switch (from) {
    case DType::kBool:
    case DType::kInt8: return IntTo<Int<std::uint8_t>>(to);
    case DType::kInt16: return IntTo<Int<std::uint16_t>>(to);
    case DType::kInt32: return IntTo<Int<std::uint32_t>>(to);
    default: return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kernel_audit::sim::ops
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernel_audit::sim::ops {

HWY_EXPORT(FloatCast);
HWY_EXPORT(SignedIntCast);
HWY_EXPORT(UnsignedIntCast);

namespace {

int Bits(DType dtype) { return dtype == DType::kBool ? 1 : static_cast<int>(8 * core::ByteSize(dtype)); }

}  // namespace

UnaryFn FindFloatCast(OpCode code, DType from, DType to) { return HWY_DYNAMIC_DISPATCH(FloatCast)(code, from, to); }

UnaryFn FindIntCast(OpCode code, DType from, DType to) {
  const bool wider = Bits(to) > Bits(from), narrower = Bits(to) < Bits(from);
  const bool one_index = (from == DType::kIndex) != (to == DType::kIndex);
  if (code == OpCode::kExtUI && wider) return HWY_DYNAMIC_DISPATCH(UnsignedIntCast)(from, to);
  if ((code == OpCode::kExtSI && wider) || (code == OpCode::kTruncI && narrower) || (code == OpCode::kIndexCast && one_index)) {
    return HWY_DYNAMIC_DISPATCH(SignedIntCast)(from, to);
  }
  return nullptr;
}

}  // namespace kernel_audit::sim::ops
#endif
