#include "kernel_audit/sim/ops/matmul_builder.h"

#include <utility>

namespace kernel_audit::sim::ops {
namespace {

using core::ErrorCode;
using core::Fail;

bool Valid(const Shape& shape) { return shape.size() <= kMaxRank && core::CheckedNumElements(shape) >= 0; }

}  // namespace

MatmulPlan::Builder::Builder(const MatmulShapes& shapes, const ir::DotDimensionNumbers& dims, bool transpose_lhs, bool transpose_rhs)
    : shapes_(shapes), dims_(dims == ir::DotDimensionNumbers{} ? Default(shapes.lhs.size()) : dims) {
  if (!Valid(shapes.lhs) || !Valid(shapes.rhs) || !Valid(shapes.acc)) return;  // Check refuses them
  lhs_ = SideOf(shapes.lhs, transpose_lhs);
  rhs_ = SideOf(shapes.rhs, transpose_rhs);
  out_strides_ = core::RowMajorStrides(shapes.acc);
}

MatmulPlan::Builder::Side MatmulPlan::Builder::SideOf(const Shape& shape, bool transpose) {
  Side side{shape, core::RowMajorStrides(shape)};
  const std::size_t rank = shape.size();
  if (transpose && rank >= 2) {
    std::swap(side.extents[rank - 1], side.extents[rank - 2]);
    std::swap(side.strides[rank - 1], side.strides[rank - 2]);
  }
  return side;
}

ir::DotDimensionNumbers MatmulPlan::Builder::Default(std::size_t rank) {
  ir::DotDimensionNumbers dims;
  if (rank < 2) return dims;
  const std::int64_t last = static_cast<std::int64_t>(rank) - 1;
  for (std::int64_t i = 0; i + 1 < last; ++i) {
    dims.lhs_batch.push_back(i);
    dims.rhs_batch.push_back(i);
  }
  dims.lhs_contracting = {last};
  dims.rhs_contracting = {last - 1};
  dims.lhs_free = {last - 1};
  dims.rhs_free = {last};
  return dims;
}

core::Result<void> MatmulPlan::Builder::CheckSide(const Side& side, const std::vector<std::int64_t>& contracting,
                                                  const std::vector<std::int64_t>& free, const std::vector<std::int64_t>& batch) const {
  if (contracting.size() != 1) return Fail(ErrorCode::kUnsupported, "tpu.matmul: more or fewer than one contracting dimension");
  std::vector<bool> named(side.extents.size());
  std::size_t count = 0;
  for (const std::vector<std::int64_t>* list : {&contracting, &free, &batch}) {
    for (const std::int64_t dimension : *list) {
      if (dimension < 0 || static_cast<std::size_t>(dimension) >= named.size() || named[static_cast<std::size_t>(dimension)]) {
        return Fail(ErrorCode::kBadInput, "tpu.matmul: dimension_numbers name dimension " + std::to_string(dimension) +
                                              ", which the operand lacks or which they named before");
      }
      named[static_cast<std::size_t>(dimension)] = true;
      ++count;
    }
  }
  if (count != named.size()) return Fail(ErrorCode::kBadInput, "tpu.matmul: dimension_numbers leave out a dimension of an operand");
  return {};
}

core::Result<void> MatmulPlan::Builder::Check() const {
  if (!Valid(shapes_.lhs) || !Valid(shapes_.rhs) || !Valid(shapes_.acc)) {
    return Fail(ErrorCode::kUnsupported, "tpu.matmul: a shape of more than 8 dimensions, with unknown extents or too large");
  }
  if (auto lhs = CheckSide(lhs_, dims_.lhs_contracting, dims_.lhs_free, dims_.lhs_batch); !lhs) return lhs;
  if (auto rhs = CheckSide(rhs_, dims_.rhs_contracting, dims_.rhs_free, dims_.rhs_batch); !rhs) return rhs;
  if (dims_.lhs_batch.size() != dims_.rhs_batch.size()) {
    return Fail(ErrorCode::kBadInput, "tpu.matmul: different numbers of batch dimensions");
  }
  const std::size_t rank = dims_.lhs_batch.size() + dims_.lhs_free.size() + dims_.rhs_free.size();
  if (shapes_.acc.size() != rank || (!dims_.output_order.empty() && dims_.output_order.size() != 2 * rank)) {
    return Fail(ErrorCode::kBadInput, "tpu.matmul: the result has " + std::to_string(rank) + " dimensions, the accumulator or output order not");
  }
  const std::int64_t lhs = lhs_.extents[static_cast<std::size_t>(dims_.lhs_contracting[0])];
  const std::int64_t rhs = rhs_.extents[static_cast<std::size_t>(dims_.rhs_contracting[0])];
  if (lhs != rhs) {
    return Fail(ErrorCode::kBadInput, "tpu.matmul: contracting extents " + std::to_string(lhs) + " and " + std::to_string(rhs) + " differ");
  }
  return {};
}

core::Result<MatmulPlan::Builder::Axis> MatmulPlan::Builder::OutAxis(std::int64_t side, std::int64_t dimension, std::int64_t extent) const {
  std::vector<std::int64_t> order = dims_.output_order;
  if (order.empty()) {
    for (const std::int64_t d : dims_.lhs_batch) order.insert(order.end(), {0, d});
    for (const std::int64_t d : dims_.lhs_free) order.insert(order.end(), {0, d});
    for (const std::int64_t d : dims_.rhs_free) order.insert(order.end(), {1, d});
  }
  for (std::size_t i = 0; i < shapes_.acc.size(); ++i) {
    if (order[2 * i] != side || order[2 * i + 1] != dimension) continue;
    if (shapes_.acc[i] != extent) {
      return Fail(ErrorCode::kBadInput, "tpu.matmul: dimension " + std::to_string(i) + " of the accumulator has extent " +
                                            std::to_string(shapes_.acc[i]) + " instead of " + std::to_string(extent));
    }
    return Axis{extent, out_strides_[i]};
  }
  return Fail(ErrorCode::kBadInput, "tpu.matmul: the output order leaves out dimension " + std::to_string(dimension) + " of an operand");
}

core::Result<void> MatmulPlan::Builder::FillBatches(MatmulPlan& plan) const {
  for (std::size_t i = 0; i < dims_.lhs_batch.size(); ++i) {
    const std::size_t lhs = static_cast<std::size_t>(dims_.lhs_batch[i]), rhs = static_cast<std::size_t>(dims_.rhs_batch[i]);
    if (lhs_.extents[lhs] != rhs_.extents[rhs]) return Fail(ErrorCode::kBadInput, "tpu.matmul: batch extents differ");
    const auto out = OutAxis(0, dims_.lhs_batch[i], lhs_.extents[lhs]);
    if (!out) return tl::unexpected(out.error());
    plan.batches_.push_back({out->extent, lhs_.strides[lhs], rhs_.strides[rhs], out->stride});
  }
  return {};
}

// All free dimensions but the last of a side: the product is made once for each of their indices.
core::Result<void> MatmulPlan::Builder::FillFurtherFree(MatmulPlan& plan) const {
  for (const bool right : {false, true}) {
    const Side& side = right ? rhs_ : lhs_;
    const std::vector<std::int64_t>& free = right ? dims_.rhs_free : dims_.lhs_free;
    for (std::size_t i = 0; i + 1 < free.size(); ++i) {
      const std::size_t d = static_cast<std::size_t>(free[i]);
      const auto out = OutAxis(right ? 1 : 0, free[i], side.extents[d]);
      if (!out) return tl::unexpected(out.error());
      plan.batches_.push_back({out->extent, right ? 0 : side.strides[d], right ? side.strides[d] : 0, out->stride});
    }
  }
  return plan.batches_.size() <= kMaxRank ? core::Result<void>() : Fail(ErrorCode::kUnsupported, "tpu.matmul: more than 8 batch and free dimensions");
}

core::Result<void> MatmulPlan::Builder::FillMatrices(MatmulPlan& plan) const {
  const std::size_t lhs_k = static_cast<std::size_t>(dims_.lhs_contracting[0]), rhs_k = static_cast<std::size_t>(dims_.rhs_contracting[0]);
  plan.lhs_ = {1, lhs_.extents[lhs_k], 1, lhs_.strides[lhs_k]};
  plan.rhs_ = {rhs_.extents[rhs_k], 1, rhs_.strides[rhs_k], 1};
  if (!dims_.lhs_free.empty()) {
    const std::size_t m = static_cast<std::size_t>(dims_.lhs_free.back());
    const auto out = OutAxis(0, dims_.lhs_free.back(), lhs_.extents[m]);
    if (!out) return tl::unexpected(out.error());
    plan.lhs_.rows = plan.out_.rows = out->extent;
    plan.lhs_.row_stride = lhs_.strides[m];
    plan.out_.row_stride = out->stride;
  }
  if (!dims_.rhs_free.empty()) {
    const std::size_t n = static_cast<std::size_t>(dims_.rhs_free.back());
    const auto out = OutAxis(1, dims_.rhs_free.back(), rhs_.extents[n]);
    if (!out) return tl::unexpected(out.error());
    plan.rhs_.columns = plan.out_.columns = out->extent;
    plan.rhs_.column_stride = rhs_.strides[n];
    plan.out_.column_stride = out->stride;
  }
  return {};
}

core::Result<void> MatmulPlan::Builder::Fill(MatmulPlan& plan) {
  if (auto checked = Check(); !checked) return checked;
  if (auto batches = FillBatches(plan); !batches) return batches;
  if (auto further = FillFurtherFree(plan); !further) return further;
  if (auto matrices = FillMatrices(plan); !matrices) return matrices;
  plan.out_elements_ = core::NumElements(shapes_.acc);
  return {};
}

}  // namespace kernel_audit::sim::ops
