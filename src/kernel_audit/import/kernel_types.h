// MLIR types -> the kernel IR's types.
#pragma once

#include "kernel_audit/core/error.h"
#include "kernel_audit/core/host_array.h"
#include "kernel_audit/import/mlir.h"
#include "kernel_audit/ir/type.h"

namespace kernel_audit::import {

// kUnsupported: an element type, a memory space or a layout other than row-major that the IR has no word for. Sizes are not checked.
core::Result<ir::Type> ToIrType(const MlirType& type);

// A ranked tensor without dynamic extents or encoding.
core::Result<core::ArrayType> ToArrayType(const MlirType& type);

// What stands between < and > of an attribute such as `#tpu.memory_space<vmem>`, if it begins with `prefix` ("#tpu.memory_space");
// nothing otherwise.
std::optional<std::string> OpaqueBody(const Attribute& attribute, std::string_view prefix);

}  // namespace kernel_audit::import
