// tpu.matmul: a plan made once an operation and run many times.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel_audit/core/error.h"
#include "kernel_audit/ir/op.h"
#include "kernel_audit/sim/ops/bfloat16_product.h"
#include "kernel_audit/sim/ops/structure.h"

namespace kernel_audit::sim::ops {

// What goes in: dense row-major operands, and the accumulator's shape, which is the result's.
struct MatmulShapes {
  Shape lhs, rhs, acc;
};

// Element types: any of kFloat32 and kBFloat16 on either side into kFloat32, any of kInt8, kInt16 and kInt32 into kInt32.
//
// Floats: products of two bfloat16 are exact; sums are float32, by oneDNN on one thread, in an order that depends on the sizes, on the
// CPU's instruction set (it may use FMA, or instructions for bfloat16 where no sum can be subnormal) and on nothing else: the same call
// gives the same bytes. Subnormals are kept, NaN and infinities propagate. Integers wrap, exactly.
//
// Dimension numbers: one contracting dimension a side, any number of free and batch dimensions, any output order. Without them: (..., M, K) times (..., K, N). transpose_lhs and transpose_rhs exchange an operand's last two dimensions before
// the dimension numbers name any.
class MatmulPlan {
 public:
  // Fails with kUnsupported for what the lines above leave out, with kBadInput where shapes and dimension numbers contradict each other.
  static core::Result<MatmulPlan> Make(const MatmulShapes& shapes, DType lhs, DType rhs, DType acc, const ir::DotDimensionNumbers& dims,
                                       bool transpose_lhs, bool transpose_rhs);

  // The same plan with working memory of its own, for another thread.
  MatmulPlan Fresh() const;

  // dst = lhs . rhs + acc; null stands for an acc of zeros. dst may be acc; otherwise blocks don't overlap. Allocates nothing here (oneDNN may, inside). A plan owns
  // working memory: one call at a time.
  void Run(void* dst, const void* lhs, const void* rhs, const void* acc);

 private:
  // A matrix inside an array: extents, and elements between neighbours.
  struct Matrix {
    std::int64_t rows = 1, columns = 1;
    std::int64_t row_stride = 1, column_stride = 1;
    bool unit_columns() const { return columns == 1 || column_stride == 1; }
    bool unit_rows() const { return rows == 1 || row_stride == 1; }
  };
  // A matrix as a product can read it: element (i, j) at data[i * leading + j], or at data[j * leading + i] if transposed.
  struct Ready {
    const void* data;
    std::int64_t leading;
    bool transposed;
  };
  struct Batch {
    std::int64_t extent, lhs_stride, rhs_stride, out_stride;
  };
  class Builder;

  bool RunNarrow(std::byte* dst, const std::byte* lhs, const std::byte* rhs, bool add);
  bool NeedsPacking(const Matrix& matrix, DType dtype) const;
  Ready Prepare(const Matrix& matrix, DType dtype, const std::byte* data, std::vector<std::byte>& scratch) const;
  void RunOne(std::byte* dst, const std::byte* lhs, const std::byte* rhs, bool add);
  void Multiply(void* out, std::int64_t leading, const Ready& lhs, const Ready& rhs, bool add) const;
  bool is_float() const { return acc_type_ == DType::kFloat32; }

  DType lhs_type_ = DType::kFloat32, rhs_type_ = DType::kFloat32, acc_type_ = DType::kFloat32;
  Matrix lhs_, rhs_, out_;  // lhs_ (M, K), rhs_ (K, N), out_ (M, N)
  bool swapped_ = false;    // lhs_ describes the right operand, rhs_ the left one
  std::vector<Batch> batches_;
  std::int64_t out_elements_ = 0;
  std::vector<std::byte> lhs_scratch_, rhs_scratch_, out_scratch_;
  bool narrow_tried_ = false;
  std::shared_ptr<BFloat16Product> narrow_;  // of two bfloat16 matrices, where there is one
};

}  // namespace kernel_audit::sim::ops
