#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel_audit/sim/ops/math.cc"
#include "kernel_audit/sim/ops/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <limits>

#include "kernel_audit/sim/ops/families.h"
#include "kernel_audit/sim/ops/loops-inl.h"
#include "kernel_audit/sim/ops/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernel_audit::sim::ops {
namespace HWY_NAMESPACE {

// Arguments beyond 2^20 are rare and need another reduction: the vector loop goes over all, a scalar loop mends those.
template <class Element>
void MapSin(void* dst, const void* a, std::size_t n) {
  constexpr std::size_t kBlock = 256;
  auto* to = static_cast<typename Element::Stored*>(dst);
  const auto* from = static_cast<const typename Element::Stored*>(a);
  float x[kBlock];
  for (std::size_t begin = 0; begin < n; begin += kBlock) {
    const std::size_t count = n - begin < kBlock ? n - begin : kBlock;
    unsigned large = 0;
    for (std::size_t i = 0; i < count; ++i) {
      x[i] = Element::Load(from[begin + i]);
      large |= !(__builtin_fabsf(x[i]) <= kSinLimit);
    }
    for (std::size_t i = 0; i < count; ++i) to[begin + i] = Element::Store(Sin::Of(x[i]));
    if (large == 0) continue;
    for (std::size_t i = 0; i < count; ++i) {
      if (!(__builtin_fabsf(x[i]) <= kSinLimit)) to[begin + i] = Element::Store(SinOfLarge(x[i]));
    }
  }
}

template <class Element>
UnaryFn MathOf(OpCode code) {
  switch (code) {
    case OpCode::kExp: return MapUnary<Element, Element, Exp>;
    case OpCode::kLog: return MapUnary<Element, Element, Log>;
    case OpCode::kTanh: return MapUnary<Element, Element, Tanh>;
    case OpCode::kSin: return MapSin<Element>;
    case OpCode::kRsqrt: return MapUnary<Element, Element, Rsqrt>;
    default: return nullptr;
  }
}

UnaryFn Math(OpCode code, DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return MathOf<Float32>(code);
    case DType::kBFloat16: return MathOf<BFloat16>(code);
    default: return nullptr;
  }
}

// Exact to about 70 bits: x / pi modulo 2 from the bits of 1/pi that matter at x's exponent.
float SinOfLargeFinite(float x) {
  __extension__ typedef unsigned __int128 UInt128;
  __extension__ typedef __int128 Int128;
  // 1/pi in binary, 64 bits an entry, behind 64 zeros; entry 0 ends at the binary point.
  constexpr std::uint64_t kInversePi[] = {0,
                                          0x517cc1b727220a94,
                                          0xfe13abe8fa9a6ee0,
                                          0x6db14acc9e21c820,
                                          0xff28b1d5ef5de2b0,
                                          0xdb92371d2126e970,
                                          0x0324977504e8c90e};
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const int exponent = static_cast<int>((bits >> 23) & 0xff) - 150;  // |x| = mantissa * 2^exponent, exponent in -3 .. 104
  const std::uint64_t mantissa = (bits & 0x7fffff) | 0x800000;
  const int first = exponent + 63;  // the bit of 1/pi whose weight, times 2^exponent, is 1
  const int word = first / 64, shift = first % 64;
  const UInt128 upper = (UInt128{kInversePi[word]} << 64) | kInversePi[word + 1];
  const UInt128 window = shift == 0 ? upper : (upper << shift) | (kInversePi[word + 2] >> (64 - shift));
  const UInt128 turns = mantissa * window;  // |x| / pi modulo 2, in units of 2^-127
  const double fraction = static_cast<double>(static_cast<Int128>(turns << 1)) * 0x1p-128;  // to the nearest integer: -1/2 .. 1/2
  const bool odd = ((turns >> 127) ^ (turns >> 126)) & 1;
  const double sine = SinOfReduced(fraction * 0x1.921fb54442d18p+1);
  return static_cast<float>((odd != ((bits >> 31) != 0)) ? -sine : sine);
}

}  // namespace HWY_NAMESPACE
}  // namespace kernel_audit::sim::ops
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernel_audit::sim::ops {

HWY_EXPORT(Math);

UnaryFn FindMath(OpCode code, DType dtype) { return HWY_DYNAMIC_DISPATCH(Math)(code, dtype); }

float SinOfLarge(float x) {
  if (!(__builtin_fabsf(x) <= std::numeric_limits<float>::max())) return std::bit_cast<float>(0x7fc00000u);
  return HWY_STATIC_DISPATCH(SinOfLargeFinite)(x);
}

}  // namespace kernel_audit::sim::ops
#endif
