#include "kernel_audit/sim/independent.h"

#include <algorithm>

namespace kernel_audit::sim {
namespace {

// Only computes, loads and stores.
bool KeepsToItself(const ir::Region& region) {
  return std::all_of(region.ops.begin(), region.ops.end(), [](const ir::Op* op) {
    if (op->info().effect == ir::Effect::kSync || op->code == ir::OpCode::kAlloca) return false;
    const bool gives_references = std::any_of(op->results.begin(), op->results.end(), [](const ir::Value* result) { return result->type.is_ref(); });
    if (op->info().effect == ir::Effect::kControl && gives_references) return false;
    return std::all_of(op->regions.begin(), op->regions.end(), [](const ir::Region* inner) { return KeepsToItself(*inner); });
  });
}

// The map gives the coordinate itself as some dimension's block index: other coordinates, other blocks.
bool ChoosesBlocksBy(const ir::IndexMap& map, std::size_t dimension) {
  const auto& results = map.body->ops.back()->operands;
  return std::find(results.begin(), results.end(), map.body->arguments[dimension]) != results.end();
}

}  // namespace

const ir::Op* WriterOf(const ir::Region& region, const ir::Value* reference) {
  for (const ir::Op* op : region.ops) {
    for (const ir::Region* inner : op->regions) {
      if (const ir::Op* writer = WriterOf(*inner, reference)) return writer;
    }
    const bool uses = std::find(op->operands.begin(), op->operands.end(), reference) != op->operands.end();
    if (!uses) continue;
    if (op->info().effect == ir::Effect::kWrite) return op;
    if (op->code == ir::OpCode::kEnqueueDma && op->operands[0] != reference) return op;
    const bool derives = op->info().effect == ir::Effect::kNone && !op->results.empty() && op->result()->type.is_ref();
    if (!derives) continue;
    if (const ir::Op* writer = WriterOf(region, op->result())) return writer;
  }
  return nullptr;
}

std::optional<std::size_t> IndependentDimension(const ir::Kernel& kernel, const core::Shape& grid) {
  const std::size_t operands = kernel.inputs.size() + kernel.outputs.size();
  const auto outer = std::find_if(grid.begin(), grid.end(), [](std::int64_t extent) { return extent > 1; });
  if (outer == grid.end() || kernel.num_scalar_prefetch != 0 || !kernel.aliases.empty() || kernel.num_dynamic_extents() != 0) return std::nullopt;
  const auto dimension = static_cast<std::size_t>(outer - grid.begin());
  if (kernel.windows.size() != operands || kernel.windows.size() + grid.size() > kernel.body->arguments.size()) return std::nullopt;
  for (std::size_t w = 0; w < operands; ++w) {
    if (!kernel.windows[w]) return std::nullopt;
    const ir::Window& window = *kernel.windows[w];
    if (w < kernel.inputs.size()) {
      if (WriterOf(*kernel.body, kernel.body->arguments[grid.size() + w]) != nullptr) return std::nullopt;
    } else if (window.element_indexed || !ChoosesBlocksBy(kernel.index_maps[static_cast<std::size_t>(window.index_map)], dimension)) {
      return std::nullopt;
    }
  }
  return KeepsToItself(*kernel.body) ? std::optional(dimension) : std::nullopt;
}

}  // namespace kernel_audit::sim
