// The host part of a module: StableHLO text around the kernels' calls.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_audit/core/error.h"
#include "kernel_audit/core/host_array.h"
#include "kernel_audit/import/kernel_call.h"

namespace kernel_audit::import {

struct HostProgram {
  std::string text;                // as it was, but for the kernels' calls, which now go to the simulator's FFI handler
  std::vector<KernelCall> calls;   // in the order of the text; the handler's `kernel` attribute is the number here
  std::vector<core::ArrayType> inputs, outputs;  // of @main
  std::vector<std::string> input_names;          // jax.arg_info, or the name in the text ("arg0")
};

// Reads StableHLO text lexically: strings, comments and brackets are understood, operations other than the kernels' calls are passed over
// and kept byte for byte. Every `tpu_custom_call` is found, in the pretty and in the generic form, in any function and region. Its aliases
// are dropped from the text, since the simulator copies. `program_id` becomes the handler's `program` attribute.
// kBadInput: not such text, or a call that is damaged; kUnsupported: layouts that are not row-major, StableHLO bytecode.
core::Result<HostProgram> ReadHostProgram(std::string_view text, std::int64_t program_id);

}  // namespace kernel_audit::import
