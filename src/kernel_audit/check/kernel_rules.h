// What a stage's kernel must be before it is run: it does the work itself, and it can be run here.
#pragma once

#include <cstdint>
#include <string>

#include "kernel_audit/ir/kernel.h"

namespace kernel_audit::check {

// Elements that a kernel's instructions may work on in all. The largest request of a stage takes less than a hundredth of it.
inline constexpr std::uint64_t kWorkLimit = std::uint64_t{1} << 26;

// What is wrong with the kernel, or nothing. It must load from each of its two inputs, compute in float32 and stay below kWorkLimit with
// what it moves and keeps. Whether it fits the chip's memories the simulator says (sim/capacity.h).
std::string KernelProblem(const ir::Kernel& kernel);

}  // namespace kernel_audit::check
