// Transcendental functions of a float32, evaluated in double precision without tables, branches or FMA, so that every target gives the
// same bytes and the compiler can vectorise the loops around them. The polynomials are minimax approximations in relative error, below
// 1e-13 each; rounding to float32 then adds all of the error that can be seen. Compiled once a target.
#if defined(KERNEL_AUDIT_SIM_OPS_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNEL_AUDIT_SIM_OPS_MATH_INL_H_
#undef KERNEL_AUDIT_SIM_OPS_MATH_INL_H_
#else
#define KERNEL_AUDIT_SIM_OPS_MATH_INL_H_
#endif

#include "kernel_audit/sim/ops/loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernel_audit::sim::ops {
namespace HWY_NAMESPACE {

inline constexpr double kLn2 = 0x1.62e42fefa39efp-1;
inline constexpr double kLog2E = 0x1.71547652b82fep+0;
// Adding it rounds to an integer, which then stands in the low bits of the sum.
inline constexpr double kRounder = 0x1.8p52;
inline constexpr float kInfinity = __builtin_inff();
// Up to here Sin reduces its argument exactly enough.
inline constexpr float kSinLimit = 0x1p20f;

// e^y = scale * (1 + part) for -1000 < y < 1000.
struct SplitExp {
  double scale, part;
};

HWY_INLINE SplitExp SplitExpOf(double y) {
  const double shifted = y * kLog2E + kRounder;
  const double r = y - (shifted - kRounder) * kLn2;
  double p = 0x1.71de3d18511fcp-19;
  p = p * r + 0x1.a159db9647c41p-16;
  p = p * r + 0x1.a01a8d4e5903fp-13;
  p = p * r + 0x1.6c164e57d0280p-10;
  p = p * r + 0x1.111110d9304fbp-7;
  p = p * r + 0x1.55555573f80d9p-5;
  p = p * r + 0x1.555555556d75cp-3;
  p = p * r + 0x1.fffffffff734ep-2;
  p = p * r + 0x1.fffffffffff9dp-1;
  const std::uint64_t exponent = std::bit_cast<std::uint64_t>(shifted) << 52;
  return {std::bit_cast<double>(exponent + 0x3ff0000000000000u), p * r};
}

// Beyond -104 and 89 the result is 0 and infinity in float32 already.
struct Exp {
  static HWY_INLINE float Of(float x) {
    const float from_below = x < -104.0f ? -104.0f : x;
    const SplitExp e = SplitExpOf(from_below > 89.0f ? 89.0f : from_below);
    return Canonical(static_cast<float>(e.scale + e.scale * e.part));
  }
};

// t / (t + 2) with t = e^(2|x|) - 1, which keeps its relative precision near 0. Beyond 10 the result is 1 in float32.
struct Tanh {
  static HWY_INLINE float Of(float x) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
    const float magnitude = std::bit_cast<float>(bits & 0x7fffffffu);
    const SplitExp e = SplitExpOf(2.0 * (magnitude > 10.0f ? 10.0f : magnitude));
    const double t = e.scale * e.part + (e.scale - 1.0);
    const std::uint32_t result = std::bit_cast<std::uint32_t>(static_cast<float>(t / (t + 2.0)));
    return Canonical(std::bit_cast<float>(result | (bits & 0x80000000u)));
  }
};

// x = 2^e * m with m in sqrt(1/2) .. sqrt(2); log m = 2 atanh(s) with s = (m - 1) / (m + 1).
struct Log {
  static HWY_INLINE float Of(float x) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(static_cast<double>(x));
    const std::uint64_t biased = (bits - 0x3fe6a09e667f3bcdu + (std::uint64_t{1024} << 52)) >> 52;  // e + 1024
    const double m = std::bit_cast<double>(bits - ((biased - 1024) << 52));
    const double e = std::bit_cast<double>(biased | 0x4330000000000000u) - (0x1p52 + 1024.0);
    const double s = (m - 1.0) / (m + 1.0);
    const double z = s * s;
    double p = 0x1.9199a563b4436p-3;
    p = p * z + 0x1.c620723992f65p-3;
    p = p * z + 0x1.249439ae54c49p-2;
    p = p * z + 0x1.99999627ee5d0p-2;
    p = p * z + 0x1.5555555673291p-1;
    p = p * z + 0x1.fffffffffff10p+0;
    float result = static_cast<float>(e * kLn2 + s * p);
    result = x == 0.0f ? -kInfinity : result;
    result = x == kInfinity ? kInfinity : result;
    result = x >= 0.0f ? result : std::bit_cast<float>(0x7fc00000u);
    return result;
  }
};

// sin r for |r| <= pi/2.
HWY_INLINE double SinOfReduced(double r) {
  const double z = r * r;
  double p = 0x1.52ac265c94b3bp-33;
  p = p * z - 0x1.ae00f2d56f26bp-26;
  p = p * z + 0x1.71dce5757cc0ep-19;
  p = p * z - 0x1.a019fce86ee45p-13;
  p = p * z + 0x1.111111090cc42p-7;
  p = p * z - 0x1.5555555540b23p-3;
  p = p * z + 0x1.ffffffffffdcdp-1;
  return r * p;
}

// For |x| <= kSinLimit. r = x - k pi with pi in three parts, of which k times the first two is exact.
struct Sin {
  static HWY_INLINE float Of(float x) {
    const double shifted = static_cast<double>(x) * 0x1.45f306dc9c883p-2 + kRounder;
    const double k = shifted - kRounder;
    const double r = ((static_cast<double>(x) - k * 0x1.921fb544p+1) - k * 0x1.0b4611a6p-33) - k * 0x1.3198a2e037073p-68;
    const std::uint64_t odd = std::bit_cast<std::uint64_t>(shifted) << 63;
    const std::uint64_t sine = std::bit_cast<std::uint64_t>(SinOfReduced(r)) ^ odd;
    return Canonical(static_cast<float>(std::bit_cast<double>(sine)));
  }
};

struct Rsqrt {
  static HWY_INLINE float Of(float x) { return Canonical(static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(x)))); }
};

}  // namespace HWY_NAMESPACE
}  // namespace kernel_audit::sim::ops
HWY_AFTER_NAMESPACE();

#endif  // KERNEL_AUDIT_SIM_OPS_MATH_INL_H_
