// A kernel as Mosaic text, and as the attributes of the `tpu_custom_call` that holds it. Format: MLIR's generic form with the
// versioned `stable_mosaic` dialect, version 10, which libtpu reads as it reads JAX's bytecode.
#pragma once

#include <string>

#include "kernel_audit/ir/kernel.h"

namespace kernel_audit::ir {

// A string literal of MLIR: quotes, backslashes and bytes outside printable ASCII as \XX.
std::string Quote(const std::string& text);

// The module `main` and its index maps, every operation with its source location.
std::string MosaicText(const Kernel& kernel);

// What stands in the braces of `stablehlo.custom_call @tpu_custom_call(...) {...}`: the body in base64, layouts, aliases, the name.
std::string CustomCallAttributes(const Kernel& kernel);

}  // namespace kernel_audit::ir
