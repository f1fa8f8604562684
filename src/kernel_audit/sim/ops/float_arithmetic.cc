#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel_audit/sim/ops/float_arithmetic.cc"
#include "kernel_audit/sim/ops/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernel_audit/sim/ops/families.h"
#include "kernel_audit/sim/ops/loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernel_audit::sim::ops {
namespace HWY_NAMESPACE {

template <class T, T kBit>
struct FlipBit {
  static HWY_INLINE T Of(T bits) { return static_cast<T>(bits ^ kBit); }
};

template <class T, T kBit>
struct ClearBit {
  static HWY_INLINE T Of(T bits) { return static_cast<T>(bits & static_cast<T>(~kBit)); }
};

struct Sqrt {
  static HWY_INLINE float Of(float x) { return Canonical(__builtin_sqrtf(x)); }
};

struct Reciprocal {
  static HWY_INLINE float Of(float x) { return Canonical(1.0f / x); }
};
struct Ceil {
  static HWY_INLINE float Of(float x) { return Canonical(__builtin_ceilf(x)); }
};
struct Floor {
  static HWY_INLINE float Of(float x) { return Canonical(__builtin_floorf(x)); }
};
// Away from zero at the middle; what is an integer already (from 2^23 on) stays.
struct Round {
  static HWY_INLINE float Of(float x) {
    const float whole = __builtin_truncf(x);
    const float rounded = __builtin_fabsf(x - whole) >= 0.5f ? whole + __builtin_copysignf(1.0f, x) : whole;
    return Canonical(__builtin_copysignf(__builtin_fabsf(x) < 0x1p23f ? rounded : x, x));
  }
};
struct RoundEven {
  static HWY_INLINE float Of(float x) { return Canonical(__builtin_rintf(x)); }
};

template <class Element, class Bits, Bits kSign>
UnaryFn UnaryOf(OpCode code) {
  switch (code) {
    case OpCode::kNegF: return MapUnary<Int<Bits>, Int<Bits>, FlipBit<Bits, kSign>>;
    case OpCode::kAbsF: return MapUnary<Int<Bits>, Int<Bits>, ClearBit<Bits, kSign>>;
    case OpCode::kSqrt: return MapUnary<Element, Element, Sqrt>;
    case OpCode::kReciprocal: return MapUnary<Element, Element, Reciprocal>;
    case OpCode::kCeil: return MapUnary<Element, Element, Ceil>;
    case OpCode::kFloor: return MapUnary<Element, Element, Floor>;
    case OpCode::kRound: return MapUnary<Element, Element, Round>;
    case OpCode::kRoundEven: return MapUnary<Element, Element, RoundEven>;
    default: return nullptr;
  }
}

template <class Element>
BinaryFn BinaryOf(OpCode code) {
  switch (code) {
    case OpCode::kAddF: return MapBinary<Element, Element, AddF>;
    case OpCode::kSubF: return MapBinary<Element, Element, SubF>;
    case OpCode::kMulF: return MapBinary<Element, Element, MulF>;
    case OpCode::kDivF: return MapBinary<Element, Element, DivF>;
    case OpCode::kMaximumF: return MapBinary<Element, Element, MaximumF>;
    case OpCode::kMinimumF: return MapBinary<Element, Element, MinimumF>;
    default: return nullptr;
  }
}

UnaryFn FloatUnary(OpCode code, DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return UnaryOf<Float32, std::uint32_t, 0x80000000u>(code);
    case DType::kBFloat16: return UnaryOf<BFloat16, std::uint16_t, 0x8000u>(code);
    default: return nullptr;
  }
}

BinaryFn FloatBinary(OpCode code, DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return BinaryOf<Float32>(code);
    case DType::kBFloat16: return BinaryOf<BFloat16>(code);
    default: return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kernel_audit::sim::ops
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernel_audit::sim::ops {

HWY_EXPORT(FloatUnary);
HWY_EXPORT(FloatBinary);

UnaryFn FindFloatUnary(OpCode code, DType dtype) { return HWY_DYNAMIC_DISPATCH(FloatUnary)(code, dtype); }
BinaryFn FindFloatBinary(OpCode code, DType dtype) { return HWY_DYNAMIC_DISPATCH(FloatBinary)(code, dtype); }

}  // namespace kernel_audit::sim::ops
#endif
