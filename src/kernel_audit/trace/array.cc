#include "kernel_audit/trace/array.h"

#include <string>

#include "kernel_audit/trace/build.h"
#include "kernel_audit/trace/host_program.h"
#include "kernel_audit/trace/session.h"
#include "kernel_audit/trace/trace_error.h"

namespace kernel_audit::pallas {
namespace {

using trace::HostNode;
using trace::Misuse;

// More than any array has along a dimension.
constexpr std::int64_t kMostExtent = std::int64_t{1} << 50;

HostNode* NodeOf(const char* what, const ArrayOperand& x) {
  if (!x.is_array()) Misuse(what, "takes an array, not a number", x.here());
  if (x.array().node() == nullptr) Misuse(what, "an operand is an empty array", x.here());
  if (x.array().trace_number() != trace::CurrentTrace()) {
    Misuse(what, "an operand is an array of a program whose tracing has ended", x.here());
  }
  return x.array().node();
}

Array Add(const char* what, std::string name, core::ArrayType type, std::vector<HostNode*> operands, std::string detail, Here here) {
  return Array(trace::CurrentHost(what, here).Operation(std::move(name), std::move(type), std::move(operands), std::move(detail), here));
}

std::string List(const Shape& values) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

void CheckRank(const char* what, const Shape& wanted, const Shape& shape, Here here) {
  if (wanted.size() != shape.size()) {
    Misuse(what, core::ToString(wanted) + " has not as many entries as shape " + core::ToString(shape) + " has dimensions", here);
  }
}

HostNode* Scalar(const char* what, DType dtype, const ArrayOperand& number) {
  if (number.is_fraction() && !core::IsFloat(dtype)) {
    Misuse(what, "a fraction meets " + std::string(core::Name(dtype)) + "; convert the array with astype first", number.here());
  }
  return trace::CurrentHost(what, number.here()).Constant(what, dtype, number.number(), number.here());
}

// The operand as an array of `type`.
HostNode* Matched(const char* what, const ArrayOperand& x, const core::ArrayType& type) {
  if (!x.is_array()) {
    HostNode* scalar = Scalar(what, type.dtype, x);
    return type.shape.empty() ? scalar : Add(what, "broadcast_in_dim", type, {scalar}, ", dims = []", x.here()).node();
  }
  HostNode* node = NodeOf(what, x);
  if (node->type != type) {
    Misuse(what, "operands are " + core::ToString(type) + " and " + core::ToString(node->type) +
                     "; nothing is broadcast or converted unasked", x.here());
  }
  return node;
}

core::ArrayType CommonType(const char* what, const ArrayOperand& a, const ArrayOperand& b) {
  return NodeOf(what, a.is_array() ? a : b)->type;
}

Array Binary(const char* what, const ArrayOperand& a, const ArrayOperand& b) {
  const core::ArrayType type = CommonType(what, a, b);
  return Add(what, what, type, {Matched(what, a, type), Matched(what, b, type)}, "", a.here());
}

Array Compare(const char* what, const char* direction, const ArrayOperand& a, const ArrayOperand& b) {
  const core::ArrayType type = CommonType(what, a, b);
  return Add(what, "compare", {DType::kBool, type.shape}, {Matched(what, a, type), Matched(what, b, type)}, direction, a.here());
}

Array Unary(const char* what, const ArrayOperand& x) {
  HostNode* node = NodeOf(what, x);
  return Add(what, what, node->type, {node}, "", x.here());
}

}  // namespace

Array::Array(HostNode* node) : node_(node), trace_number_(trace::CurrentTrace()) {}

const Shape& Array::shape(Here here) const { return NodeOf("shape", ArrayOperand(*this, here))->type.shape; }
DType Array::dtype(Here here) const { return NodeOf("dtype", ArrayOperand(*this, here))->type.dtype; }
Placement Array::placement(Here here) const { return NodeOf("placement", ArrayOperand(*this, here))->placement; }

Array Array::astype(DType dtype, Here here) const {
  HostNode* node = NodeOf("astype", ArrayOperand(*this, here));
  if (node->type.dtype == dtype) return *this;
  return Add("astype", "convert", {dtype, node->type.shape}, {node}, "", here);
}

std::int64_t Block::operator[](std::size_t i) const {
  if (i >= dims_.size()) {
    Misuse("block", "a block with " + std::to_string(dims_.size()) + " dimensions has no dimension " + std::to_string(i), {});
  }
  return dims_[i].extent;
}

Shape Block::shape() const {
  Shape shape;
  for (const BlockDim& dim : dims_) shape.push_back(dim.extent);
  return shape;
}

Array pad(const ArrayOperand& x, const Shape& low, const Shape& high, double value) {
  HostNode* node = NodeOf("pad", x);
  const Shape& from = node->type.shape;
  CheckRank("pad", low, from, x.here());
  CheckRank("pad", high, from, x.here());
  Shape to = from;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (low[i] < 0 || high[i] < 0) Misuse("pad", "padding can't be negative; use crop or slice", x.here());
    const bool fits = low[i] <= kMostExtent && high[i] <= kMostExtent;
    to[i] = fits ? to[i] + low[i] + high[i] : kMostExtent;
  }
  if (core::CheckedNumElements(to) < 0) {
    Misuse("pad", "padding " + core::ToString(low) + ", " + core::ToString(high) + " makes an array of too many elements", x.here());
  }
  HostNode* filler = trace::CurrentHost("pad", x.here()).Constant("pad", node->type.dtype, value, x.here());
  const std::string detail = ", low = " + List(low) + ", high = " + List(high) + ", interior = " + List(Shape(from.size(), 0));
  return Add("pad", "pad", {node->type.dtype, to}, {node, filler}, detail, x.here());
}

