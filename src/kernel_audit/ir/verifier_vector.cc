// Operations that change a vector's shape, reduce it or multiply matrices.
#include <algorithm>

#include "kernel_audit/ir/verifier_rules.h"

namespace kernel_audit::ir {
namespace {

using Dimensions = std::vector<std::int64_t>;

bool InRange(std::int64_t dimension, const Shape& shape) { return dimension >= 0 && dimension < static_cast<std::int64_t>(shape.size()); }

std::int64_t Extent(const Shape& shape, std::int64_t dimension) { return shape[static_cast<std::size_t>(dimension)]; }

// Whether the lists together name each dimension of `shape` exactly once.
bool Partition(const Shape& shape, std::initializer_list<const Dimensions*> lists) {
  std::vector<bool> seen(shape.size(), false);
  std::size_t count = 0;
  for (const Dimensions* list : lists) {
    for (const std::int64_t dimension : *list) {
      if (!InRange(dimension, shape) || seen[static_cast<std::size_t>(dimension)]) return false;
      seen[static_cast<std::size_t>(dimension)] = true;
      ++count;
    }
  }
  return count == shape.size();
}

bool SameElements(const Type& a, const Type& b) { return !a.is_ref() && !b.is_ref() && a.dtype == b.dtype; }

std::string IotaRule(const Op& op) {
  const Type& type = op.result()->type;
  if (!type.is_vector() || !core::IsInteger(type.dtype)) return "its result must be an integer vector";
  return InRange(op.attributes.dimension, type.shape) ? "" : "its dimension is out of range";
}

std::string BroadcastRule(const Op& op) {
  const Type &from = op.operands[0]->type, &to = op.result()->type;
  if (!to.is_vector() || !SameElements(from, to)) return "its result must be a vector of its operand's element type";
  if (from.shape.size() > to.shape.size()) return "its operand has more dimensions than its result";
  for (std::size_t i = 0; i < from.shape.size(); ++i) {
    const std::int64_t extent = from.shape[from.shape.size() - 1 - i];
    if (extent != 1 && extent != to.shape[to.shape.size() - 1 - i]) return "it can't repeat " + ToString(from) + " to " + ToString(to);
  }
  return "";
}

std::string ShapeCastRule(const Op& op) {
  const Type &from = op.operands[0]->type, &to = op.result()->type;
  if (!from.is_vector() || !to.is_vector() || !SameElements(from, to)) return "it works on vectors of one element type";
  return core::NumElements(from.shape) == core::NumElements(to.shape) ? "" : "its result must have as many elements as its operand";
}

std::string SliceRule(const Op& op) {
  const Type &from = op.operands[0]->type, &to = op.result()->type;
  const Dimensions &offsets = op.attributes.dims, &sizes = op.attributes.sizes;
  if (!from.is_vector() || !to.is_vector() || !SameElements(from, to)) return "it works on vectors of one element type";
  if (offsets.size() != from.shape.size() || sizes != to.shape || sizes.size() != offsets.size()) {
    return "offsets and sizes must have an entry a dimension, and the result those sizes";
  }
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] < 0 || offsets[i] > from.shape[i] - sizes[i]) return "the slice reaches past its operand";
  }
  return "";
}

std::string ExtractRule(const Op& op) {
  const Type &from = op.operands[0]->type, &to = op.result()->type;
  const Dimensions& position = op.attributes.dims;
  if (!from.is_vector() || !SameElements(from, to)) return "it works on a vector, and its result has the vector's element type";
  if (position.size() > from.shape.size() || from.shape.size() - position.size() != to.shape.size()) {
    return "static_position must have an index a dimension that is dropped";
  }
  for (std::size_t i = 0; i < from.shape.size(); ++i) {
    if (i < position.size() ? position[i] < 0 || position[i] >= from.shape[i] : to.shape[i - position.size()] != from.shape[i]) {
      return i < position.size() ? "static_position is out of range" : "its result must have the dimensions that are left";
    }
  }
  return "";
}

// Of the same bits: the second-last extents are to each other as the element widths the other way round.
std::string BitcastRule(const Op& op) {
  const Type &from = op.operands[0]->type, &to = op.result()->type;
  if (from.is_ref() || from.kind != to.kind || from.shape.size() != to.shape.size()) return "its operand and its result must have one rank";
  const int narrow = BitWidth(from.dtype), wide = BitWidth(to.dtype);
  if (from.dtype == DType::kIndex || to.dtype == DType::kIndex) return "index has no bits";
  if (narrow == wide) return from.shape == to.shape ? "" : "its operand and its result must have one shape";
  if (from.dtype == DType::kBool || to.dtype == DType::kBool) return "an i1 has no other width";
  Shape expected = from.shape;
  if (expected.size() < 2) return "another width needs two dimensions";
  std::int64_t& rows = expected[expected.size() - 2];
  if (rows * narrow % wide != 0) return "the bits do not fill whole elements of its result";
  rows = rows * narrow / wide;
  return expected == to.shape ? "" : "its result must have the shape " + core::ToString(expected);
}

