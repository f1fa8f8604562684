// pallas_call: runs a kernel once for each point of a grid, on blocks of whole arrays.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernel_audit/ir/kernel.h"
#include "kernel_audit/trace/array.h"
#include "kernel_audit/trace/ref.h"
#include "kernel_audit/trace/scratch.h"

namespace kernel_audit::pallas {

// `interpret`: the program is meant for simulation. `tpu`: for a TPU; arrays must be placed on one, and nothing falls back.
enum class Mode { interpret, tpu };

// How a pipelined model moves its blocks: slots an input, and whether each copy is awaited at once.
struct Pipeline {
  int buffers = 2;
  bool synchronous = false;
};

enum class Semantics { arbitrary, parallel };
inline constexpr Semantics arbitrary = Semantics::arbitrary;
inline constexpr Semantics parallel = Semantics::parallel;

// The block indices that an index map gives, one a dimension.
using Indices = std::vector<Operand>;
// Not a template, so that each operand knows the line it was written on.
inline Indices indices(const Operand& a) { return {a}; }
inline Indices indices(const Operand& a, const Operand& b) { return {a, b}; }
inline Indices indices(const Operand& a, const Operand& b, const Operand& c) { return {a, b, c}; }
inline Indices indices(const Operand& a, const Operand& b, const Operand& c, const Operand& d) { return {a, b, c, d}; }
inline Indices indices(const Operand& a, const Operand& b, const Operand& c, const Operand& d, const Operand& e) { return {a, b, c, d, e}; }

// Extents of a grid of 0 to 4 dimensions.
using Grid = std::vector<std::int64_t>;
// As many programs along each dimension as it takes to cover `shape` with blocks.
Grid ceil_grid(const Shape& shape, const Block& block, Here here = Here::Current());

using IndexMap = std::function<Indices(const std::vector<Index>&)>;
using Kernel = std::function<void(const std::vector<Ref>&)>;

// How an operand appears in the kernel.
class BlockSpec {
 public:
  // The whole array.
  explicit BlockSpec(MemorySpace space = vmem) : space_(space) {}

  // Blocks of an array; `index_map` takes the grid indices and gives the block's index along each dimension (pl::indices(...)), any
  // integer expression of them.
  template <typename F>
  BlockSpec(Block block, F index_map, MemorySpace space = vmem, Here here = Here::Current())
      : whole_(false), block_(std::move(block)), space_(space), here_(here),
        index_map_([index_map](const std::vector<Index>& grid) mutable { return detail::CallWithList<Indices, Index>(index_map, grid); }) {}

  // How many blocks are kept in VMEM: 2 (the default) overlaps copies with computing, 1 does not.
  BlockSpec buffered(int count) const;

  bool whole() const { return whole_; }
  const Block& block() const { return block_; }
  MemorySpace space() const { return space_; }
  int buffers() const { return buffers_; }
  Here here() const { return here_; }
  const IndexMap& index_map() const { return index_map_; }

 private:
  bool whole_ = true;
  Block block_;
  MemorySpace space_;
  int buffers_ = 2;
  Here here_;
  IndexMap index_map_;
};

// One shape or several.
class OutShape : public std::vector<ShapeDtype> {
 public:
  OutShape() = default;
  OutShape(ShapeDtype one) : std::vector<ShapeDtype>{std::move(one)} {}
  OutShape(std::initializer_list<ShapeDtype> several) : std::vector<ShapeDtype>(several) {}
};

struct PallasOptions {
  std::string name = "kernel";
  Grid grid = {};                            // empty: one program
  std::vector<BlockSpec> in_specs = {};      // empty: every input whole
  std::vector<BlockSpec> out_specs = {};     // empty: every output whole
  OutShape out_shape = {};
  std::vector<Scratch> scratch_shapes = {};
  std::vector<std::pair<int, int>> input_output_aliases = {};  // {input, output} that share memory
  std::vector<Semantics> dimension_semantics = {};             // empty: all arbitrary
  Mode mode = Mode::interpret;
  std::int64_t vmem_limit_bytes = 0;         // 0: the chip's default
};

// The outputs of a call; a single one converts to an Array. Throws TraceError on an output that is not there.
class Outputs {
 public:
  Outputs(std::vector<Array> arrays, Here here) : arrays_(std::move(arrays)), here_(here) {}
  operator Array() const;
  const Array& operator[](std::size_t i) const;
  std::size_t size() const { return arrays_.size(); }
  auto begin() const { return arrays_.begin(); }
  auto end() const { return arrays_.end(); }

 private:
  std::vector<Array> arrays_;
  Here here_;
};

// A kernel with its options, to be called with arrays.
class PallasFunction {
 public:
  PallasFunction(Kernel kernel, PallasOptions options, Here here)
      : kernel_(std::move(kernel)), options_(std::move(options)), here_(here) {}

  template <typename... Arrays>
  Outputs operator()(const Arrays&... inputs) const {
    return Call({inputs...});
  }
  Outputs Call(const std::vector<Array>& inputs) const;

 private:
  Kernel kernel_;
  PallasOptions options_;
  Here here_;
};

// `kernel` takes one pl::Ref an input, an output and a scratch shape, in this order (or one std::vector<pl::Ref>).
template <typename F>
PallasFunction pallas_call(F kernel, PallasOptions options, Here here = Here::Current()) {
  return PallasFunction([kernel](const std::vector<Ref>& refs) mutable { detail::CallWithList<void, Ref>(kernel, refs); },
                        std::move(options), here);
}

}  // namespace kernel_audit::pallas
