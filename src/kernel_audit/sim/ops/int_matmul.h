// The integer product inside MatmulPlan.
#pragma once

#include <cstdint>

namespace kernel_audit::sim::ops {

// out (m, n; rows `leading` apart) += lhs (m, k) . rhs (k, n), modulo 2^32; lhs and rhs dense.
void AddIntProduct(std::uint32_t* out, std::int64_t leading, const std::uint32_t* lhs, const std::uint32_t* rhs, std::int64_t m, std::int64_t n,
                   std::int64_t k);

}  // namespace kernel_audit::sim::ops