std::string ReduceIndexRule(const Op& op) {
  const Type &from = op.operands[0]->type, &to = op.result()->type;
  if (!from.is_vector() || from.dtype != DType::kFloat32 || !InRange(op.attributes.dimension, from.shape)) {
    return "it works on a vector of f32 that has that axis";
  }
  Shape expected = from.shape;
  expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(op.attributes.dimension));
  if (!expected.empty() && to == Type::Vector(DType::kInt32, expected)) return "";
  return "its result must be a vector of i32 with the other dimensions";
}

std::string GatherRule(const Op& op) {
  const Type &from = op.operands[0]->type, &indices = op.operands[1]->type, &to = op.result()->type;
  if (!from.is_vector() || from != to || indices != Type::Vector(DType::kInt32, to.shape)) {
    return "its result must have the type of its operand, and its indices must be i32 of that shape";
  }
  return InRange(op.attributes.dimension, to.shape) ? "" : "its dimension is out of range";
}

bool KindFits(ReductionKind kind, DType dtype) {
  switch (kind) {
    case ReductionKind::kAdd:
    case ReductionKind::kMul: return core::IsFloat(dtype) || core::IsInteger(dtype);
    case ReductionKind::kMinimumF:
    case ReductionKind::kMaximumF: return core::IsFloat(dtype);
    default: return core::IsInteger(dtype);
  }
}

std::string ReduceRule(const Op& op) {
  const Type &from = op.operands[0]->type, &to = op.result()->type;
  if (!from.is_vector() || !SameElements(from, to) || op.operands[1]->type != to) {
    return "the initial value must have the type of the result";
  }
  if (!KindFits(op.attributes.reduction, from.dtype)) return "its kind does not fit the element type";
  Dimensions kept;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(from.shape.size()); ++i) {
    if (std::find(op.attributes.dims.begin(), op.attributes.dims.end(), i) == op.attributes.dims.end()) kept.push_back(i);
  }
  if (!Partition(from.shape, {&op.attributes.dims, &kept})) return "reduction_dims must be different dimensions of the operand";
  Shape expected;
  for (const std::int64_t dimension : kept) expected.push_back(Extent(from.shape, dimension));
  return to.shape == expected && to.is_scalar() == expected.empty() ? "" : "its result must have the dimensions that are kept";
}

std::string TransposeRule(const Op& op) {
  const Type &from = op.operands[0]->type, &to = op.result()->type;
  const Dimensions& permutation = op.attributes.dims;
  if (!from.is_vector() || !to.is_vector() || !SameElements(from, to)) return "it works on vectors of one element type";
  if (!Partition(from.shape, {&permutation})) return "permutation must name each dimension once";
  Shape expected;
  for (const std::int64_t dimension : permutation) expected.push_back(Extent(from.shape, dimension));
  return to.shape == expected ? "" : "its result must have the shape " + core::ToString(expected);
}

bool SameExtents(const Shape& a, const Dimensions& a_dimensions, const Shape& b, const Dimensions& b_dimensions) {
  if (a_dimensions.size() != b_dimensions.size()) return false;
  for (std::size_t i = 0; i < a_dimensions.size(); ++i) {
    if (Extent(a, a_dimensions[i]) != Extent(b, b_dimensions[i])) return false;
  }
  return true;
}

// output_order names each free dimension of both and each batch dimension, of either operand, once; the result has those extents.
std::string OutputOrderRule(const Op& op) {
  const DotDimensionNumbers& dot = op.attributes.dot;
  const Shape &lhs = op.operands[0]->type.shape, &rhs = op.operands[1]->type.shape, &result = op.result()->type.shape;
  if (dot.output_order.size() != 2 * result.size()) return "output_order must have a pair a dimension of the result";
  Dimensions lhs_named, rhs_named;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t side = dot.output_order[2 * i], dimension = dot.output_order[2 * i + 1];
    const Shape& shape = side == 0 ? lhs : rhs;
    if (side < 0 || side > 1 || !InRange(dimension, shape)) return "output_order names a dimension that is not there";
    if (Extent(shape, dimension) != result[i]) return "its result must have the extents that output_order names";
    const auto batch = std::find(dot.rhs_batch.begin(), dot.rhs_batch.end(), dimension);
    const bool is_rhs_batch = side == 1 && batch != dot.rhs_batch.end();
    if (is_rhs_batch) {
      lhs_named.push_back(dot.lhs_batch[static_cast<std::size_t>(batch - dot.rhs_batch.begin())]);
    } else {
      (side == 0 ? lhs_named : rhs_named).push_back(dimension);
    }
  }
  const bool complete = Partition(lhs, {&lhs_named, &dot.lhs_contracting}) && Partition(rhs, {&rhs_named, &dot.rhs_contracting, &dot.rhs_batch});
  return complete ? "" : "output_order must name every dimension that is not contracted once";
}

