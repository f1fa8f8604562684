// A kernel: Mosaic's `main`, its grid and windows, and its index maps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel_audit/core/host_array.h"
#include "kernel_audit/ir/op.h"

namespace kernel_audit::ir {

// kCoreParallel: one program a core.
enum class DimensionSemantics { kArbitrary, kParallel, kCoreParallel };
const char* Name(DimensionSemantics semantics);

// How an operand that lies in HBM appears in the kernel: as one block of it, chosen by an index map.
struct Window {
  Shape block_shape;          // squeezed dimensions are 1
  int index_map = -1;         // into Kernel::index_maps
  int buffers = 2;            // 1: pipeline_mode synchronous
  bool element_indexed = false;     // the index map gives elements, not blocks (#tpu.element_window)
  Shape padding_low, padding_high;  // element_indexed only: virtual elements before and after the array
};

// A function of the grid indices (i32) and the scalar-prefetch references; its kReturn gives one block index (i32) a dimension.
struct IndexMap {
  std::string name;
  Region* body = nullptr;
};

class Kernel {
 public:
  Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  Value* NewValue(Type type);
  Op* NewOp(OpCode code);  // in no region yet
  Region* NewRegion();
  int num_values() const { return static_cast<int>(values_.size()); }

  std::string name;
  Shape grid;  // empty: no grid, one program; kDynamicExtent: the extent is a leading scalar operand of the call
  std::vector<DimensionSemantics> semantics;  // one a grid dimension

  // body->arguments: one i32 a grid dimension, `num_scalar_prefetch` references, one reference an input and an output, the scratch.
  Region* body = nullptr;
  int num_scalar_prefetch = 0;
  int num_scratch = 0;
  std::vector<std::optional<Window>> windows;  // one an input and an output; nothing: the reference is the whole array
  std::vector<IndexMap> index_maps;

  // The call's arrays: scalar prefetch first, then inputs; and outputs.
  std::vector<core::ArrayType> inputs, outputs;
  std::vector<std::pair<int, int>> aliases;  // (input, output) that share memory; inputs counted with scalar prefetch
  std::vector<int> unwritten_inputs;         // memory that the call's program allocated and wrote nothing to
  std::int64_t vmem_limit_bytes = 0;         // 0: the chip's default

  // Leading scalar operands of the call that give extents of the grid; what scalar prefetch and windows show comes behind them.
  std::size_t num_dynamic_extents() const { return static_cast<std::size_t>(std::count(grid.begin(), grid.end(), core::kDynamicExtent)); }
  int num_windowed() const { return static_cast<int>(windows.size()); }
  core::SourceLocation location;

 private:
  std::deque<Value> values_;
  std::deque<Op> ops_;
  std::deque<Region> regions_;
};

}  // namespace kernel_audit::ir
