// Operations that rearrange a vector's elements.
#include <algorithm>
#include <bit>
#include <cstring>

#include "kernel_audit/core/bfloat16.h"
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

void Extract(Machine& m, const Instruction& i, bool states) {
  const Register& from = RegisterInfo(m, i.sources[0]);
  const auto& position = i.op->attributes.dims;
  std::size_t first = 0;
  for (std::size_t d = 0; d < position.size(); ++d) first = first * static_cast<std::size_t>(from.type.shape[d]) + static_cast<std::size_t>(position[d]);
  Rearranged(m, i, states, [&](void* to, const void* source, std::size_t size) {
    std::memcpy(to, static_cast<const char*>(source) + first * i.elements * size, i.elements * size);
  });
}

void Rotate(Machine& m, const Instruction& i, bool states) {
  const std::int64_t amount = m.Integer(i.sources[1]);
  if (states) m.CheckScalar(i.sources[1], i.op, "the amount of a rotation");
  if (states && m.states(i.sources[0]) == nullptr) return m.SetValid(i.target);
  Rearranged(m, i, states, [&](void* to, const void* source, std::size_t size) {
    const ir::Attributes& a = i.op->attributes;
    if (a.stride != 0) {
      return ops::RotateStaggered(to, source, RegisterInfo(m, i.target).type.shape, {a.dimension, amount, a.stride, a.stride_dimension}, size);
    }
    ops::Rotate(to, source, RegisterInfo(m, i.target).type.shape, i.op->attributes.dimension, amount, size);
  });
}