std::string MatmulRule(const Op& op) {
  const DotDimensionNumbers& dot = op.attributes.dot;
  const Type &lhs = op.operands[0]->type, &rhs = op.operands[1]->type, &result = op.result()->type;
  if (!lhs.is_vector() || !rhs.is_vector() || !result.is_vector() || op.operands[2]->type != result) {
    return "it works on vectors, the third of the result's type";
  }
  const bool floats = core::IsFloat(lhs.dtype) && core::IsFloat(rhs.dtype) && core::IsFloat(result.dtype);
  const bool integers = core::IsInteger(lhs.dtype) && core::IsInteger(rhs.dtype) && core::IsInteger(result.dtype);
  if (!floats && !integers) return "its operands must all be float or all be integer";
  if (op.attributes.transpose_lhs || op.attributes.transpose_rhs) {
    return "dimension_numbers say what is transposed; transpose_lhs and transpose_rhs must be false";
  }
  if (!Partition(lhs.shape, {&dot.lhs_contracting, &dot.lhs_free, &dot.lhs_batch}) ||
      !Partition(rhs.shape, {&dot.rhs_contracting, &dot.rhs_free, &dot.rhs_batch})) {
    return "dimension_numbers must name each dimension of each operand once";
  }
  if (!SameExtents(lhs.shape, dot.lhs_contracting, rhs.shape, dot.rhs_contracting) || !SameExtents(lhs.shape, dot.lhs_batch, rhs.shape, dot.rhs_batch)) {
    return "contracted and batch dimensions must have the same extents on both sides";
  }
  return OutputOrderRule(op);
}

std::string RotateRule(const Op& op) {
  const Type& type = op.result()->type;
  if (!type.is_vector() || op.operands[0]->type != type) return "its operand must be a vector of the result's type";
  if (!IsScalar(op.operands[1], DType::kInt32)) return "its amount must be i32";
  if (!InRange(op.attributes.dimension, type.shape)) return "its dimension is out of range";
  const bool two = InRange(op.attributes.stride_dimension, type.shape) && op.attributes.stride_dimension != op.attributes.dimension;
  return op.attributes.stride == 0 || two ? "" : "its stride_dimension is out of range or its dimension";
}

std::string ConcatenateRule(const Op& op) {
  const Type& type = op.result()->type;
  if (!type.is_vector() || !InRange(op.attributes.dimension, type.shape)) return "its result must be a vector with that dimension";
  const auto along = static_cast<std::size_t>(op.attributes.dimension);
  std::int64_t total = 0;
  for (const Value* operand : op.operands) {
    Shape shape = operand->type.shape;
    if (!operand->type.is_vector() || !SameElements(operand->type, type) || shape.size() != type.shape.size()) {
      return "its operands must be vectors like its result";
    }
    total += shape[along];
    shape[along] = type.shape[along];
    if (shape != type.shape) return "its operands may differ from its result in that dimension only";
  }
  return total == type.shape[along] ? "" : "its operands' extents must add up to the result's";
}

}  // namespace

Rule VectorRule(OpCode code) {
  switch (code) {
    case OpCode::kIota: return IotaRule;
    case OpCode::kBroadcast: return BroadcastRule;
    case OpCode::kShapeCast: return ShapeCastRule;
    case OpCode::kExtractStridedSlice: return SliceRule;
    case OpCode::kExtract: return ExtractRule;
    case OpCode::kBitcast: return BitcastRule;
    case OpCode::kReduceIndex: return ReduceIndexRule;
    case OpCode::kDynamicGather: return GatherRule;
    case OpCode::kReduce: return ReduceRule;
    case OpCode::kTranspose: return TransposeRule;
    case OpCode::kMatmul: return MatmulRule;
    case OpCode::kDynamicRotate: return RotateRule;
    case OpCode::kConcatenate: return ConcatenateRule;
    default: return nullptr;
  }
}

}  // namespace kernel_audit::ir
