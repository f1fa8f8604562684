// Helpers that every operation of the front end is made with. Not for kernels' authors.
#pragma once

#include <string>
#include <vector>

#include "kernel_audit/trace/graph.h"
#include "kernel_audit/trace/trace_error.h"
#include "kernel_audit/trace/value.h"

namespace kernel_audit::trace {

using pallas::Operand;
using pallas::Value;

// The type of a value with this shape: a scalar for rank 0.
ir::Type ValueType(core::DType dtype, const core::Shape& shape);

// Throws unless the shape has at least one element and no more than an array can have.
void CheckShape(const char* what, const core::Shape& shape, Here here);

// A number as an element lies in memory; floats are rounded once. Throws unless it is a value of the dtype.
std::vector<std::uint8_t> ConstantBytes(const char* what, core::DType dtype, double number, Here here);

// A constant of any rank; the number must be a value of the dtype (ConstantBytes).
Node* MakeConstant(Graph& graph, const char* what, core::DType dtype, const core::Shape& shape, double number, Here here);

// The operand as a node of the graph: numbers become constants of `dtype`.
Node* AsNode(const char* what, const Operand& operand, core::DType dtype, Graph& graph);

// The operand, which must be a value. Throws on a number.
Node* ValueOperand(const char* what, const Operand& operand);

// An operation whose result has `type`, in the graph of its operands.
Node* MakeOp(const char* what, ir::OpCode code, ir::Type type, std::vector<Node*> operands, Here here, ir::Attributes attributes = {});

// NumPy's broadcast of two shapes. Throws when they don't fit.
core::Shape BroadcastShapes(const char* what, const core::Shape& a, const core::Shape& b, Here here);

// Whether the first shape broadcasts to the second.
bool Broadcasts(const core::Shape& from, const core::Shape& to);

// `node` repeated to `shape`; itself when it has that shape.
Node* BroadcastTo(const char* what, Node* node, const core::Shape& shape, Here here);

// `node` under another shape with as many elements; itself when it has that shape.
Node* ReshapeTo(const char* what, Node* node, const core::Shape& shape, Here here);

// True where the boolean `node` is false.
Node* Not(const char* what, Node* node, Here here);

// Conversion as Value::astype.
Node* ConvertTo(Node* node, core::DType dtype, Here here);

// The graph that the node belongs to.
inline Graph& GraphOf(const Node* node) { return *node->home->graph; }

// Where the operation was written: at its first operand.
inline Here PlaceOf(const Operand& a) { return a.here(); }

}  // namespace kernel_audit::trace