template <void (*Rearrange)(Machine&, const Instruction&, bool), Part kPart = Part::kNone>
core::Result<void> DecodeRearranging(Decoder& decoder, const ir::Op& op) {
  EmitRearranging<Rearrange>(decoder, op).part = kPart;
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

// Elements of another width. A wide element has no value where one of its parts has none.
void RunBitcast(Machine& m, const Instruction& i) {
  const Register &from = RegisterInfo(m, i.sources[0]), &to = RegisterInfo(m, i.target);
  const bool widens = from.element_size < to.element_size;
  const std::size_t narrow = std::min(from.element_size, to.element_size), wide = std::max(from.element_size, to.element_size);
  const auto ratio = static_cast<std::int64_t>(wide / narrow);
  widens ? ops::Widen(m.data(i.target), m.data(i.sources[0]), from.type.shape, ratio, narrow)
         : ops::Narrow(m.data(i.target), m.data(i.sources[0]), to.type.shape, ratio, narrow);
}

void PropagateBitcast(Machine& m, const Instruction& i) {
  const Register &from = RegisterInfo(m, i.sources[0]), &to = RegisterInfo(m, i.target);
  const bool widens = from.elements > to.elements;
  const std::size_t ratio = widens ? from.elements / to.elements : to.elements / from.elements;
  const auto columns = static_cast<std::size_t>(from.type.shape.back());
  const ElementState* known = m.states(i.sources[0]);
  ElementState* states = m.MakeStates(i.target);
  if (widens) std::fill_n(states, to.elements, kValid);
  const std::size_t narrow = std::max(from.elements, to.elements);
  for (std::size_t e = 0; e < narrow; ++e) {
    const std::size_t wide = e / columns / ratio * columns + e % columns;
    if (widens) states[wide] = std::max(states[wide], known[e]);
    if (!widens) states[e] = known[wide];
  }
}

core::Result<void> DecodeBitcast(Decoder& decoder, const ir::Op& op) {
  const ir::Type &from = op.operands[0]->type, &to = op.result()->type;
  const bool same = core::ByteSize(from.dtype) == core::ByteSize(to.dtype);
  if (from.dtype == core::DType::kBool || to.dtype == core::DType::kBool) return tl::unexpected(Unsupported(op, "not for i1"));
  if (same) return DecodeRearranging<ShapeCast>(decoder, op);
  decoder.Emit(op, RunBitcast).propagate = PropagateBitcast;
  return {};
}

void RunGather(Machine& m, const Instruction& i) {
  const Register& to = RegisterInfo(m, i.target);
  std::byte* data = m.data(i.target);
  ops::Fill(data, UndefinedElement(to.type.dtype).data(), to.element_size, to.elements);
  const auto* indices = reinterpret_cast<const std::int32_t*>(m.data(i.sources[1]));
  const std::int64_t outside = ops::Gather(data, m.data(i.sources[0]), indices, to.type.shape, i.op->attributes.dimension, to.element_size);
  if (outside < 0) return;
  Finding finding;
  finding.kind = FindingKind::kOutOfBounds;
  finding.buffer = "the gathered vector";
  finding.location = i.op->location;
  finding.message = "tpu.dynamic_gather takes index " + std::to_string(indices[outside]) + " of dimension " + std::to_string(i.op->attributes.dimension) +
                    ", whose extent is " + std::to_string(to.type.shape[static_cast<std::size_t>(i.op->attributes.dimension)]);
  m.Report(std::move(finding));
}

// An element has no value where its index or what it takes has none.
void PropagateGather(Machine& m, const Instruction& i) {
  const Register& to = RegisterInfo(m, i.target);
  const ElementState *from = m.states(i.sources[0]), *indices = m.states(i.sources[1]);
  ElementState* states = m.MakeStates(i.target);
  std::fill_n(states, to.elements, kValid);
  if (from != nullptr) {
    ops::Gather(states, from, reinterpret_cast<const std::int32_t*>(m.data(i.sources[1])), to.type.shape, i.op->attributes.dimension, 1);
  }
  for (std::size_t e = 0; indices != nullptr && e < to.elements; ++e) states[e] = indices[e] != kValid ? indices[e] : states[e];
}

core::Result<void> DecodeGather(Decoder& decoder, const ir::Op& op) {
  decoder.Emit(op, RunGather).propagate = PropagateGather;
  return {};
}

void RunUnpack(Machine& m, const Instruction& i) {
  const ir::Attributes& a = i.op->attributes;
  const int width = 8 * static_cast<int>(core::ByteSize(a.packed_type)), shift = width * static_cast<int>(a.index);
  const auto* from = reinterpret_cast<const std::uint32_t*>(m.data(i.sources[0]));
  auto* to = reinterpret_cast<std::uint32_t*>(m.data(i.target));
  for (std::size_t e = 0; e < i.elements; ++e) {
    const std::uint32_t high = from[e] >> shift << (32 - width);
    to[e] = a.packed_type == core::DType::kBFloat16 ? high : static_cast<std::uint32_t>(static_cast<std::int32_t>(high) >> (32 - width));
  }
}

core::Result<void> DecodeUnpack(Decoder& decoder, const ir::Op& op) {
  decoder.Emit(op, RunUnpack).propagate = [](Machine& m, const Instruction& i) {
    std::memcpy(m.MakeStates(i.target), m.states(i.sources[0]), i.elements);
  };
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

std::uint32_t Packed(std::uint32_t bits, core::DType narrow) {
  if (narrow == core::DType::kBFloat16) return core::FloatToBFloat16(std::bit_cast<float>(bits));
  return narrow == core::DType::kInt16 ? bits & 0xffffu : bits & 0xffu;
}

void RunPack(Machine& m, const Instruction& i) {
  const auto& sources = static_cast<const ConcatenatePayload&>(*i.payload).sources;
  const core::DType narrow = i.op->attributes.packed_type;
  auto* to = reinterpret_cast<std::uint32_t*>(m.data(i.target));
  bool all_valid = true;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const auto* from = reinterpret_cast<const std::uint32_t*>(m.data(sources[s]));
    const std::size_t shift = 8 * core::ByteSize(narrow) * s;
    for (std::size_t e = 0; e < i.elements; ++e) to[e] = (s == 0 ? 0 : to[e]) | Packed(from[e], narrow) << shift;
    all_valid = all_valid && m.states(sources[s]) == nullptr;
  }
  if (all_valid) return m.SetValid(i.target);
  ElementState* states = m.MakeStates(i.target);
  std::fill_n(states, i.elements, kValid);
  for (int source : sources) {
    const ElementState* known = m.states(source);
    for (std::size_t e = 0; known != nullptr && e < i.elements; ++e) states[e] = std::max(states[e], known[e]);
  }
}

template <Instruction::Run kRun>
core::Result<void> DecodeAllOperands(Decoder& decoder, const ir::Op& op) {
  auto payload = std::make_unique<ConcatenatePayload>();
  for (const ir::Value* operand : op.operands) payload->sources.push_back(decoder.RegisterOf(operand));
  const Payload& kept = decoder.Keep(std::move(payload));
  decoder.Emit(op, kRun).payload = &kept;
  return {};
}

}  // namespace

void RegisterStructure(DecodeTable& table) {
  const auto set = [&table](OpCode code, DecodeFn decode) { table[static_cast<std::size_t>(code)] = decode; };
  set(OpCode::kBroadcast, DecodeRearranging<Broadcast, Part::kBroadcast>);
  set(OpCode::kShapeCast, DecodeRearranging<ShapeCast, Part::kReshape>);
  set(OpCode::kExtractStridedSlice, DecodeRearranging<Slice>);
  set(OpCode::kTranspose, DecodeRearranging<Transpose>);
  set(OpCode::kDynamicRotate, DecodeRearranging<Rotate>);
  set(OpCode::kIota, DecodeIota);
  set(OpCode::kConcatenate, DecodeAllOperands<RunConcatenate>);
  set(OpCode::kPackElementwise, DecodeAllOperands<RunPack>);
  set(OpCode::kUnpackElementwise, DecodeUnpack);
  set(OpCode::kExtract, DecodeRearranging<Extract>);
  set(OpCode::kBitcast, DecodeBitcast);
  set(OpCode::kDynamicGather, DecodeGather);
}

}  // namespace kernel_audit::sim
