// Products of bfloat16 matrices by the processor's own instructions for them (AMX, AVX512_BF16), through oneDNN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace kernel_audit::sim::ops {

// A matrix in memory: extents, and elements between neighbours along each.
struct ProductMatrix {
  std::int64_t rows = 1, columns = 1;
  std::int64_t row_stride = 1, column_stride = 1;
};

class BFloat16Product {
 public:
  // lhs (M, K) . rhs (K, N) into out (M, N). Null where the processor has no such instructions, or the matrices are too small to gain, or
  // neither of a matrix's strides is 1.
  static std::shared_ptr<BFloat16Product> Make(const ProductMatrix& lhs, const ProductMatrix& rhs, const ProductMatrix& out);
  virtual ~BFloat16Product() = default;

  // out = lhs . rhs, plus what was in out if `add`: products exact, sums in float32. False, and nothing done, where a sum could be subnormal in float32: the
  // instructions flush such to zero.
  virtual bool Run(float* out, const std::uint16_t* lhs, const std::uint16_t* rhs, bool add) = 0;
};

// The smallest magnitude among the n elements that are not zero, as its bits; all bits but the sign set where there is none.
std::uint16_t SmallestMagnitude(const std::uint16_t* elements, std::size_t n);
std::uint32_t SmallestMagnitude(const float* elements, std::size_t n);

}  // namespace kernel_audit::sim::ops