Array pad_to(const ArrayOperand& x, const Block& block, double value) {
  const Shape& from = NodeOf("pad_to", x)->type.shape;
  CheckRank("pad_to", block.shape(), from, x.here());
  Shape high;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (block[i] < 1) Misuse("pad_to", "block extents must be positive, not " + std::to_string(block[i]), x.here());
    high.push_back(cdiv(from[i], block[i]) * block[i] - from[i]);
  }
  return pad(x, Shape(from.size(), 0), high, value);
}

namespace {

Array SliceOf(const char* what, const ArrayOperand& x, const Shape& starts, const Shape& sizes) {
  HostNode* node = NodeOf(what, x);
  const Shape& from = node->type.shape;
  CheckRank(what, starts, from, x.here());
  CheckRank(what, sizes, from, x.here());
  std::string ranges;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (starts[i] < 0 || sizes[i] < 0 || sizes[i] > from[i] || starts[i] > from[i] - sizes[i]) {
      Misuse(what, std::to_string(sizes[i]) + " elements from " + std::to_string(starts[i]) + " on are not inside dimension " +
                       std::to_string(i) + " of extent " + std::to_string(from[i]), x.here());
    }
    ranges += (i > 0 ? ", " : "") + std::to_string(starts[i]) + ":" + std::to_string(starts[i] + sizes[i]);
  }
  return Add(what, "slice", {node->type.dtype, sizes}, {node}, " [" + ranges + "]", x.here());
}

}  // namespace

Array slice(const ArrayOperand& x, const Shape& starts, const Shape& sizes) { return SliceOf("slice", x, starts, sizes); }
Array crop(const ArrayOperand& x, const Shape& shape) { return SliceOf("crop", x, Shape(shape.size(), 0), shape); }

Array reshape(const ArrayOperand& x, const Shape& shape) {
  HostNode* node = NodeOf("reshape", x);
  if (core::CheckedNumElements(shape) != core::NumElements(node->type.shape)) {
    Misuse("reshape", "shape " + core::ToString(node->type.shape) + " can't become " + core::ToString(shape), x.here());
  }
  return Add("reshape", "reshape", {node->type.dtype, shape}, {node}, "", x.here());
}

