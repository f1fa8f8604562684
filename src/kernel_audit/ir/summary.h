// A kernel in words: what a person wants to know of a module before running it.
#pragma once

#include <string>

#include "kernel_audit/core/json.h"
#include "kernel_audit/ir/kernel.h"

namespace kernel_audit::ir {

// Several lines: grid, operands with their blocks and index maps, scratch, operations by name, DMAs and semaphores, source lines.
std::string Summary(const Kernel& kernel);

// The same for a program: "name"; "location" where there is one; "grid" (-1: known when it runs), "semantics"; "inputs", "outputs" (each with its
// "type" and how the kernel sees it), "scratch" in words; "operations" and "lines", counted and by file.
core::Json SummaryJson(const Kernel& kernel);

// An index map as a formula over its grid indices: "(i, j) -> (j, 2*i + 1)"; what is no plain arithmetic is shown by its operation's name.
std::string Formula(const Kernel& kernel, const IndexMap& map);

}  // namespace kernel_audit::ir
