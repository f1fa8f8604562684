#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel_audit/sim/ops/magnitude.cc"
#include "kernel_audit/sim/ops/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>

#include "kernel_audit/sim/ops/bfloat16_product.h"
#include "kernel_audit/sim/ops/loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernel_audit::sim::ops {
namespace HWY_NAMESPACE {

// One less, so that zero is the largest.
std::uint16_t SmallestOf16(const std::uint16_t* bits, std::size_t n) {
  std::uint16_t smallest = 0x7fff;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint16_t below = static_cast<std::uint16_t>((bits[i] & 0x7fffu) - 1);
    smallest = below < smallest ? below : smallest;
  }
  return smallest;
}

std::uint32_t SmallestOf32(const float* elements, std::size_t n) {
  std::uint32_t smallest = 0x7fffffff;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t below = (std::bit_cast<std::uint32_t>(elements[i]) & 0x7fffffffu) - 1;
    smallest = below < smallest ? below : smallest;
  }
  return smallest;
}

}  // namespace HWY_NAMESPACE
}  // namespace kernel_audit::sim::ops
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernel_audit::sim::ops {

HWY_EXPORT(SmallestOf16);
HWY_EXPORT(SmallestOf32);

std::uint16_t SmallestMagnitude(const std::uint16_t* elements, std::size_t n) {
  const std::uint16_t below = HWY_DYNAMIC_DISPATCH(SmallestOf16)(elements, n);
  return static_cast<std::uint16_t>(below + (below != 0x7fff));
}

std::uint32_t SmallestMagnitude(const float* elements, std::size_t n) {
  const std::uint32_t below = HWY_DYNAMIC_DISPATCH(SmallestOf32)(elements, n);
  return below + (below != 0x7fffffff);
}

}  // namespace kernel_audit::sim::ops
#endif
