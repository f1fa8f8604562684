// How Reduce walks through its operand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernel_audit/ir/op.h"
#include "kernel_audit/sim/ops/structure.h"

namespace kernel_audit::sim::ops {

// Extents and source strides, outermost first.
struct LoopNest {
  std::size_t rank = 0;
  std::array<std::int64_t, kMaxRank> extents{};
  std::array<std::int64_t, kMaxRank> strides{};
};

// Results come in order of `kept` and, within, of `columns` neighbours. The elements of one are visited in order of `reduced` and,
// within, of `run` neighbours. Columns or run is 1.
struct ReducePlan {
  LoopNest kept, reduced;
  std::int64_t columns = 1, run = 1;
  bool no_elements = false;
  bool no_results = false;
};

// Calls visit(source offset) for all indices, outermost first. An empty nest is one visit.
template <class Visit>
inline void ForEach(const LoopNest& nest, const Visit& visit) {
  std::array<std::int64_t, kMaxRank> index{};
  std::int64_t offset = 0;
  while (true) {
    visit(offset);
    std::size_t i = nest.rank;
    while (true) {
      if (i-- == 0) return;
      offset += nest.strides[i];
      if (++index[i] < nest.extents[i]) break;
      offset -= nest.strides[i] * nest.extents[i];
      index[i] = 0;
    }
  }
}

using ReduceFn = void (*)(void* dst, const void* src, const void* init, const ReducePlan& plan);

// Null where unsupported.
ReduceFn FindFloatReduction(ir::ReductionKind kind, DType dtype);
ReduceFn FindIntReduction(ir::ReductionKind kind, DType dtype);

}  // namespace kernel_audit::sim::ops
