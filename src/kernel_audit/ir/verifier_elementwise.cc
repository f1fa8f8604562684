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
    case OpCode::kSIToFP:
    case OpCode::kUIToFP: return IsPlainInteger(from) && core::IsFloat(to);
    case OpCode::kFPToSI:
    case OpCode::kFPToUI: return core::IsFloat(from) && IsPlainInteger(to);
    case OpCode::kWeird: return core::IsFloat(from) && to == DType::kBool;
    case OpCode::kArithBitcast: return BitWidth(from) == BitWidth(to) && from != DType::kIndex && to != DType::kIndex;
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

std::string StochasticConvertRule(const Op& op) {
  const Type &from = op.operands[0]->type, &random = op.operands[1]->type, &to = op.result()->type;
  if (from.is_ref() || from.kind != to.kind || random.kind != to.kind || from.shape != to.shape || random.shape != to.shape) {
    return "its operands and its result must have one shape";
  }
  if (from.dtype == DType::kFloat32 && random.dtype == DType::kInt32 && to.dtype == DType::kBFloat16) return "";
  return "it makes bf16 of f32 and i32";
}

// Whether elements of `narrow` are packed into elements of `wide`: both integers, or bf16 of f32.
bool Packs(DType wide, DType narrow) {
  if (wide == DType::kFloat32) return narrow == DType::kBFloat16;
  return wide == DType::kInt32 && (narrow == DType::kInt16 || narrow == DType::kInt8);
}

std::string PackRule(const Op& op) {
  const Type& to = op.result()->type;
  const DType narrow = op.attributes.packed_type;
  if (!to.is_vector() || to.dtype != DType::kInt32) return "its result must be a vector of i32";
  const Type expected = Type::Vector(op.operands[0]->type.dtype, to.shape);
  if (!Packs(expected.dtype, narrow)) return "it can't pack these types";
  if (static_cast<int>(op.operands.size()) * BitWidth(narrow) != 32) return "its operands must fill 32 bits";
  for (const Value* operand : op.operands) {
    if (operand->type != expected) return "its operands must have one type and the shape of its result";
  }
  return "";
}

std::string UnpackRule(const Op& op) {
  const Type &from = op.operands[0]->type, &to = op.result()->type;
  const DType narrow = op.attributes.packed_type;
  if (from != Type::Vector(DType::kInt32, to.shape) || !to.is_vector() || !Packs(to.dtype, narrow)) {
    return "it makes a vector of f32 or i32 of one of i32 with the same shape";
  }
  return op.attributes.index >= 0 && op.attributes.index < 32 / BitWidth(narrow) ? "" : "its index is out of range";
}

std::string AssumeMultipleRule(const Op& op) {
  if (!op.result()->type.is_scalar() || !core::IsInteger(op.result()->type.dtype) || op.operands[0]->type != op.result()->type) {
    return "its operand and its result must be one scalar integer type";
  }
  return op.attributes.multiple > 0 ? "" : "its multiple must be positive";
}

}  // namespace

Rule ElementwiseRule(OpCode code) {
  switch (code) {
    case OpCode::kConstant: return ConstantRule;
    case OpCode::kAddF:
    case OpCode::kSubF:
    case OpCode::kMulF:
    case OpCode::kDivF:
    case OpCode::kRemF:
    case OpCode::kPowF:
    case OpCode::kAtan2:
    case OpCode::kNegF:
    case OpCode::kMaximumF:
    case OpCode::kMinimumF:
    case OpCode::kExp:
    case OpCode::kLog:
    case OpCode::kTanh:
    case OpCode::kSin:
    case OpCode::kRsqrt:
    case OpCode::kSqrt:
    case OpCode::kExp2:
    case OpCode::kLog1p:
    case OpCode::kCos:
    case OpCode::kTan:
    case OpCode::kErf:
    case OpCode::kCeil:
    case OpCode::kFloor:
    case OpCode::kRound:
    case OpCode::kRoundEven:
    case OpCode::kReciprocal:
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
    case OpCode::kMaxUI:
    case OpCode::kMinUI:
    case OpCode::kAbsI:
    case OpCode::kCtlz:
    case OpCode::kCtpop:
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
    case OpCode::kUIToFP:
    case OpCode::kFPToUI:
    case OpCode::kWeird:
    case OpCode::kArithBitcast: return CastRule;
    case OpCode::kStochasticConvert: return StochasticConvertRule;
    case OpCode::kPackElementwise: return PackRule;
    case OpCode::kUnpackElementwise: return UnpackRule;
    case OpCode::kAssumeMultiple: return AssumeMultipleRule;
    default: return nullptr;
  }
}

}  // namespace kernel_audit::ir
