// What each operation's attributes mean: MLIR attributes -> ir::Attributes, one small function an operation.
#pragma once

#include "kernel_audit/core/error.h"
#include "kernel_audit/import/mlir.h"
#include "kernel_audit/ir/op.h"

namespace kernel_audit::import {

// Fills op.attributes from `operation`; op's code, operands, results and location are set already. Ranges and consistency are the verifier's
// job (ir/verifier.h). kUnsupported: an attribute, or a value of one, that is not known.
core::Result<void> FillAttributes(const Operation& operation, ir::Op& op);

}  // namespace kernel_audit::import
