#include <string>
#include <utility>

#include "kernel_audit/trace/build.h"

namespace kernel_audit::pallas {
namespace {

using ir::OpCode;
using trace::Node;

struct Pair {
  Node* a;
  Node* b;
  DType dtype() const { return a->type.dtype; }
  const Shape& shape() const { return a->type.shape; }
};

// Both operands with one dtype and one shape. At least one is a value, or the operator would be C++'s own.
Pair Match(const char* what, const Operand& a, const Operand& b) {
  const Operand& typed = a.kind() == Operand::Kind::kValue ? a : b;
  Node* node = trace::ValueOperand(what, typed);
  trace::Graph& graph = trace::GraphOf(node);
  Node* left = trace::AsNode(what, a, node->type.dtype, graph);
  Node* right = trace::AsNode(what, b, node->type.dtype, graph);
  if (left->type.dtype != right->type.dtype) {
    trace::Misuse(what, "operands are " + std::string(core::Name(left->type.dtype)) + " and " +
                            std::string(core::Name(right->type.dtype)) + "; convert one with astype", a.here());
  }
  graph.CheckUsable(what, left, a.here());
  graph.CheckUsable(what, right, b.here());
  const Shape shape = trace::BroadcastShapes(what, left->type.shape, right->type.shape, a.here());
  return {trace::BroadcastTo(what, left, shape, a.here()), trace::BroadcastTo(what, right, shape, a.here())};
}

constexpr OpCode kNone = OpCode::kReturn;

[[noreturn]] void NotDefined(const char* what, DType dtype, Here here) {
  trace::Misuse(what, "is not defined for " + std::string(core::Name(dtype)), here);
}

// The operation for floats or the one for integers, either of them kNone.
Value Arithmetic(const char* what, OpCode for_float, OpCode for_integer, const Operand& a, const Operand& b) {
  const Pair pair = Match(what, a, b);
  const bool is_float = core::IsFloat(pair.dtype());
  const OpCode code = is_float ? for_float : for_integer;
  const bool logical = code == OpCode::kAndI || code == OpCode::kOrI || code == OpCode::kXOrI;
  if (code == kNone || (pair.dtype() == boolean && !logical)) NotDefined(what, pair.dtype(), a.here());
  return Value(trace::MakeOp(what, code, trace::ValueType(pair.dtype(), pair.shape()), {pair.a, pair.b}, a.here()));
}

// Less and greater.
Value Compare(const char* what, std::int64_t for_float, std::int64_t for_integer, const Operand& a, const Operand& b) {
  const Pair pair = Match(what, a, b);
  const bool is_float = core::IsFloat(pair.dtype());
  if (pair.dtype() == boolean) NotDefined(what, boolean, a.here());
  ir::Attributes attributes;
  attributes.predicate = is_float ? for_float : for_integer;
  return Value(trace::MakeOp(what, is_float ? OpCode::kCmpF : OpCode::kCmpI, trace::ValueType(boolean, pair.shape()),
                             {pair.a, pair.b}, a.here(), attributes));
}

// The TPU compiler knows neither "unordered or not equal" nor a comparison of booleans, so "not equal" is "not (equal)" for floats (true
// for NaN, as IEEE wants) and "either, but not both" for booleans.
Value Equal(const char* what, bool negated, const Operand& a, const Operand& b) {
  const Pair pair = Match(what, a, b);
  const ir::Type type = trace::ValueType(boolean, pair.shape());
  ir::Attributes attributes;
  if (pair.dtype() == boolean) {
    Node* differ = trace::MakeOp(what, OpCode::kXOrI, type, {pair.a, pair.b}, a.here());
    return Value(negated ? differ : trace::Not(what, differ, a.here()));
  }
  const bool is_float = core::IsFloat(pair.dtype());
  attributes.predicate = is_float || negated ? 1 : 0;
  Node* compared = trace::MakeOp(what, is_float ? OpCode::kCmpF : OpCode::kCmpI, type, {pair.a, pair.b}, a.here(), attributes);
  return Value(is_float && negated ? trace::Not(what, compared, a.here()) : compared);
}

// Nor does it choose between booleans.
Node* SelectBoolean(Node* condition, Node* a, Node* b, Here here) {
  condition = trace::BroadcastTo("where", condition, a->type.shape, here);
  Node* left = trace::MakeOp("where", OpCode::kAndI, a->type, {condition, a}, here);
  Node* right = trace::MakeOp("where", OpCode::kAndI, a->type, {trace::Not("where", condition, here), b}, here);
  return trace::MakeOp("where", OpCode::kOrI, a->type, {left, right}, here);
}

Value FloatFunction(const char* what, OpCode code, const Operand& x) {
  Node* node = trace::ValueOperand(what, x);
  if (!core::IsFloat(node->type.dtype)) {
    trace::Misuse(what, "takes a float value, not " + std::string(core::Name(node->type.dtype)), x.here());
  }
  return Value(trace::MakeOp(what, code, node->type, {node}, x.here()));
}

// v5e has no square roots of bfloat16: through float32. Its 24 bits are enough for the second rounding to change nothing in a square root.
Value Root(const char* what, OpCode code, const Operand& x) {
  if (trace::ValueOperand(what, x)->type.dtype != bf16) return FloatFunction(what, code, x);
  return FloatFunction(what, code, Operand(x.value().astype(f32, x.here()), x.here())).astype(bf16, x.here());
}

}  // namespace

Value operator+(const Operand& a, const Operand& b) { return Arithmetic("add", OpCode::kAddF, OpCode::kAddI, a, b); }
Value operator-(const Operand& a, const Operand& b) { return Arithmetic("sub", OpCode::kSubF, OpCode::kSubI, a, b); }
Value operator*(const Operand& a, const Operand& b) { return Arithmetic("mul", OpCode::kMulF, OpCode::kMulI, a, b); }
Value operator/(const Operand& a, const Operand& b) { return Arithmetic("div", OpCode::kDivF, OpCode::kDivSI, a, b); }
Value operator&(const Operand& a, const Operand& b) { return Arithmetic("and", kNone, OpCode::kAndI, a, b); }
Value operator|(const Operand& a, const Operand& b) { return Arithmetic("or", kNone, OpCode::kOrI, a, b); }
Value operator^(const Operand& a, const Operand& b) { return Arithmetic("xor", kNone, OpCode::kXOrI, a, b); }
Value operator<<(const Operand& a, const Operand& b) { return Arithmetic("shift_left", kNone, OpCode::kShlI, a, b); }
Value operator>>(const Operand& a, const Operand& b) { return Arithmetic("shift_right", kNone, OpCode::kShrSI, a, b); }

Value operator%(const Operand& a, const Operand& b) { return Arithmetic("rem", kNone, OpCode::kRemSI, a, b); }

Value operator-(const Operand& a) {
  Node* node = trace::ValueOperand("neg", a);
  if (core::IsFloat(node->type.dtype)) return FloatFunction("neg", OpCode::kNegF, a);
  if (node->type.dtype == boolean) NotDefined("neg", boolean, a.here());
  return Operand(0, a.here()) - a;
}

Value operator!(const Operand& a) {
  Node* node = trace::ValueOperand("not", a);
  if (node->type.dtype != boolean) trace::Misuse("not", "takes a boolean; compare with zero", a.here());
  return Value(trace::Not("not", node, a.here()));
}

Value operator==(const Operand& a, const Operand& b) { return Equal("eq", false, a, b); }
Value operator!=(const Operand& a, const Operand& b) { return Equal("ne", true, a, b); }
Value operator<(const Operand& a, const Operand& b) { return Compare("lt", 4, 2, a, b); }
Value operator<=(const Operand& a, const Operand& b) { return Compare("le", 5, 3, a, b); }
Value operator>(const Operand& a, const Operand& b) { return Compare("gt", 2, 4, a, b); }
Value operator>=(const Operand& a, const Operand& b) { return Compare("ge", 3, 5, a, b); }

Value maximum(const Operand& a, const Operand& b) { return Arithmetic("maximum", OpCode::kMaximumF, OpCode::kMaxSI, a, b); }
Value minimum(const Operand& a, const Operand& b) { return Arithmetic("minimum", OpCode::kMinimumF, OpCode::kMinSI, a, b); }

Value where(const Operand& condition, const Operand& a, const Operand& b) {
  Node* chosen = trace::ValueOperand("where", condition);
  if (chosen->type.dtype != boolean) trace::Misuse("where", "the condition must be boolean", condition.here());
  if (a.kind() != Operand::Kind::kValue && b.kind() != Operand::Kind::kValue) {
    trace::Misuse("where", "one of the two values must not be a plain number; its dtype would be a guess (use full)", a.here());
  }
  const Pair pair = Match("where", a, b);
  const Shape shape = trace::BroadcastShapes("where", chosen->type.shape, pair.shape(), condition.here());
  if (!chosen->type.shape.empty()) chosen = trace::BroadcastTo("where", chosen, shape, condition.here());
  Node* left = trace::BroadcastTo("where", pair.a, shape, a.here());
  Node* right = trace::BroadcastTo("where", pair.b, shape, b.here());
  if (pair.dtype() == boolean) return Value(SelectBoolean(chosen, left, right, condition.here()));
  return Value(trace::MakeOp("where", OpCode::kSelect, left->type, {chosen, left, right}, condition.here()));
}

Value exp(const Operand& x) { return FloatFunction("exp", OpCode::kExp, x); }
Value log(const Operand& x) { return FloatFunction("log", OpCode::kLog, x); }
Value tanh(const Operand& x) { return FloatFunction("tanh", OpCode::kTanh, x); }
Value sin(const Operand& x) { return FloatFunction("sin", OpCode::kSin, x); }
Value sqrt(const Operand& x) { return Root("sqrt", OpCode::kSqrt, x); }
Value rsqrt(const Operand& x) { return Root("rsqrt", OpCode::kRsqrt, x); }

Value abs(const Operand& x) {
  Node* node = trace::ValueOperand("abs", x);
  if (node->type.dtype == boolean) NotDefined("abs", boolean, x.here());
  return core::IsFloat(node->type.dtype) ? FloatFunction("abs", OpCode::kAbsF, x) : maximum(x, -x);
}

}  // namespace kernel_audit::pallas
