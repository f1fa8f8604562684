// Operations in which many elements make one: reductions and matrix products.
#include <algorithm>

#include "kernel_audit/sim/decode.h"
#include "kernel_audit/sim/machine.h"
#include "kernel_audit/sim/ops/matmul.h"
#include "kernel_audit/sim/ops/reduce.h"

namespace kernel_audit::sim {
namespace {

using ir::OpCode;

const Register& RegisterInfo(Machine& m, int index) { return m.program().registers()[static_cast<std::size_t>(index)]; }

// The largest state along the dimensions `dims`: one entry a coordinate of the others, row-major. Null: all valid, and no entries.
std::vector<ElementState> FoldStates(const ElementState* states, const Shape& shape, const std::vector<std::int64_t>& dims) {
  if (states == nullptr) return {};
  Shape strides(shape.size(), 0);
  std::int64_t stride = 1;
  for (std::size_t d = strides.size(); d-- > 0;) {
    if (std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(d)) != dims.end()) continue;
    strides[d] = stride;
    stride *= shape[d];
  }
  std::vector<ElementState> folded(static_cast<std::size_t>(stride), kValid);
  const auto elements = static_cast<std::size_t>(core::NumElements(shape));
  for (std::size_t e = 0; e < elements; ++e) {
    if (states[e] == kValid) continue;
    std::int64_t rest = static_cast<std::int64_t>(e), at = 0;
    for (std::size_t d = strides.size(); d-- > 0;) {
      at += rest % shape[d] * strides[d];
      rest /= shape[d];
    }
    ElementState& state = folded[static_cast<std::size_t>(at)];
    state = std::max(state, states[e]);
  }
  return folded;
}

void RunReduce(Machine& m, const Instruction& i) {
  const ir::Type& from = RegisterInfo(m, i.sources[0]).type;
  ops::Reduce(i.op->attributes.reduction, from.dtype, m.data(i.target), m.data(i.sources[0]), from.shape, i.op->attributes.dims, m.data(i.sources[1]));
}

// A result has no value where any element that folds into it has none.
void PropagateReduce(Machine& m, const Instruction& i) {
  const Shape& from = RegisterInfo(m, i.sources[0]).type.shape;
  const std::vector<ElementState> folded = FoldStates(m.states(i.sources[0]), from, i.op->attributes.dims);
  const ElementState* initial = m.states(i.sources[1]);
  ElementState* to = m.MakeStates(i.target);
  for (std::size_t e = 0; e < i.elements; ++e) {
    to[e] = std::max(folded.empty() ? kValid : folded[e], initial == nullptr ? kValid : initial[e]);
  }
}

core::Result<void> DecodeReduce(Decoder& decoder, const ir::Op& op) {
  if (!ops::CanReduce(op.attributes.reduction, op.result()->type.dtype)) return tl::unexpected(Unsupported(op, "not for this element type"));
  Instruction& made = decoder.Emit(op, RunReduce);
  made.propagate = PropagateReduce;
  made.part = Part::kReduce;
  return {};
}

void RunReduceIndex(Machine& m, const Instruction& i) {
  ops::ReduceIndex(reinterpret_cast<std::int32_t*>(m.data(i.target)), reinterpret_cast<const float*>(m.data(i.sources[0])),
                   RegisterInfo(m, i.sources[0]).type.shape, i.op->attributes.dimension, i.op->attributes.smallest);
}

void PropagateReduceIndex(Machine& m, const Instruction& i) {
  const std::vector<ElementState> folded = FoldStates(m.states(i.sources[0]), RegisterInfo(m, i.sources[0]).type.shape, {i.op->attributes.dimension});
  std::copy(folded.begin(), folded.end(), m.MakeStates(i.target));
}

core::Result<void> DecodeReduceIndex(Decoder& decoder, const ir::Op& op) {
  decoder.Emit(op, RunReduceIndex).propagate = PropagateReduceIndex;
  return {};
}

struct MatmulPayload : Payload {
  explicit MatmulPayload(ops::MatmulPlan made) : plan(std::move(made)) {}
  mutable ops::MatmulPlan plan;  // it owns working memory
  bool adds = true;  // to anything but zeros
};

void RunMatmul(Machine& m, const Instruction& i) {
  const auto& payload = static_cast<const MatmulPayload&>(*i.payload);
  m.Work(payload.plan).Run(m.data(i.target), m.data(i.sources[0]), m.data(i.sources[1]), payload.adds ? m.data(i.sources[2]) : nullptr);
}

// A constant whose bits are all zero.
bool IsZero(const ir::Value& value) {
  const ir::Op* op = value.producer;
  if (op == nullptr || op->code != OpCode::kConstant) return false;
  const auto& bytes = op->attributes.value.bytes;
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

// The coordinate of one side's rows (or columns) that result element `e` comes from, among the dimensions that are not contracted.
std::size_t SideIndex(std::size_t e, const Shape& to, const ir::DotDimensionNumbers& dot, bool rhs, const Shape& from) {
  Shape coordinate(from.size(), 0);
  std::int64_t rest = static_cast<std::int64_t>(e);
  for (std::size_t d = to.size(); d-- > 0;) {
    const std::int64_t at = rest % to[d];
    rest /= to[d];
    const bool of_rhs = dot.output_order[2 * d] == 1;
    const std::int64_t dimension = dot.output_order[2 * d + 1];
    if (of_rhs == rhs) coordinate[static_cast<std::size_t>(dimension)] = at;
    for (std::size_t b = 0; b < dot.lhs_batch.size(); ++b) {  // a batch dimension belongs to both sides
      if (dimension == (of_rhs ? dot.rhs_batch[b] : dot.lhs_batch[b])) coordinate[static_cast<std::size_t>(rhs ? dot.rhs_batch[b] : dot.lhs_batch[b])] = at;
    }
  }
  const auto& contracted = rhs ? dot.rhs_contracting : dot.lhs_contracting;
  std::int64_t index = 0;
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (std::find(contracted.begin(), contracted.end(), static_cast<std::int64_t>(d)) == contracted.end()) index = index * from[d] + coordinate[d];
  }
  return static_cast<std::size_t>(index);
}

// A result has no value where its row of the left side, its column of the right side or its start has an element without one.
void PropagateMatmul(Machine& m, const Instruction& i) {
  const ir::DotDimensionNumbers& dot = i.op->attributes.dot;
  const Shape& lhs = RegisterInfo(m, i.sources[0]).type.shape;
  const Shape& rhs = RegisterInfo(m, i.sources[1]).type.shape;
  const Shape& shape = RegisterInfo(m, i.target).type.shape;
  const std::vector<ElementState> rows = FoldStates(m.states(i.sources[0]), lhs, dot.lhs_contracting);
  const std::vector<ElementState> columns = FoldStates(m.states(i.sources[1]), rhs, dot.rhs_contracting);
  const ElementState* initial = m.states(i.sources[2]);
  ElementState* to = m.MakeStates(i.target);
  for (std::size_t e = 0; e < i.elements; ++e) {
    ElementState state = initial == nullptr ? kValid : initial[e];
    if (!rows.empty()) state = std::max(state, rows[SideIndex(e, shape, dot, false, lhs)]);
    if (!columns.empty()) state = std::max(state, columns[SideIndex(e, shape, dot, true, rhs)]);
    to[e] = state;
  }
}

core::Result<void> DecodeMatmul(Decoder& decoder, const ir::Op& op) {
  const auto type = [&op](std::size_t i) -> const ir::Type& { return op.operands[i]->type; };
  const ir::Attributes& a = op.attributes;
  if (a.dot.output_order.size() != 2 * op.result()->type.shape.size() || a.transpose_lhs || a.transpose_rhs) {
    return tl::unexpected(Unsupported(op, "only with dimension numbers, and without transpose_lhs and transpose_rhs"));
  }
  auto plan = ops::MatmulPlan::Make({type(0).shape, type(1).shape, type(2).shape}, type(0).dtype, type(1).dtype, type(2).dtype, a.dot, false, false);
  if (!plan) return tl::unexpected(Unsupported(op, plan.error().message));
  auto made_payload = std::make_unique<MatmulPayload>(std::move(*plan));
  made_payload->adds = !IsZero(*op.operands[2]);
  const auto& payload = decoder.Keep(std::move(made_payload));
  Instruction& made = decoder.Emit(op, RunMatmul);
  made.payload = &payload;
  made.propagate = PropagateMatmul;
  return {};
}

}  // namespace

void RegisterReduce(DecodeTable& table) {
  table[static_cast<std::size_t>(OpCode::kReduce)] = DecodeReduce;
  table[static_cast<std::size_t>(OpCode::kReduceIndex)] = DecodeReduceIndex;
  table[static_cast<std::size_t>(OpCode::kMatmul)] = DecodeMatmul;
}

}  // namespace kernel_audit::sim
