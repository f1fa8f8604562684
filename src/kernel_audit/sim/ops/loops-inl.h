// Loops over blocks of elements, compiled once a target.
#if defined(KERNEL_AUDIT_SIM_OPS_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNEL_AUDIT_SIM_OPS_LOOPS_INL_H_
#undef KERNEL_AUDIT_SIM_OPS_LOOPS_INL_H_
#else
#define KERNEL_AUDIT_SIM_OPS_LOOPS_INL_H_
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

// The iterations of the loop that follows touch different elements (source and destination are the same block or apart).
#undef KA_INDEPENDENT
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"  // divisions have no vector instructions; they may stay a loop
#define KA_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define KA_INDEPENDENT _Pragma("GCC ivdep")
#endif

HWY_BEFORE_NAMESPACE();
namespace kernel_audit::sim::ops {
namespace HWY_NAMESPACE {

// Where IEEE leaves a NaN's bits open, and x86 takes them from whichever operand the compiler put first, we say: 0x7fc00000.
HWY_INLINE float Canonical(float value) { return value == value ? value : std::bit_cast<float>(0x7fc00000u); }

// How elements lie in memory (Stored), what operations work on (Load's type), and back.
struct Float32 {
  using Stored = float;
  static HWY_INLINE float Load(float value) { return value; }
  static HWY_INLINE float Store(float value) { return value; }
};

struct BFloat16 {
  using Stored = std::uint16_t;
  static HWY_INLINE float Load(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
  static HWY_INLINE std::uint16_t Store(float value) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const std::uint32_t quiet_nan = ((bits >> 16) & 0x8000u) | 0x7fc0u;
    return static_cast<std::uint16_t>(value == value ? rounded : quiet_nan);
  }
};

template <class T>
struct Int {
  using Stored = T;
  static HWY_INLINE T Load(T value) { return value; }
  static HWY_INLINE T Store(T value) { return value; }
};

template <class From, class To, class Op>
void MapUnary(void* dst, const void* a, std::size_t n) {
  auto* to = static_cast<typename To::Stored*>(dst);
  const auto* from = static_cast<const typename From::Stored*>(a);
  KA_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) to[i] = To::Store(Op::Of(From::Load(from[i])));
}

template <class From, class To, class Op>
void MapBinary(void* dst, const void* a, const void* b, std::size_t n) {
  auto* to = static_cast<typename To::Stored*>(dst);
  const auto* left = static_cast<const typename From::Stored*>(a);
  const auto* right = static_cast<const typename From::Stored*>(b);
  KA_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) to[i] = To::Store(Op::Of(From::Load(left[i]), From::Load(right[i])));
}

struct AddF {
  static HWY_INLINE float Of(float a, float b) { return Canonical(a + b); }
};
struct SubF {
  static HWY_INLINE float Of(float a, float b) { return Canonical(a - b); }
};
struct MulF {
  static HWY_INLINE float Of(float a, float b) { return Canonical(a * b); }
};
struct DivF {
  static HWY_INLINE float Of(float a, float b) { return Canonical(a / b); }
};

// Equal operands differ at most in a zero's sign, which `and` clears where either is clear and `or` sets where either is set.
struct MaximumF {
  static HWY_INLINE float Of(float a, float b) {
    const float larger = a < b ? b : a;
    const float both = std::bit_cast<float>(std::bit_cast<std::uint32_t>(a) & std::bit_cast<std::uint32_t>(b));
    const float result = a == b ? both : larger;
    return ((a == a) & (b == b)) ? result : std::bit_cast<float>(0x7fc00000u);
  }
};
struct MinimumF {
  static HWY_INLINE float Of(float a, float b) {
    const float smaller = b < a ? b : a;
    const float both = std::bit_cast<float>(std::bit_cast<std::uint32_t>(a) | std::bit_cast<std::uint32_t>(b));
    const float result = a == b ? both : smaller;
    return ((a == a) & (b == b)) ? result : std::bit_cast<float>(0x7fc00000u);
  }
};

// Unsigned arithmetic wraps; below 32 bits C++ would first promote to int, where it may overflow.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) < 4, std::uint32_t, std::make_unsigned_t<T>>;

template <class T>
HWY_INLINE Wrapping<T> Wide(T value) {
  return static_cast<std::make_unsigned_t<T>>(value);
}

struct AddI {
  template <class T>
  static HWY_INLINE T Of(T a, T b) { return static_cast<T>(Wide(a) + Wide(b)); }
};
struct SubI {
  template <class T>
  static HWY_INLINE T Of(T a, T b) { return static_cast<T>(Wide(a) - Wide(b)); }
};
struct MulI {
  template <class T>
  static HWY_INLINE T Of(T a, T b) { return static_cast<T>(Wide(a) * Wide(b)); }
};
struct MaxSI {
  template <class T>
  static HWY_INLINE T Of(T a, T b) { return a < b ? b : a; }
};
struct MinSI {
  template <class T>
  static HWY_INLINE T Of(T a, T b) { return b < a ? b : a; }
};
struct AndI {
  template <class T>
  static HWY_INLINE T Of(T a, T b) { return static_cast<T>(a & b); }
};
struct OrI {
  template <class T>
  static HWY_INLINE T Of(T a, T b) { return static_cast<T>(a | b); }
};
struct XOrI {
  template <class T>
  static HWY_INLINE T Of(T a, T b) { return static_cast<T>(a ^ b); }
};

}  // namespace HWY_NAMESPACE
}  // namespace kernel_audit::sim::ops
HWY_AFTER_NAMESPACE();

#endif  // KERNEL_AUDIT_SIM_OPS_LOOPS_INL_H_
