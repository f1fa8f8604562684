// What a kernel must satisfy before anything runs it. The simulator relies on every rule and checks none of them again.
#pragma once

#include "kernel_audit/core/error.h"
#include "kernel_audit/ir/kernel.h"

namespace kernel_audit::ir {

// A vector has at most this many elements, so that sizes in bytes and index arithmetic never overflow.
inline constexpr std::int64_t kMaxVectorElements = std::int64_t{1} << 28;
// Elements of a reference or of a call's array.
inline constexpr std::int64_t kMaxArrayElements = std::int64_t{1} << 40;

// Holds for a kernel that passes:
// - Scope: a value is used after it is defined, in the region that defines it or inside one; each region ends with the terminator of its
//   owner, and only there.
// - Every operation has the operands, results, regions, types and attributes that its row in ops.def means; segments add up. Offsets,
//   dimensions and permutations are in range. (Whether indices that are computed stay inside a reference is for the run to find out.)
// - Types: vectors have rank 1 or more and positive extents; semaphores occur in references in semaphore memory only; extents of `?` only
//   in what tpu.memref_slice makes.
// - Loads and stores reach VMEM and SMEM only.
// - The call: the body takes an i32 a grid dimension, the scalar prefetch in SMEM, one reference an input and an output, the scratch;
//   references with a window have the block's shape, those without have the array's; element types agree, signedness aside. A grid extent
//   of kDynamicExtent takes a leading scalar i32 input, which `inputs` counts. Aliased arrays have one type.
// - Index maps take the grid indices and the scalar prefetch, give one i32 a dimension of the block, and hold pure operations and
//   memref.load only.
// The first broken rule is reported: kBadInput, the operation's name, the rule, the source location.
core::Result<void> Verify(const Kernel& kernel);

}  // namespace kernel_audit::ir
