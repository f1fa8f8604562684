#include <algorithm>
#include <string>

#include "kernel_audit/trace/build.h"
#include "kernel_audit/trace/session.h"

namespace kernel_audit::pallas {
namespace {

using ir::OpCode;
using trace::Node;

int Axis(const char* what, int axis, const Shape& shape, Here here) {
  const int rank = static_cast<int>(shape.size());
  const int from_start = axis < 0 ? axis + rank : axis;
  if (from_start < 0 || from_start >= rank) {
    trace::Misuse(what, "axis " + std::to_string(axis) + " is outside a value of shape " + core::ToString(shape), here);
  }
  return from_start;
}

// Where a reduction starts: the value that changes nothing.
double Identity(ir::ReductionKind kind, DType dtype) {
  constexpr double kInfinity = __builtin_inf();
  switch (kind) {
    case ir::ReductionKind::kMaximumF: return -kInfinity;
    case ir::ReductionKind::kMinimumF: return kInfinity;
    case ir::ReductionKind::kMaxSI: return dtype == i8 ? -128 : -2147483648.0;
    case ir::ReductionKind::kMinSI: return dtype == i8 ? 127 : 2147483647.0;
    default: return 0;
  }
}

Value Reduce(const char* what, ir::ReductionKind for_float, ir::ReductionKind for_integer, const Operand& x, int axis, bool keepdims) {
  Node* node = trace::ValueOperand(what, x);
  const DType dtype = node->type.dtype;
  if (dtype == boolean) trace::Misuse(what, "is not defined for bool; convert with astype", x.here());
  const Shape& from = node->type.shape;
  const int dimension = Axis(what, axis, from, x.here());
  if (from.size() == 1) {
    if (!keepdims) trace::Misuse(what, "would leave no dimension; keep it (keepdims), or reshape to (1, n) and reduce the last axis", x.here());
    Node* row = trace::ReshapeTo(what, node, {1, from[0]}, x.here());
    return Value(trace::ReshapeTo(what, trace::ValueOperand(what, Reduce(what, for_float, for_integer, Value(row), 1, true)), {1}, x.here()));
  }
  Shape to = from;
  to.erase(to.begin() + dimension);
  ir::Attributes attributes;
  attributes.reduction = core::IsFloat(dtype) ? for_float : for_integer;
  attributes.dims = {dimension};
  Node* start = trace::MakeConstant(trace::GraphOf(node), what, dtype, to, Identity(attributes.reduction, dtype), x.here());
  Node* reduced = trace::MakeOp(what, OpCode::kReduce, ir::Type::Vector(dtype, to), {node, start}, x.here(), attributes);
  if (!keepdims) return Value(reduced);
  to.insert(to.begin() + dimension, 1);
  return Value(trace::ReshapeTo(what, reduced, to, x.here()));
}

}  // namespace

Value full(const Shape& shape, double number, DType dtype, Here here) {
  trace::CheckShape("full", shape, here);
  return Value(trace::MakeConstant(trace::CurrentGraph("full", here), "full", dtype, shape, number, here));
}

Value zeros(const Shape& shape, DType dtype, Here here) { return full(shape, 0, dtype, here); }

Value iota(const Shape& shape, int dimension, Here here) {
  trace::Graph& graph = trace::CurrentGraph("iota", here);
  ir::Attributes attributes;
  trace::CheckShape("iota", shape, here);
  attributes.dimension = Axis("iota", dimension, shape, here);
  return Value(graph.Operation("iota", OpCode::kIota, ir::Type::Vector(i32, shape), {}, attributes, here));
}

Value sum(const Operand& x, int axis, bool keepdims) {
  return Reduce("sum", ir::ReductionKind::kAdd, ir::ReductionKind::kAdd, x, axis, keepdims);
}
Value max(const Operand& x, int axis, bool keepdims) {
  return Reduce("max", ir::ReductionKind::kMaximumF, ir::ReductionKind::kMaxSI, x, axis, keepdims);
}
Value min(const Operand& x, int axis, bool keepdims) {
  return Reduce("min", ir::ReductionKind::kMinimumF, ir::ReductionKind::kMinSI, x, axis, keepdims);
}

Value broadcast_to(const Operand& x, const Shape& shape) {
  return Value(trace::BroadcastTo("broadcast_to", trace::ValueOperand("broadcast_to", x), shape, x.here()));
}

Value reshape(const Operand& x, const Shape& shape) {
  return Value(trace::ReshapeTo("reshape", trace::ValueOperand("reshape", x), shape, x.here()));
}

Value transpose(const Operand& x, const std::vector<int>& permutation) {
  Node* node = trace::ValueOperand("transpose", x);
  const Shape& from = node->type.shape;
  ir::Attributes attributes;
  attributes.dims.assign(permutation.begin(), permutation.end());
  if (permutation.empty()) {
    if (from.size() < 2) trace::Misuse("transpose", "needs two dimensions", x.here());
    for (std::size_t i = 0; i < from.size(); ++i) attributes.dims.push_back(static_cast<std::int64_t>(i));
    std::swap(attributes.dims[from.size() - 1], attributes.dims[from.size() - 2]);
  }
  Shape sorted(attributes.dims.begin(), attributes.dims.end());
  std::sort(sorted.begin(), sorted.end());
  bool whole = sorted.size() == from.size();
  for (std::size_t i = 0; whole && i < sorted.size(); ++i) whole = sorted[i] == static_cast<std::int64_t>(i);
  if (!whole) trace::Misuse("transpose", core::ToString(attributes.dims) + " is no permutation of the dimensions of " + core::ToString(from), x.here());
  Shape to;
  for (std::int64_t d : attributes.dims) to.push_back(from[static_cast<std::size_t>(d)]);
  return Value(trace::MakeOp("transpose", OpCode::kTranspose, ir::Type::Vector(node->type.dtype, to), {node}, x.here(), attributes));
}

Value dot(const Operand& lhs, const Operand& rhs, DotOptions options) {
  Node* a = trace::ValueOperand("dot", lhs);
  Node* b = trace::ValueOperand("dot", rhs);
  const Here here = lhs.here();
  if (a->type.shape.size() != 2 || b->type.shape.size() != 2) trace::Misuse("dot", "takes two matrices", here);
  const DType wanted = a->type.dtype == i8 ? i32 : f32;
  if (a->type.dtype != b->type.dtype || options.accumulate != wanted || (a->type.dtype != i8 && !core::IsFloat(a->type.dtype))) {
    trace::Misuse("dot", "takes two float32 or two bfloat16 matrices (accumulate float32) or two int8 ones (accumulate int32), not " +
                             std::string(core::Name(a->type.dtype)) + " and " + std::string(core::Name(b->type.dtype)), here);
  }
  const std::int64_t lhs_k = options.transpose_lhs ? 0 : 1;
  const std::int64_t rhs_k = options.transpose_rhs ? 1 : 0;
  const auto extent = [](Node* node, std::int64_t d) { return node->type.shape[static_cast<std::size_t>(d)]; };
  if (extent(a, lhs_k) != extent(b, rhs_k)) {
    trace::Misuse("dot", "inner extents of " + core::ToString(a->type.shape) + " and " + core::ToString(b->type.shape) + " differ", here);
  }
  const Shape to = {extent(a, 1 - lhs_k), extent(b, 1 - rhs_k)};
  ir::Attributes attributes;
  attributes.dot = {{lhs_k}, {rhs_k}, {1 - lhs_k}, {1 - rhs_k}, {0, 1 - lhs_k, 1, 1 - rhs_k}, {}, {}};
  Node* zero = trace::MakeConstant(trace::GraphOf(a), "dot", options.accumulate, to, 0, here);
  return Value(trace::MakeOp("dot", OpCode::kMatmul, ir::Type::Vector(options.accumulate, to), {a, b, zero}, here, attributes));
}

Index program_id(int axis, Here here) {
  trace::Graph& graph = trace::CurrentGraph("program_id", here);
  if (const trace::GridView* grid = trace::CurrentGrid()) {
    return Index((*grid->indices)[static_cast<std::size_t>(Axis("program_id", axis, *grid->extents, here))]);
  }
  const int dimension = Axis("program_id", axis, graph.grid(), here);
  return Index(graph.root()->arguments[static_cast<std::size_t>(dimension)]);
}

Index num_programs(int axis, Here here) {
  trace::Graph& graph = trace::CurrentGraph("num_programs", here);
  const trace::GridView* view = trace::CurrentGrid();
  const Shape& grid = view != nullptr ? *view->extents : graph.grid();
  const int dimension = Axis("num_programs", axis, grid, here);
  return Index(trace::MakeConstant(graph, "num_programs", i32, {}, static_cast<double>(grid[static_cast<std::size_t>(dimension)]), here));
}

}  // namespace kernel_audit::pallas
