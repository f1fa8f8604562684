// A module file, as JAX or our tracer writes it, -> the host program and its kernels. The bytes are untrusted: nothing that they hold
// crashes, and what ImportModule returns has passed ir::Verify.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_audit/core/error.h"
#include "kernel_audit/core/host_array.h"
#include "kernel_audit/ir/kernel.h"

namespace kernel_audit::import {

// How much of a kernel's text says where it comes from. Operations that only end a region are not counted.
struct Places {
  std::size_t operations = 0, placed = 0;     // in the body and the index maps; with a place of their own
  std::vector<core::SourceLocation> lines;    // of these, each once, by file and line
};

struct ImportedModule {
  std::string host_text;  // for XLA:CPU: each kernel's call goes to a typed FFI handler named tpu_custom_call with {kernel, program}
  std::vector<std::unique_ptr<ir::Kernel>> kernels;  // by the handler's `kernel` attribute; may be none
  std::vector<Places> places;                        // one a kernel
  std::vector<core::ArrayType> inputs, outputs;      // of @main
  std::vector<std::string> input_names;              // one an input
};

// kBadInput: damaged or inconsistent; kUnsupported: well formed, but with something that this version does not know, by name.
core::Result<ImportedModule> ImportModule(std::string_view text, std::int64_t program_id);

}  // namespace kernel_audit::import
