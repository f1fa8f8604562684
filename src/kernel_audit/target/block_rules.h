// Which blocks the lowering to the TPU takes. Source: the rules of JAX 0.9.2's lowering for block shapes, which come before the compiler's own.
#pragma once

#include <string>

#include "kernel_audit/ir/kernel.h"

namespace kernel_audit::target {

// What the lowering would refuse about the kernel's blocks, with what to change and the place; nothing where it takes them. Of two dimensions and
// more, the last must be a multiple of 128 or the array's, the one before it a multiple of 8 or the array's. A block of one dimension is the array,
// a multiple of 1024, or a power of two of at least 128 * (32 / bits of an element).
std::string BlockProblem(const ir::Kernel& kernel);

}  // namespace kernel_audit::target
