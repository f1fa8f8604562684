#include "kernel_audit/ir/verifier_rules.h"

namespace kernel_audit::ir {
namespace {

std::string SameTypes(const Op& op, bool (*is_class)(DType), const char* class_name) {
  const Type& type = op.result()->type;
  if (type.is_ref() || !is_class(type.dtype)) return std::string("it works on ") + class_name + " scalars and vectors";
  for (const Value* operand : op.operands) {
    if (operand->type != type) return "its operands must have the type of its result, " + ToString(type);
  }
  return "";
}

std::string FloatRule(const Op& op) { return SameTypes(op, core::IsFloat, "float"); }
std::string IntegerRule(const Op& op) { return SameTypes(op, core::IsInteger, "integer"); }

std::string ConstantRule(const Op& op) {
  const Type& type = op.result()->type;
  const Constant& value = op.attributes.value;
  if (type.is_ref()) return "a constant can't be a reference";
  const std::size_t count = value.splat || type.is_scalar() ? 1 : static_cast<std::size_t>(core::NumElements(type.shape));
  if (value.bytes.size() != count * core::ByteSize(type.dtype)) return "its value does not have the elements of " + ToString(type);
  if (type.dtype != DType::kBool) return "";
  for (const std::uint8_t byte : value.bytes) {
    if (byte > 1) return "an i1 is 0 or 1";
  }
  return "";
}

std::string CompareRule(const Op& op, bool (*is_class)(DType), std::int64_t last_predicate) {
  const Type& type = op.operands[0]->type;
  Type expected = type;
  expected.dtype = DType::kBool;
  if (type.is_ref() || !is_class(type.dtype)) return "its operands have the wrong element type";
  if (op.operands[1]->type != type) return "its operands must have one type";
  if (op.result()->type != expected) return "its result must be " + ToString(expected);
  if (op.attributes.predicate < 0 || op.attributes.predicate > last_predicate) return "its predicate is out of range";
  return "";
}

std::string CmpFRule(const Op& op) { return CompareRule(op, core::IsFloat, 15); }
std::string CmpIRule(const Op& op) { return CompareRule(op, core::IsInteger, 9); }

std::string SelectRule(const Op& op) {
  const Type& condition = op.operands[0]->type;
  const Type& type = op.result()->type;
  if (type.is_ref()) return "it can't choose between references";
  if (condition.dtype != DType::kBool || condition.is_ref()) return "its condition must be i1";
  if (condition.is_vector() && condition.shape != type.shape) return "its condition must have the shape of its result";
  if (op.operands[1]->type != type || op.operands[2]->type != type) return "both choices must have the type of the result";
  return "";
}

bool IsPlainInteger(DType dtype) { return core::IsInteger(dtype) && dtype != DType::kIndex; }

// Whether the operation can cast an element of `from` to one of `to`.
bool CanCast(OpCode code, DType from, DType to) {
  const bool integers = IsPlainInteger(from) && IsPlainInteger(to), floats = core::IsFloat(from) && core::IsFloat(to);
  switch (code) {
    case OpCode::kIndexCast: return core::IsInteger(from) && core::IsInteger(to) && (from == DType::kIndex) != (to == DType::kIndex);
    case OpCode::kExtUI:
    case OpCode::kExtSI: return integers && BitWidth(from) < BitWidth(to);
    case OpCode::kTruncI: return integers && BitWidth(from) > BitWidth(to);
    case OpCode::kExtF: return floats && BitWidth(from) < BitWidth(to);
    case OpCode::kTruncF: return floats && BitWidth(from) > BitWidth(to);
    case OpCode::kSIToFP: return IsPlainInteger(from) && core::IsFloat(to);
    case OpCode::kFPToSI: return core::IsFloat(from) && IsPlainInteger(to);
    case OpCode::kBitcast: return BitWidth(from) == BitWidth(to) && from != DType::kIndex && to != DType::kIndex;
    default: return false;
  }
}

std::string CastRule(const Op& op) {
  const Type &from = op.operands[0]->type, &to = op.result()->type;
  if (from.is_ref() || from.kind != to.kind || from.shape != to.shape) return "its operand and its result must have one shape";
  if (!CanCast(op.code, from.dtype, to.dtype)) {
    return "it can't make " + std::string(core::MlirName(to.dtype)) + " of " + std::string(core::MlirName(from.dtype));
  }
  return "";
}

}  // namespace

Rule ElementwiseRule(OpCode code) {
  switch (code) {
    case OpCode::kConstant: return ConstantRule;
    case OpCode::kAddF:
    case OpCode::kSubF:
    case OpCode::kMulF:
    case OpCode::kDivF:
    case OpCode::kNegF:
    case OpCode::kMaximumF:
    case OpCode::kMinimumF:
    case OpCode::kExp:
    case OpCode::kLog:
    case OpCode::kTanh:
    case OpCode::kSin:
    case OpCode::kRsqrt:
    case OpCode::kSqrt:
    case OpCode::kAbsF: return FloatRule;
    case OpCode::kAddI:
    case OpCode::kSubI:
    case OpCode::kMulI:
    case OpCode::kDivSI:
    case OpCode::kRemSI:
    case OpCode::kDivUI:
    case OpCode::kRemUI:
    case OpCode::kMaxSI:
    case OpCode::kMinSI:
    case OpCode::kAndI:
    case OpCode::kOrI:
    case OpCode::kXOrI:
    case OpCode::kShlI:
    case OpCode::kShrSI:
    case OpCode::kShrUI: return IntegerRule;
    case OpCode::kCmpF: return CmpFRule;
    case OpCode::kCmpI: return CmpIRule;
    case OpCode::kSelect: return SelectRule;
    case OpCode::kIndexCast:
    case OpCode::kExtUI:
    case OpCode::kExtSI:
    case OpCode::kTruncI:
    case OpCode::kExtF:
    case OpCode::kTruncF:
    case OpCode::kSIToFP:
    case OpCode::kFPToSI:
    case OpCode::kBitcast: return CastRule;
    default: return nullptr;
  }
}

}  // namespace kernel_audit::ir
