// The programs that golden_test.cc and determinism_test.cc trace. Their line numbers are part of the golden texts.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernel_audit/pallas.h"
#include "kernel_audit/trace/module.h"

namespace front_end_tests {

using kernel_audit::trace::ArgumentType;
using kernel_audit::pallas::Array;

struct Program {
  std::string name;
  std::vector<ArgumentType> arguments;
  std::function<Array(const std::vector<Array>&)> body;
};

// The solution, the examples and what is in kernels.cc.
std::vector<Program> AllPrograms();

inline std::string ModuleOf(const Program& program) {
  return kernel_audit::trace::TraceModule(program.name, program.arguments, [&](const std::vector<Array>& arrays) {
    return std::vector<Array>{program.body(arrays)};
  });
}

}  // namespace front_end_tests
