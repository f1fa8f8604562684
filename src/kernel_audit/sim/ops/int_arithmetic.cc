#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel_audit/sim/ops/int_arithmetic.cc"
#include "kernel_audit/sim/ops/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <limits>

#include "kernel_audit/sim/ops/families.h"
#include "kernel_audit/sim/ops/loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernel_audit::sim::ops {
namespace HWY_NAMESPACE {

// True where C++'s signed division has no answer. Dividing by 1 instead gives the dividend, which is right for the smallest by -1.
template <class T>
HWY_INLINE bool Undefined(T a, T b) {
  return b == 0 || (b == -1 && a == std::numeric_limits<T>::min());
}

struct DivSI {
  template <class T>
  static HWY_INLINE T Of(T a, T b) {
    const T quotient = static_cast<T>(a / (Undefined(a, b) ? T{1} : b));
    return b == 0 ? T{-1} : quotient;
  }
};

struct RemSI {
  template <class T>
  static HWY_INLINE T Of(T a, T b) {
    const T remainder = static_cast<T>(a % (Undefined(a, b) ? T{1} : b));
    return b == 0 ? a : remainder;
  }
};

struct DivUI {
  template <class T>
  static HWY_INLINE T Of(T a, T b) { return b == 0 ? T{-1} : static_cast<T>(Wide(a) / Wide(b)); }
};

struct RemUI {
  template <class T>
  static HWY_INLINE T Of(T a, T b) { return b == 0 ? a : static_cast<T>(Wide(a) % Wide(b)); }
};

struct MaxUI {
  template <class T>
  static HWY_INLINE T Of(T a, T b) { return Wide(a) < Wide(b) ? b : a; }
};

struct MinUI {
  template <class T>
  static HWY_INLINE T Of(T a, T b) { return Wide(b) < Wide(a) ? b : a; }
};

template <class T>
inline constexpr std::make_unsigned_t<T> kLastBit = sizeof(T) * 8 - 1;

struct ShlI {
  template <class T>
  static HWY_INLINE T Of(T a, T b) {
    const auto amount = static_cast<std::make_unsigned_t<T>>(b);
    const T shifted = static_cast<T>(Wide(a) << (amount & kLastBit<T>));
    return amount > kLastBit<T> ? T{0} : shifted;
  }
};

struct ShrSI {
  template <class T>
  static HWY_INLINE T Of(T a, T b) {
    const auto amount = static_cast<std::make_unsigned_t<T>>(b);
    return static_cast<T>(a >> (amount > kLastBit<T> ? kLastBit<T> : amount));
  }
};

struct ShrUI {
  template <class T>
  static HWY_INLINE T Of(T a, T b) {
    const auto amount = static_cast<std::make_unsigned_t<T>>(b);
    const T shifted = static_cast<T>(Wide(a) >> (amount & kLastBit<T>));
    return amount > kLastBit<T> ? T{0} : shifted;
  }
};

template <class T>
BinaryFn BinaryOf(OpCode code) {
  using E = Int<T>;
  switch (code) {
    case OpCode::kAddI: return MapBinary<E, E, AddI>;
    case OpCode::kSubI: return MapBinary<E, E, SubI>;
    case OpCode::kMulI: return MapBinary<E, E, MulI>;
    case OpCode::kDivSI: return MapBinary<E, E, DivSI>;
    case OpCode::kRemSI: return MapBinary<E, E, RemSI>;
    case OpCode::kDivUI: return MapBinary<E, E, DivUI>;
    case OpCode::kRemUI: return MapBinary<E, E, RemUI>;
    case OpCode::kMaxSI: return MapBinary<E, E, MaxSI>;
    case OpCode::kMinSI: return MapBinary<E, E, MinSI>;
    case OpCode::kMaxUI: return MapBinary<E, E, MaxUI>;
    case OpCode::kMinUI: return MapBinary<E, E, MinUI>;
    case OpCode::kAndI: return MapBinary<E, E, AndI>;
    case OpCode::kOrI: return MapBinary<E, E, OrI>;
    case OpCode::kXOrI: return MapBinary<E, E, XOrI>;
    case OpCode::kShlI: return MapBinary<E, E, ShlI>;
    case OpCode::kShrSI: return MapBinary<E, E, ShrSI>;
    case OpCode::kShrUI: return MapBinary<E, E, ShrUI>;
    default: return nullptr;
  }
}

// a and not b; a or not b: what division and shifts come to in one bit.
struct AndNot {
  static HWY_INLINE std::uint8_t Of(std::uint8_t a, std::uint8_t b) { return a & (b ^ 1); }
};
struct OrNot {
  static HWY_INLINE std::uint8_t Of(std::uint8_t a, std::uint8_t b) { return a | (b ^ 1); }
};
struct Left {
  static HWY_INLINE std::uint8_t Of(std::uint8_t a, std::uint8_t) { return a; }
};

BinaryFn BoolOf(OpCode code) {
  using E = Int<std::uint8_t>;
  switch (code) {
    case OpCode::kAddI:
    case OpCode::kSubI:
    case OpCode::kXOrI: return MapBinary<E, E, XOrI>;
    case OpCode::kMulI:
    case OpCode::kMaxSI:  // true is -1, the smaller
    case OpCode::kMinUI:
    case OpCode::kAndI: return MapBinary<E, E, AndI>;
    case OpCode::kMinSI:
    case OpCode::kMaxUI:
    case OpCode::kOrI: return MapBinary<E, E, OrI>;
    case OpCode::kDivSI:
    case OpCode::kDivUI: return MapBinary<E, E, OrNot>;
    case OpCode::kRemSI:
    case OpCode::kRemUI:
    case OpCode::kShlI:
    case OpCode::kShrUI: return MapBinary<E, E, AndNot>;
    case OpCode::kShrSI: return MapBinary<E, E, Left>;
    default: return nullptr;
  }
}

BinaryFn IntBinary(OpCode code, DType dtype) {
  switch (dtype) {
    case DType::kBool: return BoolOf(code);
    case DType::kInt8: return BinaryOf<std::int8_t>(code);
    case DType::kInt16: return BinaryOf<std::int16_t>(code);
    case DType::kInt32: return BinaryOf<std::int32_t>(code);
    case DType::kInt64:
    case DType::kIndex: return BinaryOf<std::int64_t>(code);
    default: return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kernel_audit::sim::ops
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernel_audit::sim::ops {

HWY_EXPORT(IntBinary);

BinaryFn FindIntBinary(OpCode code, DType dtype) { return HWY_DYNAMIC_DISPATCH(IntBinary)(code, dtype); }

}  // namespace kernel_audit::sim::ops
#endif
