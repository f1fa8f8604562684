#include "kernel_audit/sim/ops/reduce.h"

#include <algorithm>
#include <cstring>

#include "kernel_audit/sim/ops/reduce_plan.h"
#include "kernel_audit/sim/ops/strided_copy.h"

namespace kernel_audit::sim::ops {

namespace {

ReduceFn Find(ir::ReductionKind kind, DType dtype) {
  return core::IsFloat(dtype) ? FindFloatReduction(kind, dtype) : FindIntReduction(kind, dtype);
}

struct Dimension {
  std::int64_t extent;
  bool reduced;
};

// The dimensions of `from` without those of extent 1, neighbours of one fate merged. Returns how many there are.
std::size_t Merge(const Shape& from, std::span<const std::int64_t> dims, std::array<Dimension, kMaxRank>& merged) {
  unsigned reduced = 0;
  for (const std::int64_t dim : dims) {
    Require(dim >= 0 && static_cast<std::size_t>(dim) < from.size() && (reduced >> dim & 1u) == 0, "no such dimension to reduce");
    reduced |= 1u << dim;
  }
  std::size_t rank = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const bool fate = (reduced >> i & 1u) != 0;
    if (from[i] == 1) continue;
    if (rank > 0 && merged[rank - 1].reduced == fate) {
      merged[rank - 1].extent *= from[i];
    } else {
      merged[rank++] = {from[i], fate};
    }
  }
  return rank;
}

void Prepend(LoopNest& nest, std::int64_t extent, std::int64_t stride) {
  std::copy_backward(nest.extents.begin(), nest.extents.begin() + nest.rank, nest.extents.begin() + nest.rank + 1);
  std::copy_backward(nest.strides.begin(), nest.strides.begin() + nest.rank, nest.strides.begin() + nest.rank + 1);
  nest.extents[0] = extent;
  nest.strides[0] = stride;
  ++nest.rank;
}

ReducePlan PlanOf(const Shape& from, std::span<const std::int64_t> dims) {
  Require(from.size() <= kMaxRank, "a shape has more dimensions than sim/ops takes");
  std::array<Dimension, kMaxRank> merged{};
  const std::size_t rank = Merge(from, dims, merged);
  ReducePlan plan;
  std::int64_t stride = 1;
  for (std::size_t i = rank; i-- > 0;) {
    const auto [extent, reduced] = merged[i];
    if (extent == 0) (reduced ? plan.no_elements : plan.no_results) = true;
    if (i + 1 == rank) {
      (reduced ? plan.run : plan.columns) = extent;
    } else {
      Prepend(reduced ? plan.reduced : plan.kept, extent, stride);
    }
    stride *= extent;
  }
  return plan;
}

std::size_t NumResults(const ReducePlan& plan) {
  std::int64_t count = plan.columns;
  for (std::size_t i = 0; i < plan.kept.rank; ++i) count *= plan.kept.extents[i];
  return static_cast<std::size_t>(count);
}

}  // namespace

bool CanReduce(ir::ReductionKind kind, DType dtype) { return Find(kind, dtype) != nullptr; }

void Reduce(ir::ReductionKind kind, DType dtype, void* dst, const void* src, const Shape& from, std::span<const std::int64_t> dims,
            const void* init) {
  const ReduceFn reduce = Find(kind, dtype);
  Require(reduce != nullptr, "a reduction that CanReduce refuses");
  const ReducePlan plan = PlanOf(from, dims);
  if (plan.no_results) return;
  if (plan.no_elements) {
    std::memmove(dst, init, NumResults(plan) * core::ByteSize(dtype));
  } else {
    reduce(dst, src, init, plan);
  }
}

}  // namespace kernel_audit::sim::ops
