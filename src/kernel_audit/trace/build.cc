#include "kernel_audit/trace/build.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernel_audit/core/bfloat16.h"
#include "kernel_audit/trace/session.h"

namespace kernel_audit::trace {
namespace {

using core::DType;

template <typename T>
std::vector<std::uint8_t> Bytes(T value) {
  std::vector<std::uint8_t> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

template <typename T>
std::vector<std::uint8_t> IntegerBytes(const char* what, DType dtype, double number, Here here) {
  const bool fits = number == std::floor(number) && number >= static_cast<double>(std::numeric_limits<T>::min()) &&
                    number <= static_cast<double>(std::numeric_limits<T>::max());
  if (!fits) Misuse(what, std::to_string(number) + " is not a value of " + std::string(core::Name(dtype)), here);
  return Bytes(static_cast<T>(number));
}

// Through float32, but by rounding to odd: what the first step cut off still decides the second one.
std::uint16_t DoubleToBFloat16(double number) {
  float near = static_cast<float>(number);
  const double exact = static_cast<double>(near);
  if (std::isfinite(number) && exact != number) {
    if (std::abs(exact) > std::abs(number)) near = std::nextafter(near, 0.0f);
    near = std::bit_cast<float>(std::bit_cast<std::uint32_t>(near) | 1u);
  }
  return core::FloatToBFloat16(near);
}

}  // namespace

std::vector<std::uint8_t> ConstantBytes(const char* what, DType dtype, double number, Here here) {
  switch (dtype) {
    case DType::kFloat32: return Bytes(static_cast<float>(number));
    case DType::kBFloat16: return Bytes(DoubleToBFloat16(number));
    case DType::kInt32: return IntegerBytes<std::int32_t>(what, dtype, number, here);
    case DType::kInt8: return IntegerBytes<std::int8_t>(what, dtype, number, here);
    case DType::kIndex: return IntegerBytes<std::int64_t>(what, dtype, number, here);
    case DType::kBool: return Bytes(static_cast<std::uint8_t>(number != 0));
    default: Misuse(what, "no constants of " + std::string(core::Name(dtype)), here);
  }
}

void CheckShape(const char* what, const core::Shape& shape, Here here) {
  const std::int64_t count = core::CheckedNumElements(shape);
  if (count == 0) Misuse(what, "shape " + core::ToString(shape) + " has no elements", here);
  if (count < 0) Misuse(what, "shape " + core::ToString(shape) + " has a negative extent or too many elements", here);
}

ir::Type ValueType(DType dtype, const core::Shape& shape) {
  return shape.empty() ? ir::Type::Scalar(dtype) : ir::Type::Vector(dtype, shape);
}

Node* MakeConstant(Graph& graph, const char* what, DType dtype, const core::Shape& shape, double number, Here here) {
  return graph.Constant(ValueType(dtype, shape), {true, ConstantBytes(what, dtype, number, here)}, here);
}

Node* AsNode(const char* what, const Operand& operand, DType dtype, Graph& graph) {
  if (operand.kind() == Operand::Kind::kValue) return ValueOperand(what, operand);
  if (operand.kind() == Operand::Kind::kFraction && !core::IsFloat(dtype)) {
    Misuse(what, "a fraction meets " + std::string(core::Name(dtype)) + "; convert the value with astype first", operand.here());
  }
  return MakeConstant(graph, what, dtype, {}, operand.number(), operand.here());
}

Node* ValueOperand(const char* what, const Operand& operand) {
  if (operand.kind() != Operand::Kind::kValue) Misuse(what, "takes a value, not a number", operand.here());
  if (operand.value().node() == nullptr) Misuse(what, "an operand is an empty value", operand.here());
  if (operand.value().trace_number() != CurrentTrace()) {
    Misuse(what, "an operand is a value of a program whose tracing has ended", operand.here());
  }
  return operand.value().node();
}

Node* MakeOp(const char* what, ir::OpCode code, ir::Type type, std::vector<Node*> operands, Here here, ir::Attributes attributes) {
  Graph& graph = GraphOf(operands.front());
  return graph.Operation(what, code, std::move(type), std::move(operands), std::move(attributes), here);
}

core::Shape BroadcastShapes(const char* what, const core::Shape& a, const core::Shape& b, Here here) {
  const std::size_t rank = std::max(a.size(), b.size());
  core::Shape shape(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t left = i + a.size() < rank ? 1 : a[i + a.size() - rank];
    const std::int64_t right = i + b.size() < rank ? 1 : b[i + b.size() - rank];
    if (left != right && left != 1 && right != 1) {
      Misuse(what, "shapes " + core::ToString(a) + " and " + core::ToString(b) + " don't broadcast", here);
    }
    shape[i] = left == 1 ? right : left;
  }
  return shape;
}

bool Broadcasts(const core::Shape& from, const core::Shape& to) {
  if (from.size() > to.size()) return false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] != 1 && from[i] != to[i + to.size() - from.size()]) return false;
  }
  return true;
}

Node* BroadcastTo(const char* what, Node* node, const core::Shape& shape, Here here) {
  if (node->type.shape == shape) return node;
  CheckShape(what, shape, here);
  if (!Broadcasts(node->type.shape, shape)) {
    Misuse(what, "shape " + core::ToString(node->type.shape) + " doesn't broadcast to " + core::ToString(shape), here);
  }
  return MakeOp(what, ir::OpCode::kBroadcast, ir::Type::Vector(node->type.dtype, shape), {node}, here);
}

Node* ReshapeTo(const char* what, Node* node, const core::Shape& shape, Here here) {
  if (node->type.shape == shape) return node;
  if (core::NumElements(node->type.shape) != core::CheckedNumElements(shape) || node->type.shape.empty() || shape.empty()) {
    Misuse(what, "shape " + core::ToString(node->type.shape) + " can't become " + core::ToString(shape), here);
  }
  return MakeOp(what, ir::OpCode::kShapeCast, ir::Type::Vector(node->type.dtype, shape), {node}, here);
}

Node* Not(const char* what, Node* node, Here here) {
  Node* one = MakeConstant(GraphOf(node), what, DType::kBool, node->type.shape, 1, here);
  return MakeOp(what, ir::OpCode::kXOrI, node->type, {node, one}, here);
}

}  // namespace kernel_audit::trace
