// Elementwise operations and constants.
#include "kernel_audit/sim/decode.h"
#include "kernel_audit/sim/machine.h"

namespace kernel_audit::sim {
namespace {

using ir::OpCode;

void RunUnary(Machine& m, const Instruction& i) { i.unary(m.data(i.target), m.data(i.sources[0]), i.elements); }

void RunBinary(Machine& m, const Instruction& i) { i.binary(m.data(i.target), m.data(i.sources[0]), m.data(i.sources[1]), i.elements); }

void RunSelect(Machine& m, const Instruction& i) {
  i.select(m.data(i.target), reinterpret_cast<const std::uint8_t*>(m.data(i.sources[0])), m.data(i.sources[1]), m.data(i.sources[2]), i.elements);
}

void RunScalarSelect(Machine& m, const Instruction& i) {
  CopyRegister(m, i.target, m.Scalar<std::uint8_t>(i.sources[0]) != 0 ? i.sources[1] : i.sources[2]);
}

// An element of the result has no value where one of the sources' elements has none.
void PropagateElementwise(Machine& m, const Instruction& i) {
  ElementState* to = m.MakeStates(i.target);
  const ElementState* from[3] = {m.states(i.sources[0]), m.states(i.sources[1]), m.states(i.sources[2])};
  for (std::size_t e = 0; e < i.elements; ++e) {
    ElementState state = kValid;
    for (const ElementState* states : from) {
      if (state == kValid && states != nullptr) state = states[e];
    }
    to[e] = state;
  }
}

// The element that was not chosen does not matter.
void PropagateSelect(Machine& m, const Instruction& i) {
  ElementState* to = m.MakeStates(i.target);
  const auto* condition = reinterpret_cast<const std::uint8_t*>(m.data(i.sources[0]));
  const ElementState* unsure = m.states(i.sources[0]);
  const ElementState* yes = m.states(i.sources[1]);
  const ElementState* no = m.states(i.sources[2]);
  for (std::size_t e = 0; e < i.elements; ++e) {
    const ElementState* chosen = condition[e] != 0 ? yes : no;
    const ElementState state = chosen != nullptr ? chosen[e] : kValid;
    to[e] = unsure != nullptr && unsure[e] != kValid ? unsure[e] : state;
  }
}

void PropagateScalarSelect(Machine& m, const Instruction& i) {
  m.CheckScalar(i.sources[0], i.op, "the condition that chooses between two vectors");
  RunScalarSelect(m, i);
}

core::Result<void> DecodeConstant(Decoder& decoder, const ir::Op& op) {
  decoder.AddConstant(decoder.RegisterOf(op.result()), op.attributes.value);
  return {};
}

core::Result<void> DecodeUnary(Decoder& decoder, const ir::Op& op) {
  const ops::UnaryFn unary = ops::FindUnary(op.code, op.operands[0]->type.dtype, op.result()->type.dtype);
  if (unary == nullptr) return tl::unexpected(Unsupported(op, "not for these element types"));
  Instruction& made = decoder.Emit(op, RunUnary);
  made.unary = unary;
  made.part = Part::kUnary;
  made.propagate = PropagateElementwise;
  return {};
}

core::Result<void> DecodeBinary(Decoder& decoder, const ir::Op& op) {
  const ops::BinaryFn binary = ops::FindBinary(op.code, op.operands[0]->type.dtype, op.attributes.predicate);
  if (binary == nullptr) return tl::unexpected(Unsupported(op, "not for these element types"));
  Instruction& made = decoder.Emit(op, RunBinary);
  made.binary = binary;
  made.part = Part::kBinary;
  made.propagate = PropagateElementwise;
  return {};
}

core::Result<void> DecodeSelect(Decoder& decoder, const ir::Op& op) {
  const ops::SelectFn select = ops::FindSelect(op.result()->type.dtype);
  if (select == nullptr) return tl::unexpected(Unsupported(op, "not for these element types"));
  const bool whole = op.operands[0]->type.is_scalar() && op.result()->type.is_vector();
  Instruction& made = decoder.Emit(op, whole ? RunScalarSelect : RunSelect);
  made.select = select;
  made.part = whole ? Part::kNone : Part::kSelect;
  made.propagate = whole ? PropagateScalarSelect : PropagateSelect;
  return {};
}

}  // namespace

void RegisterElementwise(DecodeTable& table) {
  const auto set = [&table](DecodeFn decode, std::initializer_list<OpCode> codes) {
    for (OpCode code : codes) table[static_cast<std::size_t>(code)] = decode;
  };
  set(DecodeConstant, {OpCode::kConstant});
  set(DecodeUnary, {OpCode::kUIToFP, OpCode::kFPToUI, OpCode::kArithBitcast, OpCode::kExp2, OpCode::kLog1p, OpCode::kCos, OpCode::kTan, OpCode::kErf, OpCode::kCeil,
                    OpCode::kFloor, OpCode::kRound, OpCode::kRoundEven, OpCode::kAbsI, OpCode::kCtlz, OpCode::kCtpop, OpCode::kReciprocal, OpCode::kWeird,
                    OpCode::kNegF, OpCode::kAbsF, OpCode::kIndexCast, OpCode::kExtUI, OpCode::kExtSI, OpCode::kTruncI, OpCode::kExtF, OpCode::kTruncF,
                    OpCode::kSIToFP, OpCode::kFPToSI, OpCode::kExp, OpCode::kLog, OpCode::kTanh, OpCode::kSin, OpCode::kRsqrt, OpCode::kSqrt});
  set(DecodeBinary, {OpCode::kRemF, OpCode::kPowF, OpCode::kAtan2, OpCode::kMaxUI, OpCode::kMinUI, OpCode::kStochasticConvert,
                     OpCode::kAddF, OpCode::kSubF, OpCode::kMulF, OpCode::kDivF, OpCode::kMaximumF, OpCode::kMinimumF, OpCode::kCmpF, OpCode::kAddI,
                     OpCode::kSubI, OpCode::kMulI, OpCode::kDivSI, OpCode::kRemSI, OpCode::kDivUI, OpCode::kRemUI, OpCode::kMaxSI, OpCode::kMinSI, OpCode::kAndI,
                     OpCode::kOrI, OpCode::kXOrI, OpCode::kShlI, OpCode::kShrSI, OpCode::kShrUI, OpCode::kCmpI});
  set(DecodeSelect, {OpCode::kSelect});
}

}  // namespace kernel_audit::sim
