#include "kernel_audit/import/op_attributes.h"

#include <array>

#include "kernel_audit/import/attribute_reader.h"
#include "kernel_audit/import/literal.h"
#include "kernel_audit/import/text_cursor.h"

namespace kernel_audit::import {
namespace {

using ir::OpCode;
using Fill = void (*)(AttributeReader&, ir::Op&);

void FillConstant(AttributeReader& reader, ir::Op& op) {
  const Attribute* value = reader.Require("value");
  if (value == nullptr || op.results.empty()) return;
  const ir::Type& type = op.result()->type;
  const bool dense = value->kind == Attribute::Kind::kDense;
  const MlirType* element = dense ? value->type->element.get() : value->type.get();
  if ((!dense && value->kind != Attribute::Kind::kInteger && value->kind != Attribute::Kind::kFloat) || element == nullptr) {
    return reader.Unsupported("a value that is neither a number nor dense");
  }
  if (element->dtype != type.dtype || dense == type.is_scalar() || type.is_ref() || (dense && value->type->shape != type.shape)) {
    return reader.Bad("the value does not have the type of the result, " + ir::ToString(type));
  }
  op.attributes.value.splat = dense ? value->splat : true;
  op.attributes.value.bytes = value->bytes;
  if (value->kind == Attribute::Kind::kInteger) AppendInteger(value->integer, type.dtype, op.attributes.value.bytes);
}

void FillPredicate(AttributeReader& reader, ir::Op& op) { op.attributes.predicate = reader.Integer("predicate"); }

void FillTruncF(AttributeReader& reader, ir::Op&) {
  const Attribute* mode = reader.Find("roundingmode");
  if (mode != nullptr && !(mode->kind == Attribute::Kind::kInteger && mode->integer == 0)) {
    reader.Unsupported("a rounding mode other than to nearest, ties to even");
  }
}

void FillIota(AttributeReader& reader, ir::Op& op) {
  const std::vector<std::int64_t> dimensions = reader.Integers("dimensions");
  if (dimensions.size() != 1) return reader.Unsupported("`dimensions` must have one entry");
  op.attributes.dimension = dimensions[0];
}

void FillSlice(AttributeReader& reader, ir::Op& op) {
  op.attributes.dims = reader.Integers("offsets");
  op.attributes.sizes = reader.Integers("sizes");
  for (const std::int64_t stride : reader.Integers("strides")) {
    if (stride != 1) reader.Unsupported("strides other than 1");
  }
}

void FillReduce(AttributeReader& reader, ir::Op& op) {
  op.attributes.dims = reader.Integers("reduction_dims");
  reader.Require("kind");
  const auto name = reader.Opaque("kind", "#vector.kind");
  const auto kind = ir::ReductionKindFromName(name.value_or(""));
  if (!kind) return reader.Unsupported("reduction kind '" + name.value_or("") + "'");
  op.attributes.reduction = *kind;
}

void FillTranspose(AttributeReader& reader, ir::Op& op) { op.attributes.dims = reader.Integers("permutation"); }

// [1], [0], [0], [1], [0, 0, 1, 1], [], []
bool ParseDotNumbers(const std::string& text, ir::DotDimensionNumbers& dot) {
  TextCursor cursor(text, "");
  bool first = true;
  for (std::vector<std::int64_t>* list : {&dot.lhs_contracting, &dot.rhs_contracting, &dot.lhs_free, &dot.rhs_free, &dot.output_order,
                                          &dot.lhs_batch, &dot.rhs_batch}) {
    if (!first) cursor.Expect(",");
    first = false;
    cursor.Expect("[");
    while (cursor.ok() && !cursor.Accept("]")) {
      if (!list->empty()) cursor.Expect(",");
      cursor.SkipSpace();
      const auto value = cursor.Digits();
      if (!value) cursor.Fail("expected a number");
      list->push_back(value.value_or(0));
    }
  }
  return cursor.ok() && cursor.AtEnd();
}

void FillMatmul(AttributeReader& reader, ir::Op& op) {
  op.attributes.transpose_lhs = reader.Boolean("transpose_lhs", false);
  op.attributes.transpose_rhs = reader.Boolean("transpose_rhs", false);
  const std::string precision = reader.Opaque("precision", "#tpu.contract_precision").value_or("bf16");
  if (precision != "bf16" && precision != "fp32") reader.Unsupported("precision '" + precision + "'");
  op.attributes.full_precision = precision == "fp32";
  const auto numbers = reader.Opaque("dimension_numbers", "#tpu.dot_dimension_numbers");
  if (!numbers) return reader.Unsupported("a product without `dimension_numbers`");
  if (!ParseDotNumbers(*numbers, op.attributes.dot)) reader.Bad("`dimension_numbers` are not seven lists of numbers");
}

void FillRotate(AttributeReader& reader, ir::Op& op) {
  op.attributes.dimension = reader.Integer("dimension");
  if (reader.Find("stride") == nullptr) return;
  op.attributes.stride = reader.Integer("stride");
  op.attributes.stride_dimension = reader.Integer("stride_dimension");
}

void FillExtract(AttributeReader& reader, ir::Op& op) { op.attributes.dims = reader.Integers("static_position"); }

void FillGather(AttributeReader& reader, ir::Op& op) {
  const std::vector<std::int64_t> dimensions = reader.Integers("dimensions");
  if (dimensions.size() != 1) return reader.Unsupported("`dimensions` must have one entry");
  op.attributes.dimension = dimensions[0];
}

void FillReduceIndex(AttributeReader& reader, ir::Op& op) {
  op.attributes.dimension = reader.Integer("axis");
  reader.Require("kind");
  const std::string kind = reader.Opaque("kind", "#tpu.reduction_kind").value_or("");
  if (kind != "arg_max" && kind != "arg_min") return reader.Unsupported("reduction kind '" + kind + "'");
  op.attributes.smallest = kind == "arg_min";
}

void FillIterationBound(AttributeReader& reader, ir::Op& op) { op.attributes.dimension = reader.Integer("dim"); }

void FillPackedType(AttributeReader& reader, ir::Op& op, const char* name) {
  const Attribute* type = reader.Require(name);
  if (type == nullptr) return;
  if (type->kind != Attribute::Kind::kType || !type->type->dtype) return reader.Unsupported(std::string(name) + " is not a type that is known");
  op.attributes.packed_type = *type->type->dtype;
}

void FillPack(AttributeReader& reader, ir::Op& op) { FillPackedType(reader, op, "target_type"); }

void FillUnpack(AttributeReader& reader, ir::Op& op) {
  FillPackedType(reader, op, "source_type");
  op.attributes.index = reader.Integer("index");
}

void FillAssumeMultiple(AttributeReader& reader, ir::Op& op) { op.attributes.multiple = reader.Integer("multiple"); }

// Both attributes permit a less exact result; ours is exact.
void FillReciprocal(AttributeReader& reader, ir::Op&) { reader.Ignore({"approx", "full_range"}); }

void FillStrides(AttributeReader& reader, ir::Op& op) { op.attributes.dims = reader.Integers("strides"); }

// What only a person reads.
void FillDebug(AttributeReader& reader, ir::Op&) { reader.Ignore({"tag", "formatted", "shape", "label"}); }

void FillConcatenate(AttributeReader& reader, ir::Op& op) { op.attributes.dimension = reader.Integer("dimension"); }

void FillSegments(AttributeReader& reader, ir::Op& op) {
  for (const std::int64_t size : reader.Integers("operandSegmentSizes")) {
    if (size < 0 || size > 4096) return reader.Bad("a segment of operands has a size that can't be");
    op.attributes.segments.push_back(static_cast<std::int32_t>(size));
  }
}

void FillVectorStore(AttributeReader& reader, ir::Op& op) {
  FillSegments(reader, op);
  op.attributes.add = reader.Boolean("add", false);
  if (reader.Find("strides") != nullptr && !reader.Integers("strides").empty()) reader.Unsupported("a store with strides");
}

void FillAlloca(AttributeReader& reader, ir::Op& op) {
  reader.Ignore({"alignment"});
  if (reader.Find("operandSegmentSizes") != nullptr) FillSegments(reader, op);
}

void FillEnqueueDma(AttributeReader& reader, ir::Op& op) {
  FillSegments(reader, op);
  op.attributes.priority = reader.Integer("priority", 0);
  reader.OnlyFalse("strict_ordering");
}

void FillWaitDma(AttributeReader& reader, ir::Op& op) {
  FillSegments(reader, op);
  reader.OnlyFalse("strict_ordering");
}

void FillTraceStart(AttributeReader& reader, ir::Op& op) {
  op.attributes.level = reader.Integer("level", 0);
  op.attributes.message = reader.String("message");
}

void FillLoad(AttributeReader& reader, ir::Op&) {
  reader.OnlyFalse("nontemporal");
  reader.Ignore({"alignment"});
}

Fill FillOf(OpCode code) {
  switch (code) {
    case OpCode::kConstant: return FillConstant;
    case OpCode::kCmpF:
    case OpCode::kCmpI: return FillPredicate;
    case OpCode::kTruncF: return FillTruncF;
    case OpCode::kIota: return FillIota;
    case OpCode::kExtractStridedSlice: return FillSlice;
    case OpCode::kReduce: return FillReduce;
    case OpCode::kTranspose: return FillTranspose;
    case OpCode::kMatmul: return FillMatmul;
    case OpCode::kDynamicRotate: return FillRotate;
    case OpCode::kConcatenate: return FillConcatenate;
    case OpCode::kExtract: return FillExtract;
    case OpCode::kDynamicGather: return FillGather;
    case OpCode::kReduceIndex: return FillReduceIndex;
    case OpCode::kIterationBound: return FillIterationBound;
    case OpCode::kPackElementwise: return FillPack;
    case OpCode::kUnpackElementwise: return FillUnpack;
    case OpCode::kAssumeMultiple: return FillAssumeMultiple;
    case OpCode::kReciprocal: return FillReciprocal;
    case OpCode::kStridedLoad:
    case OpCode::kStridedStore: return FillStrides;
    case OpCode::kDebugLog:
    case OpCode::kDebugLogBuffer:
    case OpCode::kTraceValue: return FillDebug;
    case OpCode::kVectorDialectStore:
    case OpCode::kLoad:
    case OpCode::kStore:
    case OpCode::kVectorLoad: return FillLoad;
    case OpCode::kVectorStore: return FillVectorStore;
    case OpCode::kAlloca: return FillAlloca;
    case OpCode::kRefSlice:
    case OpCode::kSemSignal: return FillSegments;
    case OpCode::kEnqueueDma: return FillEnqueueDma;
    case OpCode::kWaitDma: return FillWaitDma;
    case OpCode::kTraceStart: return FillTraceStart;
    default: return nullptr;
  }
}

}  // namespace

core::Result<void> FillAttributes(const Operation& operation, ir::Op& op) {
  AttributeReader reader(operation, op.info().name);
  // Without wrap-around there would be undefined results; here there are none. Fast-math flags permit, they never demand.
  reader.Ignore({"fastmath", "overflowFlags", "nonNeg"});
  if (const Fill fill = FillOf(op.code); fill != nullptr) fill(reader, op);
  return reader.Finish();
}

}  // namespace kernel_audit::import
