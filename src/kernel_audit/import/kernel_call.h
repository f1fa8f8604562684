// One tpu_custom_call of the host program: what it says about itself, and its kernel's bytes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernel_audit/core/host_array.h"

namespace kernel_audit::import {

struct KernelCall {
  std::string name;  // kernel_name; "kernel" where the call has none
  std::string body;  // Mosaic: MLIR bytecode or generic text
  std::vector<core::ArrayType> inputs, outputs;
  std::vector<std::pair<int, int>> aliases;  // (input, output)
  std::vector<int> unwritten_inputs;         // made by @AllocateBuffer
  std::int64_t vmem_limit_bytes = 0;         // 0: none given
};

}  // namespace kernel_audit::import
