#include <string>

#include "kernel_audit/trace/build.h"
#include "kernel_audit/trace/session.h"

namespace kernel_audit::trace {
namespace {

using core::DType;
using ir::OpCode;

Node* Cast(OpCode code, Node* node, DType dtype, Here here) {
  return MakeOp("astype", code, ValueType(dtype, node->type.shape), {node}, here);
}

int Bits(DType dtype) { return dtype == DType::kBool ? 1 : static_cast<int>(8 * core::ByteSize(dtype)); }

Node* ToBool(Node* node, Here here) {
  const bool is_float = core::IsFloat(node->type.dtype);
  ir::Attributes attributes;
  attributes.predicate = 1;  // "equal" of two floats, false for NaN; "not equal" of two integers
  Node* zero = MakeConstant(GraphOf(node), "astype", node->type.dtype, node->type.shape, 0, here);
  Node* compared = MakeOp("astype", is_float ? OpCode::kCmpF : OpCode::kCmpI, ValueType(DType::kBool, node->type.shape), {node, zero},
                          here, attributes);
  return is_float ? Not("astype", compared, here) : compared;
}

Node* FloatToFloat(Node* node, DType dtype, Here here) {
  return Cast(Bits(dtype) > Bits(node->type.dtype) ? OpCode::kExtF : OpCode::kTruncF, node, dtype, here);
}

Node* IntegerToInteger(Node* node, DType dtype, Here here) {
  if (node->type.dtype == DType::kIndex || dtype == DType::kIndex) return Cast(OpCode::kIndexCast, node, dtype, here);
  if (Bits(dtype) < Bits(node->type.dtype)) return Cast(OpCode::kTruncI, node, dtype, here);
  return Cast(node->type.dtype == DType::kBool ? OpCode::kExtUI : OpCode::kExtSI, node, dtype, here);
}

}  // namespace

Node* ConvertTo(Node* node, DType dtype, Here here) {
  const DType from = node->type.dtype;
  if (from == dtype) return node;
  if (core::IsSemaphore(dtype) || core::IsSemaphore(from)) Misuse("astype", "semaphores have no value to convert", here);
  if (dtype == DType::kBool) return ToBool(node, here);
  if (core::IsFloat(from) && core::IsFloat(dtype)) return FloatToFloat(node, dtype, here);
  if (core::IsFloat(from)) return Cast(OpCode::kFPToSI, node, dtype, here);
  if (!core::IsFloat(dtype)) return IntegerToInteger(node, dtype, here);
  if (from == DType::kBool) node = Cast(OpCode::kExtUI, node, DType::kInt32, here);
  return Cast(OpCode::kSIToFP, node, dtype, here);
}

}  // namespace kernel_audit::trace

namespace kernel_audit::pallas {

Value::Value(trace::Node* node) : node_(node), trace_number_(trace::CurrentTrace()) {}

DType Value::dtype(Here here) const { return trace::ValueOperand("dtype", Operand(*this, here))->type.dtype; }
const Shape& Value::shape(Here here) const { return trace::ValueOperand("shape", Operand(*this, here))->type.shape; }

Value Value::astype(DType dtype, Here here) const {
  return Value(trace::ConvertTo(trace::ValueOperand("astype", Operand(*this, here)), dtype, here));
}

}  // namespace kernel_audit::pallas
