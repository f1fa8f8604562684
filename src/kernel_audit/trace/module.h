// From a traced function to a module: the bytes that are simulated, compiled and executed.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_audit/trace/array.h"

namespace kernel_audit::trace {

struct ArgumentType {
  core::DType dtype = core::DType::kFloat32;
  core::Shape shape;
  bool on_tpu = false;  // placed on a TPU
};

// Calls `body` with one traced array an argument and returns the StableHLO module, called `name` (a C++ identifier), of what it returned. The bytes depend on the
// program alone. Throws pallas::TraceError on misuse.
std::string TraceModule(std::string_view name, const std::vector<ArgumentType>& arguments,
                        const std::function<std::vector<pallas::Array>(const std::vector<pallas::Array>&)>& body);

}  // namespace kernel_audit::trace
