// Loads, stores, allocation and references to parts of memory.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "kernel_audit/sim/access.h"
#include "kernel_audit/sim/decode.h"

namespace kernel_audit::sim {
namespace {

using ir::OpCode;

// "[:, 120:136]": of all other dimensions it does not matter which elements.
std::string RegionText(std::size_t rank, std::size_t d, std::int64_t start, std::int64_t size) {
  std::string text;
  for (std::size_t i = 0; i < rank; ++i) text += (i == 0 ? "" : ", ") + (i == d ? std::to_string(start) + ":" + EndText(start, size) : ":");
  return "[" + text + "]";
}

void ReportOutOfBounds(Machine& m, const ir::Op* op, const View& view, std::size_t d, std::int64_t start, std::int64_t size) {
  Finding finding;
  finding.kind = FindingKind::kOutOfBounds;
  finding.buffer = view.buffer->name;
  finding.location = op->location;
  finding.message = std::string(op->info().name) + " touches elements " + RangeText(start, size) + " of dimension " + std::to_string(d) + " of " +
                    view.buffer->name + ", whose extent is " + std::to_string(view.shape[d]);
  finding.accesses = {{m.name(), op->info().effect == ir::Effect::kWrite, op->location, RegionText(view.rank, d, start, size), m.grid_point}};
  m.Report(std::move(finding));
}

// The box that an instruction means. What lies outside is reported, unless the instruction has a mask, and cut off.
Box Resolve(Machine& m, const Instruction& i, const AccessPayload& access, const View& view) {
  Box box;
  box.steps = access.steps.data();
  for (std::size_t d = 0; d < view.rank; ++d) {
    if (m.observe()) m.CheckScalar(access.starts[d], i.op, "an index");
    const std::int64_t start = m.Integer(access.starts[d]), extent = (access.sizes[d] - 1) * access.steps[d] + 1;
    box.start[d] = start;
    box.size[d] = access.sizes[d];
    if (start >= 0 && start <= view.shape[d] - extent) continue;
    if (access.mask < 0) ReportOutOfBounds(m, i.op, view, d, start, extent);
    box.inside = false;
  }
  return box;
}

// The part of a box that lies inside the view: false when there is none. `skip`: where it begins inside the box.
bool Clip(const View& view, Box& box, std::array<std::int64_t, kMaxRank>& skip) {
  for (std::size_t d = 0; d < view.rank; ++d) {
    const std::int64_t step = box.steps[d], extent = view.shape[d];
    // Starts near the ends of 64 bits must not overflow: nothing is inside there.
    if (box.start[d] >= extent || box.start[d] < -(box.size[d] * step)) return false;
    skip[d] = box.start[d] < 0 ? (-box.start[d] + step - 1) / step : 0;
    box.start[d] += skip[d] * step;
    box.size[d] = std::min(box.size[d] - skip[d], (extent - box.start[d] + step - 1) / step);
    if (box.size[d] <= 0) return false;
  }
  return true;
}

// A register as memory, so that parts of it can be copied.
View RegisterView(Machine& m, const AccessPayload& access, std::size_t rank, Buffer& buffer) {
  const Shape shape(access.sizes.begin(), access.sizes.begin() + static_cast<std::ptrdiff_t>(rank));
  const Register& info = m.program().registers()[static_cast<std::size_t>(access.value)];
  buffer = Buffer::On("register", MemorySpace::kVmem, shape, info.type.dtype, m.data(access.value));
  return View::Whole(buffer);
}

// Elements outside the memory are undefined; they were reported already and count as written.
void LoadClipped(Machine& m, const ir::Op* op, const AccessPayload& access, const View& view, Box box) {
  Buffer buffer;
  const View whole = RegisterView(m, access, view.rank, buffer);
  buffer.FillUndefined();
  m.SetValid(access.value);
  std::array<std::int64_t, kMaxRank> skip{};
  if (!Clip(view, box, skip)) return;
  const View part = box.Of(view);
  Copy(whole.Sub(skip.data(), box.size.data()), part);
  if (m.observe()) m.NoteAccess(part, false, op);
}

void StoreClipped(Machine& m, const ir::Op* op, const AccessPayload& access, const View& view, Box box) {
  Buffer buffer;
  const View whole = RegisterView(m, access, view.rank, buffer);
  std::array<std::int64_t, kMaxRank> skip{};
  if (!Clip(view, box, skip)) return;
  const View part = box.Of(view);
  Copy(part, whole.Sub(skip.data(), box.size.data()));
  WriteStates(part, nullptr);
  if (m.observe()) m.NoteAccess(part, true, op);
}

void RunLoad(Machine& m, const Instruction& i) {
  const auto& access = static_cast<const AccessPayload&>(*i.payload);
  const View& view = m.reference(access.reference);
  const Box box = Resolve(m, i, access, view);
  if (!box.inside) return LoadClipped(m, i.op, access, view, box);
  const View part = box.Of(view);
  m.dmas().Tick();
  if (!i.unused) Read(part, m.data(access.value));
  m.SetValid(access.value);
  if (m.observe()) m.NoteAccess(part, false, i.op);
  if (i.unused || !m.observe() || part.buffer->shadow.all_valid()) return;
  ElementState* states = m.MakeStates(access.value);
  if (ReadStates(part, states)) {
    m.NameOrigins(i.op, part, states, i.elements);
  } else {
    m.SetValid(access.value);
  }
}

// Fills `merged` and `states` with what the memory will hold where a store has a mask or adds. The part was clipped to what is inside.
void Merge(Machine& m, const AccessPayload& access, const View& part, const View& values, std::vector<std::byte>& merged, std::vector<ElementState>& states) {
  const auto count = static_cast<std::size_t>(part.elements());
  const std::size_t size = part.element_size();
  std::vector<std::byte> fresh(count * size);
  merged.resize(count * size);
  states.assign(count, kValid);
  Read(part, merged.data());
  Read(values, fresh.data());
  if (m.observe()) ReadStates(part, states.data());
  if (access.add != nullptr) access.add(fresh.data(), merged.data(), fresh.data(), count);
  const auto* mask = access.mask < 0 ? nullptr : reinterpret_cast<const std::uint8_t*>(m.data(access.mask));
  const ElementState* known = m.states(access.value);
  std::size_t e = 0;
  values.ForEachRun([&](std::int64_t first, std::int64_t run) {
    for (std::int64_t at = first; at < first + run; ++at, ++e) {
      if (mask != nullptr && mask[at] == 0) continue;
      std::memcpy(merged.data() + e * size, fresh.data() + e * size, size);
      const ElementState state = known == nullptr ? kValid : known[at];
      states[e] = access.add == nullptr ? state : std::max(state, states[e]);
    }
  });
}

// A lane that the mask lets through and that lies outside.
void CheckMaskedLanes(Machine& m, const Instruction& i, const AccessPayload& access, const View& view, const Box& box) {
  const auto* mask = reinterpret_cast<const std::uint8_t*>(m.data(access.mask));
  for (std::size_t e = 0; e < i.elements; ++e) {
    std::int64_t rest = static_cast<std::int64_t>(e);
    for (std::size_t d = view.rank; mask[e] != 0 && d-- > 0;) {
      const std::int64_t lane = rest % access.sizes[d] * access.steps[d];
      rest /= access.sizes[d];
      if (box.start[d] >= -lane && box.start[d] < view.shape[d] - lane) continue;
      return ReportOutOfBounds(m, i.op, view, d, box.start[d], (access.sizes[d] - 1) * access.steps[d] + 1);
    }
  }
}

void RunMergingStore(Machine& m, const Instruction& i) {
  const auto& access = static_cast<const AccessPayload&>(*i.payload);
  const View& view = m.reference(access.reference);
  Box box = Resolve(m, i, access, view);
  if (m.observe() && access.mask >= 0 && m.states(access.mask) != nullptr) {
    const ElementState* states = m.states(access.mask);
    const auto bad = std::find_if(states, states + i.elements, [](ElementState state) { return state >= kFirstOrigin; });
    if (bad != states + i.elements) m.ReportUninitialized(*bad, i.op, "the mask of a store");
  }
  if (!box.inside && access.mask >= 0) CheckMaskedLanes(m, i, access, view, box);
  Buffer buffer;
  std::array<std::int64_t, kMaxRank> skip{};
  const View whole = RegisterView(m, access, view.rank, buffer);
  if (!Clip(view, box, skip)) return;
  const View part = box.Of(view);
  m.dmas().Tick();
  std::vector<std::byte> merged;
  std::vector<ElementState> states;
  Merge(m, access, part, whole.Sub(skip.data(), box.size.data()), merged, states);
  Write(part, merged.data());
  if (!m.observe()) return;
  m.NoteAccess(part, true, i.op);
  const bool any = std::any_of(states.begin(), states.end(), [](ElementState state) { return state != kValid; });
  WriteStates(part, any ? states.data() : nullptr);
  if (any && m.states(access.value) != nullptr) part.buffer->stored_by = i.op;
}

void RunStore(Machine& m, const Instruction& i) {
  const auto& access = static_cast<const AccessPayload&>(*i.payload);
  const View& view = m.reference(access.reference);
  const Box box = Resolve(m, i, access, view);
  if (!box.inside) return StoreClipped(m, i.op, access, view, box);
  const View part = box.Of(view);
  m.dmas().Tick();
  Write(part, m.data(access.value));
  if (!m.observe()) return;
  m.NoteAccess(part, true, i.op);
  const ElementState* states = m.states(access.value);
  WriteStates(part, states);
  if (states != nullptr) part.buffer->stored_by = i.op;
}

core::Result<void> DecodeAccess(Decoder& decoder, const ir::Op& op, std::size_t reference, const ir::Value* value, Instruction::Run run) {
  const ir::Type& type = op.operands[reference]->type;
  auto access = std::make_unique<AccessPayload>();
  access->reference = decoder.ReferenceOf(op.operands[reference]);
  for (std::size_t d = 0; d < type.shape.size(); ++d) {
    access->starts.push_back(decoder.RegisterOf(op.operands[reference + 1 + d]));
    access->sizes[d] = value->type.is_vector() ? value->type.shape[d] : 1;
    if (op.code == OpCode::kStridedLoad || op.code == OpCode::kStridedStore) access->steps[d] = op.attributes.dims[d];
  }
  if (op.code == OpCode::kVectorStore) {
    if (op.attributes.segments[3] != 0) access->mask = decoder.RegisterOf(op.operands.back());
    const OpCode add = core::IsFloat(value->type.dtype) ? OpCode::kAddF : OpCode::kAddI;
    if (op.attributes.add) access->add = ops::FindBinary(add, value->type.dtype);
    if (op.attributes.add && access->add == nullptr) return tl::unexpected(Unsupported(op, "it can't add these elements"));
  }
  access->value = decoder.RegisterOf(value);
  const Payload& kept = decoder.Keep(std::move(access));
  Instruction& made = decoder.Emit(op, run);
  made.payload = &kept;
  made.elements = static_cast<std::size_t>(core::NumElements(value->type.shape));
  made.part = run == RunLoad ? Part::kLoad : run == RunStore ? Part::kStore : Part::kNone;
  return {};
}

core::Result<void> DecodeLoad(Decoder& decoder, const ir::Op& op) { return DecodeAccess(decoder, op, 0, op.result(), RunLoad); }

core::Result<void> DecodeStore(Decoder& decoder, const ir::Op& op) { return DecodeAccess(decoder, op, 1, op.operands[0], RunStore); }

core::Result<void> DecodeVectorStore(Decoder& decoder, const ir::Op& op) {
  const bool masked = op.attributes.segments[3] != 0;
  if (!masked && !op.attributes.add) return DecodeStore(decoder, op);
  return DecodeAccess(decoder, op, 1, op.operands[0], RunMergingStore);
}

}  // namespace

void RegisterMemory(DecodeTable& table) {
  table[static_cast<std::size_t>(OpCode::kLoad)] = DecodeLoad;
  table[static_cast<std::size_t>(OpCode::kVectorLoad)] = DecodeLoad;
  table[static_cast<std::size_t>(OpCode::kStore)] = DecodeStore;
  table[static_cast<std::size_t>(OpCode::kStridedLoad)] = DecodeLoad;
  table[static_cast<std::size_t>(OpCode::kVectorDialectStore)] = DecodeStore;
  table[static_cast<std::size_t>(OpCode::kStridedStore)] = DecodeStore;
  table[static_cast<std::size_t>(OpCode::kVectorStore)] = DecodeVectorStore;
}

}  // namespace kernel_audit::sim
