// Control flow that the kernel's program decides, not C++.
#pragma once

#include <functional>
#include <vector>

#include "kernel_audit/trace/value.h"

namespace kernel_audit::pallas {

// Runs `body` where the boolean scalar `condition` holds. With a C++ bool the choice is made while tracing.
void when(const Operand& condition, const std::function<void()>& body);

// Runs `body` for each index from `lower` on and below `upper`.
void fori_loop(const Operand& lower, const Operand& upper, const std::function<void(Index)>& body);

// The same with values carried from step to step; the body returns them with unchanged dtypes and shapes. Gives the last ones.
std::vector<Value> fori_loop(const Operand& lower, const Operand& upper, const std::vector<Value>& initial,
                             const std::function<std::vector<Value>(Index, const std::vector<Value>&)>& body);
Value fori_loop(const Operand& lower, const Operand& upper, const Value& initial, const std::function<Value(Index, Value)>& body);

}  // namespace kernel_audit::pallas
