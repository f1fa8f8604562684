// Small kernels full of DMAs, semaphores, loads and stores, each from a seed: some clean, most with races, leaks or deadlocks.
#pragma once

#include <cstdint>
#include <memory>

#include "kernel_audit/ir/kernel.h"

namespace kernel_audit::testing {

// The arrays are float32 matrices of kRandomRows x kRandomColumns; two inputs, two outputs. Programs with a grid have one parallel dimension.
inline constexpr std::int64_t kRandomRows = 8, kRandomColumns = 4;
std::unique_ptr<ir::Kernel> RandomProgram(std::uint64_t seed);

}  // namespace kernel_audit::testing
