// The attributes of one `stablehlo.custom_call @tpu_custom_call` -> KernelCall, and the attributes that XLA:CPU gets instead.
#pragma once

#include <string>

#include "kernel_audit/core/error.h"
#include "kernel_audit/import/kernel_call.h"
#include "kernel_audit/import/mlir.h"

namespace kernel_audit::import {

// `attributes` is the call's dictionary, `type` its function type. backend_config must be the JSON that JAX writes, its `body` base64.
core::Result<KernelCall> ReadCustomCall(const Attribute& attributes, const MlirType& type);

// The numbers that the simulator's FFI handler gets to find the kernel again.
struct HandlerNumbers {
  std::int64_t program = 0, kernel = 0;
};

// `{api_version = 4 : i32, backend_config = {kernel = 0 : i64, program = 7 : i64}, ...}`; has_side_effect and the layouts are kept.
std::string HandlerAttributes(const Attribute& attributes, const KernelCall& call, HandlerNumbers numbers, bool generic);

}  // namespace kernel_audit::import
