// MLIR's generic text form -> the tree of mlir.h.
#pragma once

#include <string>
#include <string_view>

#include "kernel_audit/core/error.h"
#include "kernel_audit/import/mlir.h"

namespace kernel_audit::import {

// Reads a whole text: aliases and one top-level operation, every operation in the generic form `"dialect.name"(...)`. Never crashes on any
// text. `what` begins every message. Operations nested more than 128 deep, successors and resources are refused.
core::Result<MlirModule> ParseMlirText(std::string_view text, const std::string& what);

}  // namespace kernel_audit::import
