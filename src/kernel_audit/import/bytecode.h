// MLIR bytecode, version 0 (what JAX writes, whatever MLIR it was built with), -> the tree of mlir.h. The encoding is that of MLIR's
// docs/BytecodeFormat.md and BuiltinDialectBytecode.td. MLIR's own reader is not used on purpose: on bytes that were tampered with it
// corrupts the heap, runs out of memory or does not end.
#pragma once

#include <string>

#include "kernel_audit/core/error.h"
#include "kernel_audit/import/byte_reader.h"
#include "kernel_audit/import/mlir.h"

namespace kernel_audit::import {

bool IsMlirBytecode(Bytes bytes);

// Never crashes on any bytes; time and memory are bounded by a small multiple of their number. `what` begins every message.
core::Result<MlirModule> ParseMlirBytecode(Bytes bytes, const std::string& what);

}  // namespace kernel_audit::import