Array broadcast_to(const ArrayOperand& x, const Shape& shape) {
  HostNode* node = NodeOf("broadcast_to", x);
  const Shape& from = node->type.shape;
  if (!trace::Broadcasts(from, shape) || core::CheckedNumElements(shape) < 0) {
    Misuse("broadcast_to", "shape " + core::ToString(from) + " doesn't broadcast to " + core::ToString(shape), x.here());
  }
  Shape dims;
  for (std::size_t i = 0; i < from.size(); ++i) {
    dims.push_back(static_cast<std::int64_t>(i + shape.size() - from.size()));
  }
  return Add("broadcast_to", "broadcast_in_dim", {node->type.dtype, shape}, {node}, ", dims = " + List(dims), x.here());
}

Array operator+(const ArrayOperand& a, const ArrayOperand& b) { return Binary("add", a, b); }
Array operator-(const ArrayOperand& a, const ArrayOperand& b) { return Binary("subtract", a, b); }
Array operator*(const ArrayOperand& a, const ArrayOperand& b) { return Binary("multiply", a, b); }
Array operator/(const ArrayOperand& a, const ArrayOperand& b) { return Binary("divide", a, b); }
Array operator-(const ArrayOperand& a) { return Unary("negate", a); }
Array maximum(const ArrayOperand& a, const ArrayOperand& b) { return Binary("maximum", a, b); }
Array minimum(const ArrayOperand& a, const ArrayOperand& b) { return Binary("minimum", a, b); }
Array exp(const ArrayOperand& x) { return Unary("exponential", x); }
Array log(const ArrayOperand& x) { return Unary("log", x); }
Array tanh(const ArrayOperand& x) { return Unary("tanh", x); }
Array sqrt(const ArrayOperand& x) { return Unary("sqrt", x); }
Array rsqrt(const ArrayOperand& x) { return Unary("rsqrt", x); }
Array abs(const ArrayOperand& x) { return Unary("abs", x); }
Array operator==(const ArrayOperand& a, const ArrayOperand& b) { return Compare("eq", "EQ", a, b); }
Array operator!=(const ArrayOperand& a, const ArrayOperand& b) { return Compare("ne", "NE", a, b); }
Array operator<(const ArrayOperand& a, const ArrayOperand& b) { return Compare("lt", "LT", a, b); }
Array operator<=(const ArrayOperand& a, const ArrayOperand& b) { return Compare("le", "LE", a, b); }
Array operator>(const ArrayOperand& a, const ArrayOperand& b) { return Compare("gt", "GT", a, b); }
Array operator>=(const ArrayOperand& a, const ArrayOperand& b) { return Compare("ge", "GE", a, b); }

Array where(const ArrayOperand& condition, const ArrayOperand& a, const ArrayOperand& b) {
  const core::ArrayType type = CommonType("where", a, b);
  HostNode* chosen = NodeOf("where", condition);
  if (chosen->type != core::ArrayType{DType::kBool, type.shape}) {
    Misuse("where", "the condition must be " + core::ToString(core::ArrayType{DType::kBool, type.shape}), condition.here());
  }
  return Add("where", "select", type, {chosen, Matched("where", a, type), Matched("where", b, type)}, "", condition.here());
}

void require(bool condition, const std::string& message, Here here) {
  if (!condition) Misuse("require", message, here);
}

Array dot(const Array& a, const Array& b, Here here) {
  HostNode* left = NodeOf("dot", ArrayOperand(a, here));
  HostNode* right = NodeOf("dot", ArrayOperand(b, here));
  const Shape &from = left->type.shape, &to = right->type.shape;
  const bool matrices = from.size() == 2 && to.size() == 2 && from[1] == to[0];
  if (!matrices) Misuse("dot", "takes matrices (m, k) and (k, n), not " + core::ToString(from) + " and " + core::ToString(to), here);
  for (const HostNode* node : {left, right}) {
    if (node->type.dtype != DType::kFloat32) Misuse("dot", "takes float32, not " + std::string(core::Name(node->type.dtype)) + "; convert with astype first", here);
  }
  // HIGHEST: the default would let a TPU round the operands to bfloat16.
  return Add("dot", "dot_general", {DType::kFloat32, {from[0], to[1]}}, {left, right}, ", contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST]", here);
}

}  // namespace kernel_audit::pallas
