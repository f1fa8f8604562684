// From the recorded graph to the kernel IR.
//
// Order: effects as they were traced; a read of memory just before the first effect after it; a pure operation just before the first
// effect that needs it, in the scope it was made in; operands left to right. So the order in which C++ evaluated an expression leaves
// no mark. Values that no effect needs are dropped. Constants are shared.
#pragma once

#include "kernel_audit/ir/kernel.h"
#include "kernel_audit/trace/graph.h"

namespace kernel_audit::trace {

// Appends the function that `graph` recorded to `kernel` and returns its body; argument i of the body is argument i of the root scope.
ir::Region* Emit(Graph& graph, ir::Kernel& kernel);

}  // namespace kernel_audit::trace
