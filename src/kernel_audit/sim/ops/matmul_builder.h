// Turns shapes and dimension numbers into the strides that MatmulPlan walks.
#pragma once

#include <optional>

#include "kernel_audit/sim/ops/matmul.h"

namespace kernel_audit::sim::ops {

class MatmulPlan::Builder {
 public:
  Builder(const MatmulShapes& shapes, const ir::DotDimensionNumbers& dims, bool transpose_lhs, bool transpose_rhs);

  // Fills matrices, batches and the result's size.
  core::Result<void> Fill(MatmulPlan& plan);

 private:
  // An operand's extents and strides, after transposition.
  struct Side {
    Shape extents, strides;
  };
  // A dimension of the result.
  struct Axis {
    std::int64_t extent = 1, stride = 1;
  };

  static Side SideOf(const Shape& shape, bool transpose);
  static ir::DotDimensionNumbers Default(std::size_t rank);
  core::Result<void> Check() const;
  core::Result<void> CheckSide(const Side& side, const std::vector<std::int64_t>& contracting, const std::vector<std::int64_t>& free,
                               const std::vector<std::int64_t>& batch) const;
  // Where the result holds dimension `dimension` of side 0 (lhs) or 1 (rhs), if it must have `extent`.
  core::Result<Axis> OutAxis(std::int64_t side, std::int64_t dimension, std::int64_t extent) const;
  core::Result<void> FillBatches(MatmulPlan& plan) const;
  core::Result<void> FillFurtherFree(MatmulPlan& plan) const;
  core::Result<void> FillMatrices(MatmulPlan& plan) const;

  const MatmulShapes& shapes_;
  ir::DotDimensionNumbers dims_;
  Side lhs_, rhs_;
  Shape out_strides_;
};

}  // namespace kernel_audit::sim::ops
