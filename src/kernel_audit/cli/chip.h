// The chip that a simulation stands in for, on the command line and in reports.
#pragma once

#include <string>

#include "kernel_audit/core/chip.h"
#include "kernel_audit/sim/run.h"

namespace CLI {
class App;
}

namespace kernel_audit::cli {

// --chip NAME, v5e unless given. `chip` must live as long as the command.
void AddChipOption(CLI::App& command, const core::Chip*& chip);

// "actual backend cpu, simulated chip v5e (128 lanes, 8 sublanes, VMEM 134217728 bytes, SMEM 1048576)".
std::string ChipText(const core::Chip& chip);

// "24576 bytes of VMEM, 0 of SMEM", a lower bound.
std::string MemoryText(const sim::Report& run);

}  // namespace kernel_audit::cli
