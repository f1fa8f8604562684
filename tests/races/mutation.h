// One small fault at a time in a kernel's IR: what a person gets wrong in a pipeline.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernel_audit/ir/kernel.h"

namespace kernel_audit::testing {

// How many mutants a kernel has, and each: the kernel is changed in place. Gives what was done ("drop tpu.wait_dma2 at model.cpp:12").
// Mutants may break ir::Verify's rules.
std::size_t CountMutants(const ir::Kernel& kernel);
std::string Mutate(ir::Kernel& kernel, std::size_t mutant);

}  // namespace kernel_audit::testing
