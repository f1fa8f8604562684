// A simulated run as canonical JSON.
#pragma once

#include <string>

#include "kernel_audit/core/chip.h"
#include "kernel_audit/simulated/simulator.h"

namespace kernel_audit::cli {

// {"verdict": "clean" or "findings", "findings": [...], "kernels": [...], ...}; no times.
std::string RunJson(const std::string& module_sha256, const core::Chip& chip, const simulated::Outcome& outcome);

}  // namespace kernel_audit::cli
