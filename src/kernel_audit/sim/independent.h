// Programs that cannot notice one another, so that threads of this machine may run parts of the grid at the same time and nothing that a run
// tells differs from a run in order. The simulated core stays one.
#pragma once

#include <cstddef>
#include <optional>

#include "kernel_audit/ir/kernel.h"

namespace kernel_audit::sim {

// The first operation that may write to what `reference` refers to, by a store or a DMA, through slices; null: none.
const ir::Op* WriterOf(const ir::Region& region, const ir::Value* reference);

// The outermost dimension of the grid with more than one program, where programs that differ in it are independent: every operand has a window, inputs
// are only read, blocks of outputs differ where the coordinate does, and nothing moves by itself or is shared (scalar prefetch, DMAs, semaphores). Scratch
// is left over from program to program: only a run with observers tells whether one reads what another left, which then is a read of memory that
// nobody wrote. Nothing where that is not plain to see. `grid`: the kernel's, its dynamic extents filled in.
std::optional<std::size_t> IndependentDimension(const ir::Kernel& kernel, const core::Shape& grid);

}  // namespace kernel_audit::sim
