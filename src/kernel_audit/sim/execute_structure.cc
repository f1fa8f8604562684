// Operations that rearrange a vector's elements.
#include <algorithm>
#include <cstring>

#include "kernel_audit/sim/decode.h"
#include "kernel_audit/sim/machine.h"
#include "kernel_audit/sim/ops/structure.h"

namespace kernel_audit::sim {
namespace {

using ir::OpCode;

const Register& RegisterInfo(Machine& m, int index) { return m.program().registers()[static_cast<std::size_t>(index)]; }

// Rearranging works on elements and, with elements of one byte, on their states.
template <typename F>
void Rearranged(Machine& m, const Instruction& i, bool states, F&& f) {
  if (states) {
    f(m.MakeStates(i.target), m.states(i.sources[0]), std::size_t{1});
  } else {
    f(m.data(i.target), m.data(i.sources[0]), RegisterInfo(m, i.target).element_size);
  }
}

template <void (*Rearrange)(Machine&, const Instruction&, bool)>
Instruction& EmitRearranging(Decoder& decoder, const ir::Op& op) {
  Instruction& made = decoder.Emit(op, [](Machine& m, const Instruction& i) { Rearrange(m, i, false); });
  made.propagate = [](Machine& m, const Instruction& i) { Rearrange(m, i, true); };
  return made;
}

void Broadcast(Machine& m, const Instruction& i, bool states) {
  const Register& from = RegisterInfo(m, i.sources[0]);
  Rearranged(m, i, states, [&](void* to, const void* source, std::size_t size) {
    if (from.elements == 1) return ops::Fill(to, source, size, i.elements);
    ops::Broadcast(to, RegisterInfo(m, i.target).type.shape, source, from.type.shape, size);
  });
}

void ShapeCast(Machine& m, const Instruction& i, bool states) {
  Rearranged(m, i, states, [&](void* to, const void* source, std::size_t size) { std::memcpy(to, source, i.elements * size); });
}

void Slice(Machine& m, const Instruction& i, bool states) {
  const ir::Attributes& a = i.op->attributes;
  Rearranged(m, i, states, [&](void* to, const void* source, std::size_t size) {
    ops::ExtractSlice(to, source, RegisterInfo(m, i.sources[0]).type.shape, a.dims, a.sizes, size);
  });
}

void Transpose(Machine& m, const Instruction& i, bool states) {
  Rearranged(m, i, states, [&](void* to, const void* source, std::size_t size) {
    ops::Transpose(to, source, RegisterInfo(m, i.sources[0]).type.shape, i.op->attributes.dims, size);
  });
}

void Rotate(Machine& m, const Instruction& i, bool states) {
  const std::int64_t amount = m.Integer(i.sources[1]);
  if (states) m.CheckScalar(i.sources[1], i.op, "the amount of a rotation");
  if (states && m.states(i.sources[0]) == nullptr) return m.SetValid(i.target);
  Rearranged(m, i, states, [&](void* to, const void* source, std::size_t size) {
    ops::Rotate(to, source, RegisterInfo(m, i.target).type.shape, i.op->attributes.dimension, amount, size);
  });
}

template <void (*Rearrange)(Machine&, const Instruction&, bool)>
core::Result<void> DecodeRearranging(Decoder& decoder, const ir::Op& op) {
  EmitRearranging<Rearrange>(decoder, op);
  return {};
}

core::Result<void> DecodeIota(Decoder& decoder, const ir::Op& op) {
  Instruction& made = decoder.Emit(op, [](Machine& m, const Instruction& i) {
    const ir::Type& type = RegisterInfo(m, i.target).type;
    ops::Iota(m.data(i.target), type.dtype, type.shape, i.op->attributes.dimension);
    m.SetValid(i.target);
  });
  made.propagate = nullptr;
  return {};
}

struct ConcatenatePayload : Payload {
  std::vector<int> sources;
};

void RunConcatenate(Machine& m, const Instruction& i) {
  const auto& sources = static_cast<const ConcatenatePayload&>(*i.payload).sources;
  const Register& to = RegisterInfo(m, i.target);
  const auto dimension = static_cast<std::size_t>(i.op->attributes.dimension);
  std::vector<ops::Part> parts;
  bool all_valid = true;
  for (int source : sources) {
    parts.push_back({m.data(source), RegisterInfo(m, source).type.shape[dimension]});
    all_valid = all_valid && m.states(source) == nullptr;
  }
  ops::Concatenate(m.data(i.target), to.type.shape, parts, i.op->attributes.dimension, to.element_size);
  if (all_valid) return m.SetValid(i.target);
  for (std::size_t p = 0; p < parts.size(); ++p) parts[p].data = m.StatesOrValid(sources[p]);
  ops::Concatenate(m.MakeStates(i.target), to.type.shape, parts, i.op->attributes.dimension, 1);
}

core::Result<void> DecodeConcatenate(Decoder& decoder, const ir::Op& op) {
  auto payload = std::make_unique<ConcatenatePayload>();
  for (const ir::Value* operand : op.operands) payload->sources.push_back(decoder.RegisterOf(operand));
  const Payload& kept = decoder.Keep(std::move(payload));
  decoder.Emit(op, RunConcatenate).payload = &kept;
  return {};
}

}  // namespace

void RegisterStructure(DecodeTable& table) {
  const auto set = [&table](OpCode code, DecodeFn decode) { table[static_cast<std::size_t>(code)] = decode; };
  set(OpCode::kBroadcast, DecodeRearranging<Broadcast>);
  set(OpCode::kShapeCast, DecodeRearranging<ShapeCast>);
  set(OpCode::kExtractStridedSlice, DecodeRearranging<Slice>);
  set(OpCode::kTranspose, DecodeRearranging<Transpose>);
  set(OpCode::kDynamicRotate, DecodeRearranging<Rotate>);
  set(OpCode::kIota, DecodeIota);
  set(OpCode::kConcatenate, DecodeConcatenate);
}

}  // namespace kernel_audit::sim
