#include "kernel_audit/target/block_rules.h"

#include <bit>

#include "kernel_audit/core/chip.h"

namespace kernel_audit::target {
namespace {

using core::Chip;

std::string DimensionProblem(std::int64_t block, std::int64_t extent, std::int64_t multiple, const char* which) {
  if (block == extent || block % multiple == 0) return "";
  return std::string(which) + " extent " + std::to_string(block) + " is neither a multiple of " + std::to_string(multiple) + " nor the array's " + std::to_string(extent);
}

std::string VectorProblem(std::int64_t block, std::int64_t extent, core::DType dtype) {
  constexpr std::int64_t kTile = std::int64_t{Chip::kLanes} * Chip::kSublanes;
  const std::int64_t least = Chip::kLanes * 4 / static_cast<std::int64_t>(core::ByteSize(dtype));
  const bool power = block >= least && std::has_single_bit(static_cast<std::uint64_t>(block));
  if (block == extent || block % kTile == 0 || power) return "";
  return "its extent " + std::to_string(block) + " is not the array's " + std::to_string(extent) + ", no multiple of " + std::to_string(kTile) +
         " and no power of two from " + std::to_string(least) + " on";
}

std::string ShapeProblem(const core::Shape& block, const core::ArrayType& array) {
  const std::size_t rank = block.size();
  if (rank == 0) return "it has no dimension; give scalars in SMEM or as a (1, 1) array";
  if (rank == 1) return VectorProblem(block[0], array.shape[0], array.dtype);
  std::string problem = DimensionProblem(block[rank - 1], array.shape[rank - 1], Chip::kLanes, "its last");
  return problem.empty() ? DimensionProblem(block[rank - 2], array.shape[rank - 2], Chip::kSublanes, "its second-last") : problem;
}

}  // namespace

std::string BlockProblem(const ir::Kernel& kernel) {
  const std::size_t first = kernel.grid.size() + static_cast<std::size_t>(kernel.num_scalar_prefetch);
  const std::size_t scalars = kernel.num_dynamic_extents() + static_cast<std::size_t>(kernel.num_scalar_prefetch), inputs = kernel.inputs.size() - scalars;
  for (std::size_t w = 0; w < kernel.windows.size(); ++w) {
    if (!kernel.windows[w] || kernel.body->arguments[first + w]->type.space != ir::MemorySpace::kVmem) continue;
    const bool is_input = w < inputs;
    const core::ArrayType& array = is_input ? kernel.inputs[scalars + w] : kernel.outputs[w - inputs];
    const std::string problem = ShapeProblem(kernel.windows[w]->block_shape, array);
    if (problem.empty()) continue;
    const std::string name = (is_input ? "input " + std::to_string(w) : "output " + std::to_string(w - inputs));
    return (kernel.location.known() ? kernel.location.ToString() + ": " : "") + "a TPU takes no block " + core::ToString(kernel.windows[w]->block_shape) + " of " + name + ", " +
           core::ToString(array) + ": " + problem;
  }
  return "";
}

}  // namespace kernel_audit::target
