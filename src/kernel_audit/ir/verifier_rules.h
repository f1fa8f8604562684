// The rules of single operations, for verifier.cc: what must hold of an operation's operands, results and attributes, given that their
// numbers are those of its row in ops.def and that every type is well formed by itself.
#pragma once

#include <initializer_list>
#include <string>

#include "kernel_audit/ir/kernel.h"

namespace kernel_audit::ir {

// What is wrong; empty: nothing.
using Rule = std::string (*)(const Op&);

// Each gives the rules of one family and null for the operations of the others.
Rule ElementwiseRule(OpCode code);
Rule VectorRule(OpCode code);
Rule MemoryRule(OpCode code);
Rule SyncRule(OpCode code);
Rule ControlRule(OpCode code);

// The rule of `code`, or null: nobody wrote one, and the operation is refused.
Rule RuleOf(OpCode code);

// The kernel's arguments, windows and arrays.
std::string CheckKernel(const Kernel& kernel);

// A type by itself. `dynamic`: a reference may have unknown extents.
std::string CheckType(const Type& type, bool dynamic);

// Bits of an element as MLIR counts them: an i1 has one.
int BitWidth(DType dtype);

bool IsScalar(const Value* value, DType dtype);
// An i32 or an index: what an offset or an amount may be.
bool IsOffset(const Value* value);

struct Range {
  int low, high;
};
// operandSegmentSizes: one a range, each within it, together the operands.
std::string CheckSegments(const Op& op, std::initializer_list<Range> ranges);

// The first operand of a segment, or null when the segment is empty.
const Value* SegmentStart(const Op& op, std::size_t segment);

}  // namespace kernel_audit::ir
