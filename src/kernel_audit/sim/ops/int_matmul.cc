#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel_audit/sim/ops/int_matmul.cc"
#include "kernel_audit/sim/ops/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "kernel_audit/sim/ops/int_matmul.h"
#include "kernel_audit/sim/ops/loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernel_audit::sim::ops {
namespace HWY_NAMESPACE {

// One row of the result, four rows of rhs at a time.
HWY_INLINE void AddRow(std::uint32_t* out, const std::uint32_t* lhs, const std::uint32_t* rhs, std::int64_t rhs_leading, std::int64_t n,
                       std::int64_t k) {
  std::int64_t i = 0;
  for (; i + 4 <= k; i += 4) {
    const std::uint32_t a = lhs[i], b = lhs[i + 1], c = lhs[i + 2], d = lhs[i + 3];
    const std::uint32_t *p = rhs + i * rhs_leading, *q = p + rhs_leading, *r = q + rhs_leading, *s = r + rhs_leading;
    KA_INDEPENDENT
    for (std::int64_t j = 0; j < n; ++j) out[j] += a * p[j] + b * q[j] + c * r[j] + d * s[j];
  }
  for (; i < k; ++i) {
    const std::uint32_t a = lhs[i];
    const std::uint32_t* p = rhs + i * rhs_leading;
    KA_INDEPENDENT
    for (std::int64_t j = 0; j < n; ++j) out[j] += a * p[j];
  }
}

// In strips of columns that keep a row of the result in the first cache.
void AddProduct(std::uint32_t* out, std::int64_t leading, const std::uint32_t* lhs, const std::uint32_t* rhs, std::int64_t m, std::int64_t n,
                std::int64_t k) {
  constexpr std::int64_t kStrip = 256;
  for (std::int64_t column = 0; column < n; column += kStrip) {
    const std::int64_t width = std::min(kStrip, n - column);
    for (std::int64_t row = 0; row < m; ++row) AddRow(out + row * leading + column, lhs + row * k, rhs + column, n, width, k);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kernel_audit::sim::ops
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernel_audit::sim::ops {

HWY_EXPORT(AddProduct);

void AddIntProduct(std::uint32_t* out, std::int64_t leading, const std::uint32_t* lhs, const std::uint32_t* rhs, std::int64_t m, std::int64_t n,
                   std::int64_t k) {
  HWY_DYNAMIC_DISPATCH(AddProduct)(out, leading, lhs, rhs, m, n, k);
}

}  // namespace kernel_audit::sim::ops
#endif
