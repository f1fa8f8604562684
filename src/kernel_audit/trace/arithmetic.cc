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

Value Compare(const char* what, std::int64_t for_float, std::int64_t for_integer, const Operand& a, const Operand& b) {
  const Pair pair = Match(what, a, b);
  const bool is_float = core::IsFloat(pair.dtype());
  if (pair.dtype() == boolean && for_integer > 1) NotDefined(what, boolean, a.here());
  ir::Attributes attributes;
  attributes.predicate = is_float ? for_float : for_integer;
  return Value(trace::MakeOp(what, is_float ? OpCode::kCmpF : OpCode::kCmpI, trace::ValueType(boolean, pair.shape()),
                             {pair.a, pair.b}, a.here(), attributes));
}

Value FloatFunction(const char* what, OpCode code, const Operand& x) {
  Node* node = trace::ValueOperand(what, x);
  if (!core::IsFloat(node->type.dtype)) {
    trace::Misuse(what, "takes a float value, not " + std::string(core::Name(node->type.dtype)), x.here());
  }
  return Value(trace::MakeOp(what, code, node->type, {node}, x.here()));
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
  return a ^ Operand(1, a.here());
}

Value operator==(const Operand& a, const Operand& b) { return Compare("eq", 1, 0, a, b); }
Value operator!=(const Operand& a, const Operand& b) { return Compare("ne", 13, 1, a, b); }
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
  return Value(trace::MakeOp("where", OpCode::kSelect, left->type, {chosen, left, right}, condition.here()));
}

Value exp(const Operand& x) { return FloatFunction("exp", OpCode::kExp, x); }
Value log(const Operand& x) { return FloatFunction("log", OpCode::kLog, x); }
Value tanh(const Operand& x) { return FloatFunction("tanh", OpCode::kTanh, x); }
Value sin(const Operand& x) { return FloatFunction("sin", OpCode::kSin, x); }
Value sqrt(const Operand& x) { return FloatFunction("sqrt", OpCode::kSqrt, x); }
Value rsqrt(const Operand& x) { return FloatFunction("rsqrt", OpCode::kRsqrt, x); }

Value abs(const Operand& x) {
  Node* node = trace::ValueOperand("abs", x);
  if (node->type.dtype == boolean) NotDefined("abs", boolean, x.here());
  return core::IsFloat(node->type.dtype) ? FloatFunction("abs", OpCode::kAbsF, x) : maximum(x, -x);
}

}  // namespace kernel_audit::pallas
