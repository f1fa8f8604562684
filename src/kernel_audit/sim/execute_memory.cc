// Loads, stores, allocation and references to parts of memory.
#include <algorithm>
#include <string>

#include "kernel_audit/sim/decode.h"
#include "kernel_audit/sim/machine.h"

namespace kernel_audit::sim {
namespace {

using ir::OpCode;

// A box of a reference: where its first element is told by registers.
struct AccessPayload : Payload {
  int reference = -1;
  std::vector<int> starts;
  std::array<std::int64_t, kMaxRank> sizes{};
  int value = -1;  // the register that is read into or written from
};

struct Box {
  std::array<std::int64_t, kMaxRank> start{};
  std::array<std::int64_t, kMaxRank> size{};
  bool inside = true;
};

std::string Range(std::int64_t start, std::int64_t size) { return "[" + std::to_string(start) + ", " + std::to_string(start + size) + ")"; }

void ReportOutOfBounds(Machine& m, const ir::Op* op, const View& view, std::size_t d, std::int64_t start, std::int64_t size) {
  Finding finding;
  finding.kind = FindingKind::kOutOfBounds;
  finding.buffer = view.buffer->name;
  finding.location = op->location;
  finding.message = std::string(op->info().name) + " touches elements " + Range(start, size) + " of dimension " + std::to_string(d) + " of " +
                    view.buffer->name + ", whose extent is " + std::to_string(view.shape[d]);
  m.Report(std::move(finding));
}

// The box that an instruction means. What lies outside is reported and cut off.
Box Resolve(Machine& m, const Instruction& i, const AccessPayload& access, const View& view) {
  Box box;
  for (std::size_t d = 0; d < view.rank; ++d) {
    if (m.observe()) m.CheckScalar(access.starts[d], i.op, "an index");
    const std::int64_t start = m.Integer(access.starts[d]);
    box.start[d] = start;
    box.size[d] = access.sizes[d];
    if (start >= 0 && start <= view.shape[d] - access.sizes[d]) continue;
    ReportOutOfBounds(m, i.op, view, d, start, access.sizes[d]);
    box.inside = false;
  }
  return box;
}

// The part of a box that lies inside the view: false when there is none. `skip`: where it begins inside the box.
bool Clip(const View& view, Box& box, std::array<std::int64_t, kMaxRank>& skip) {
  for (std::size_t d = 0; d < view.rank; ++d) {
    const std::int64_t first = std::clamp<std::int64_t>(box.start[d], 0, view.shape[d]);
    const std::int64_t last = std::clamp<std::int64_t>(box.start[d] > view.shape[d] ? view.shape[d] : box.start[d] + box.size[d], 0, view.shape[d]);
    if (first >= last) return false;
    skip[d] = first - box.start[d];
    box.start[d] = first;
    box.size[d] = last - first;
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
  const View part = view.Sub(box.start.data(), box.size.data());
  Copy(whole.Sub(skip.data(), box.size.data()), part);
  if (m.observe()) m.NoteAccess(part, false, op);
}

void StoreClipped(Machine& m, const ir::Op* op, const AccessPayload& access, const View& view, Box box) {
  Buffer buffer;
  const View whole = RegisterView(m, access, view.rank, buffer);
  std::array<std::int64_t, kMaxRank> skip{};
  if (!Clip(view, box, skip)) return;
  const View part = view.Sub(box.start.data(), box.size.data());
  Copy(part, whole.Sub(skip.data(), box.size.data()));
  WriteStates(part, nullptr);
  if (m.observe()) m.NoteAccess(part, true, op);
}

void RunLoad(Machine& m, const Instruction& i) {
  const auto& access = static_cast<const AccessPayload&>(*i.payload);
  const View& view = m.reference(access.reference);
  const Box box = Resolve(m, i, access, view);
  if (!box.inside) return LoadClipped(m, i.op, access, view, box);
  const View part = view.Sub(box.start.data(), box.size.data());
  m.dmas().Tick();
  Read(part, m.data(access.value));
  m.SetValid(access.value);
  if (m.observe()) m.NoteAccess(part, false, i.op);
  if (!m.observe() || part.buffer->shadow.all_valid()) return;
  ElementState* states = m.MakeStates(access.value);
  if (ReadStates(part, states)) {
    m.NameOrigins(i.op, part, states, i.elements);
  } else {
    m.SetValid(access.value);
  }
}

void RunStore(Machine& m, const Instruction& i) {
  const auto& access = static_cast<const AccessPayload&>(*i.payload);
  const View& view = m.reference(access.reference);
  const Box box = Resolve(m, i, access, view);
  if (!box.inside) return StoreClipped(m, i.op, access, view, box);
  const View part = view.Sub(box.start.data(), box.size.data());
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
  }
  access->value = decoder.RegisterOf(value);
  const Payload& kept = decoder.Keep(std::move(access));
  Instruction& made = decoder.Emit(op, run);
  made.payload = &kept;
  made.elements = static_cast<std::size_t>(core::NumElements(value->type.shape));
  return {};
}

core::Result<void> DecodeLoad(Decoder& decoder, const ir::Op& op) { return DecodeAccess(decoder, op, 0, op.result(), RunLoad); }

core::Result<void> DecodeStore(Decoder& decoder, const ir::Op& op) {
  if (op.attributes.add) return tl::unexpected(Unsupported(op, "add = true"));
  if (op.code == OpCode::kVectorStore && op.attributes.segments.size() == 4 && op.attributes.segments[3] != 0) {
    return tl::unexpected(Unsupported(op, "it has a mask"));
  }
  return DecodeAccess(decoder, op, 1, op.operands[0], RunStore);
}

}  // namespace

void RegisterMemory(DecodeTable& table) {
  table[static_cast<std::size_t>(OpCode::kLoad)] = DecodeLoad;
  table[static_cast<std::size_t>(OpCode::kVectorLoad)] = DecodeLoad;
  table[static_cast<std::size_t>(OpCode::kStore)] = DecodeStore;
  table[static_cast<std::size_t>(OpCode::kVectorStore)] = DecodeStore;
}

}  // namespace kernel_audit::sim
