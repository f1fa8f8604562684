// Wrong kernels that a TPU compiler accepts, in the words of the cases from the field. Each takes a float32 array of (32, 128).
#pragma once

#include <string>
#include <vector>

#include "simulate.h"

namespace kernel_audit::testing {

struct WrongKernel {
  std::string what;
  SingleFunction function;
};

// Index maps, grids and outputs; tests/races/patterns.h has the wrong copies and semaphores.
std::vector<WrongKernel> WrongKernels();

// The kinds of the findings, each once, or "clean".
std::string KindsOf(const sim::Report& report);

}  // namespace kernel_audit::testing
