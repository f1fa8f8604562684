// How much on-chip memory a kernel needs at least, counted before it runs.
//
// Counted in VMEM: windows times their buffers (one where the block is the whole array), whole operands, scratch, and of scoped memory
// the most that is alive at once. Counted in SMEM: scalar prefetch, operands, windows, scratch and scoped memory. In both, all is padded to
// tiles, as libtpu 0.0.37 allocates it for every chip: columns to 128; rows to 8, or to the next power of two where there are fewer, but at least
// to those that share 32 bits; a vector to 1024 elements, or to the next power of two from 128 (16 bits: 256, 8 bits: 512) on where there are
// fewer. Operands that share memory count once.
//
// The count is what libtpu 0.0.37 reports for bodies that are simple. The compiler adds temporaries and spills for others, so the count
// says what cannot fit and never what does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel_audit/core/chip.h"
#include "kernel_audit/ir/kernel.h"
#include "kernel_audit/sim/finding.h"

namespace kernel_audit::sim {

// One thing that takes memory.
struct MemoryUser {
  std::string name;  // "window of input 0, 2 buffers of float32(8, 128)"
  std::int64_t bytes = 0;
  core::SourceLocation location;  // where scoped memory was asked for; else the kernel's
};

// Bytes of one core, saturating at 2^60. The users are those alive at the peak, the largest first.
struct MemoryUse {
  std::int64_t bytes = 0;
  std::vector<MemoryUser> users;
};

struct KernelMemory {
  MemoryUse vmem, smem;
  std::int64_t scoped_vmem_bytes = 0;  // of vmem: what the compiler places itself, all but whole operands
};

KernelMemory CountMemory(const ir::Kernel& kernel);

// Bytes of one buffer of this type in VMEM or SMEM.
std::int64_t TiledBytes(core::DType dtype, const core::Shape& shape);

struct CapacityCheck {
  std::vector<Finding> findings;  // kCapacity, with the largest users
  bool can_run = true;            // false: the chip does not have that much memory
};

// More VMEM than the chip has, or all of its SMEM, of which the compiler needs some itself: the kernel cannot run. More than the kernel's
// own VMEM limit, or the compiler's where it sets none: the compiler refuses it, while what it would compute can still be simulated.
CapacityCheck CheckCapacity(const ir::Kernel& kernel, const KernelMemory& memory, const core::Chip& chip);

}  // namespace kernel_audit::sim
