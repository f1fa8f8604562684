// References to parts of memory, scoped memory, DMAs and semaphores.
#include <algorithm>
#include <optional>
#include <string>

#include "kernel_audit/sim/decode.h"
#include "kernel_audit/sim/machine.h"

namespace kernel_audit::sim {
namespace {

using ir::OpCode;

struct ReferencePayload : Payload {
  int from = -1, to = -1;
  std::vector<int> starts, sizes;  // sizes: registers of the extents that are not known, in their order
  Shape shape;
  std::int64_t wider = 1, narrower = 1;  // how many times its elements are
};

// A slice that sticks out is reported and moved inside, so that the program can go on.
void RunSlice(Machine& m, const Instruction& i) {
  const auto& payload = static_cast<const ReferencePayload&>(*i.payload);
  const View& from = m.reference(payload.from);
  std::array<std::int64_t, kMaxRank> start{}, sizes{};
  std::size_t next = 0;
  for (std::size_t d = 0; d < from.rank; ++d) {
    if (m.observe()) m.CheckScalar(payload.starts[d], i.op, "the start of a slice");
    start[d] = m.Integer(payload.starts[d]);
    std::int64_t& size = sizes[d];
    const std::int64_t extent = from.shape[d];
    size = payload.shape[d];
    if (size == core::kDynamicExtent) {
      if (m.observe()) m.CheckScalar(payload.sizes[next], i.op, "the size of a slice");
      size = m.Integer(payload.sizes[next++]);
    }
    if (size >= 0 && start[d] >= 0 && start[d] <= extent - size) continue;
    Finding finding;
    finding.kind = FindingKind::kOutOfBounds;
    finding.buffer = from.buffer->name;
    finding.location = i.op->location;
    finding.message = "the slice takes elements " + RangeText(start[d], size) + " of dimension " + std::to_string(d) + " of " + from.buffer->name + ", whose extent is " + std::to_string(extent);
    m.Report(std::move(finding));
    size = std::clamp<std::int64_t>(size, 0, extent);
    start[d] = std::clamp<std::int64_t>(start[d], 0, extent - size);
  }
  m.reference(payload.to) = from.Sub(start.data(), sizes.data());
}

void RunSqueeze(Machine& m, const Instruction& i) {
  const auto& payload = static_cast<const ReferencePayload&>(*i.payload);
  m.reference(payload.to) = m.reference(payload.from).Squeeze(payload.shape);
}

void RunReshape(Machine& m, const Instruction& i) {
  const auto& payload = static_cast<const ReferencePayload&>(*i.payload);
  m.reference(payload.to) = *m.reference(payload.from).Reshape(payload.shape);  // decoding has checked it
}

void RunRefBitcast(Machine& m, const Instruction& i) {
  const auto& payload = static_cast<const ReferencePayload&>(*i.payload);
  m.reference(payload.to) = m.reference(payload.from).Widen(payload.wider).Narrow(payload.narrower);
}

void RunAllocate(Machine& m, const Instruction& i) {
  const auto& payload = static_cast<const ReferencePayload&>(*i.payload);
  m.reference(payload.to) = View::Whole(m.Allocate(i.op));
}

// How many elements of `b` are as wide as one of `a`; 1 when fewer are.
std::int64_t WidthRatio(const ir::Value& a, const ir::Value& b) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(core::ByteSize(a.type.dtype) / core::ByteSize(b.type.dtype)));
}

core::Result<void> DecodeReference(Decoder& decoder, const ir::Op& op, Instruction::Run run) {
  auto payload = std::make_unique<ReferencePayload>();
  payload->shape = op.result()->type.shape;
  payload->to = decoder.ReferenceOf(op.result());
  if (!op.operands.empty()) payload->from = decoder.ReferenceOf(op.operands[0]);
  const std::size_t starts = op.code == OpCode::kRefSlice ? op.operands[0]->type.shape.size() : 0;
  for (std::size_t i = 1; i < op.operands.size(); ++i) {
    (i <= starts ? payload->starts : payload->sizes).push_back(decoder.RegisterOf(op.operands[i]));
  }
  if (op.code == OpCode::kRefBitcast) {
    payload->wider = WidthRatio(*op.result(), *op.operands[0]);
    payload->narrower = WidthRatio(*op.operands[0], *op.result());
  }
  const Payload& kept = decoder.Keep(std::move(payload));
  Instruction& made = decoder.Emit(op, run);
  made.payload = &kept;
  made.elements = 1;
  return {};
}

template <Instruction::Run kRun>
core::Result<void> DecodeReferenceWith(Decoder& decoder, const ir::Op& op) {
  return DecodeReference(decoder, op, kRun);
}

// The strides that a reference will have when it runs; they follow from where it comes from. Nothing: from an extent that is not known.
std::optional<View> StaticView(const ir::Value* reference) {
  const Shape& shape = reference->type.shape;
  const ir::Op* op = reference->producer;
  if (std::count(shape.begin(), shape.end(), core::kDynamicExtent) > 0 || shape.size() > kMaxRank) return std::nullopt;
  if (op == nullptr || op->code == OpCode::kAlloca) return View::Dense(shape);
  std::optional<View> from = StaticView(op->operands[0]);
  if (!from) return from;
  constexpr std::array<std::int64_t, kMaxRank> kStart{};
  switch (op->code) {
    case OpCode::kRefSlice: return from->Sub(kStart.data(), shape.data());
    case OpCode::kRefSqueeze: return from->Squeeze(shape);
    case OpCode::kRefReshape: return from->Reshape(shape);
    case OpCode::kRefBitcast: return from->Widen(WidthRatio(*reference, *op->operands[0])).Narrow(WidthRatio(*op->operands[0], *reference));
    default: return std::nullopt;
  }
}

core::Result<void> DecodeReshape(Decoder& decoder, const ir::Op& op) {
  if (!StaticView(op.result())) return tl::unexpected(Unsupported(op, "the elements do not lie so that strides give this shape"));
  return DecodeReference(decoder, op, RunReshape);
}

core::Result<void> DecodeRefBitcast(Decoder& decoder, const ir::Op& op) {
  for (const ir::Value* value = op.operands[0]; value->producer != nullptr && !value->producer->operands.empty(); value = value->producer->operands[0]) {
    if (value->producer->code == OpCode::kRefBitcast) return tl::unexpected(Unsupported(op, "of a reference that was bitcast already"));
  }
  return DecodeReference(decoder, op, RunRefBitcast);
}

struct SyncPayload : Payload {
  SyncPayload(int made_source, int made_target, int made_semaphore, int made_amount)
      : source(made_source), target(made_target), semaphore(made_semaphore), amount(made_amount) {}
  int source, target, semaphore;  // reference registers
  int amount;                     // register
  int core = -1;                  // register
};

void RunStart(Machine& m, const Instruction& i) {
  const auto& sync = static_cast<const SyncPayload&>(*i.payload);
  m.dmas().Tick();
  m.dmas().Start(i.op, m.reference(sync.source), m.reference(sync.target), m.reference(sync.semaphore));
}

void WaitFor(Machine& m, const Instruction& i, const View& semaphore, std::int64_t amount) {
  m.dmas().Tick();
  if (!m.dmas().Wait(i.op, semaphore, amount)) m.Stop();
}

void RunWaitDma(Machine& m, const Instruction& i) {
  const auto& sync = static_cast<const SyncPayload&>(*i.payload);
  const View& target = m.reference(sync.target);
  WaitFor(m, i, m.reference(sync.semaphore), target.bytes());
}

void RunSignal(Machine& m, const Instruction& i) {
  const auto& sync = static_cast<const SyncPayload&>(*i.payload);
  if (m.observe()) m.CheckScalar(sync.amount, i.op, "the amount of a signal");
  m.dmas().Signal(i.op, m.reference(sync.semaphore), m.Integer(sync.amount));
}

void RunSignalCore(Machine& m, const Instruction& i) {
  const auto& sync = static_cast<const SyncPayload&>(*i.payload);
  if (m.observe()) m.CheckScalar(sync.amount, i.op, "the amount of a signal");
  if (m.observe()) m.CheckScalar(sync.core, i.op, "the core of a signal");
  const std::int64_t core = m.Integer(sync.core);
  Machine* other = core == m.core() ? &m : m.cross_core() != nullptr ? m.cross_core()->MachineOf(core) : nullptr;
  if (other == nullptr) {
    Finding finding;
    finding.kind = FindingKind::kOutOfBounds;
    finding.buffer = m.reference(sync.semaphore).buffer->name;
    finding.location = i.op->location;
    finding.message = m.name() + " signals core " + std::to_string(core) + ", which does not run this kernel";
    return m.Report(std::move(finding));
  }
  m.dmas().Signal(i.op, m.SemaphoreOn(*other, m.reference(sync.semaphore)), m.Integer(sync.amount));
}

void RunWait(Machine& m, const Instruction& i) {
  const auto& sync = static_cast<const SyncPayload&>(*i.payload);
  if (m.observe()) m.CheckScalar(sync.amount, i.op, "the amount of a wait");
  WaitFor(m, i, m.reference(sync.semaphore), m.Integer(sync.amount));
}

void RunReadSemaphore(Machine& m, const Instruction& i) {
  const auto& sync = static_cast<const SyncPayload&>(*i.payload);
  m.dmas().Yield();
  m.dmas().Tick();
  m.SetInt32(i.target, static_cast<std::int32_t>(m.dmas().Value(m.reference(sync.semaphore))));
  m.SetValid(i.target);
}

core::Result<void> EmitSync(Decoder& decoder, const ir::Op& op, Instruction::Run run, SyncPayload sync) {
  const Payload& kept = decoder.Keep(std::make_unique<SyncPayload>(sync));
  Instruction& made = decoder.Emit(op, run);
  made.payload = &kept;
  made.elements = 1;
  return {};
}

bool HasSegments(const ir::Op& op, std::initializer_list<std::int32_t> segments) {
  return op.attributes.segments.empty() || std::equal(segments.begin(), segments.end(), op.attributes.segments.begin(), op.attributes.segments.end());
}

core::Result<void> DecodeStart(Decoder& decoder, const ir::Op& op) {
  if (!HasSegments(op, {1, 0, 1, 1, 0, 0})) return tl::unexpected(Unsupported(op, "copies to other devices and cores are not simulated yet"));
  return EmitSync(decoder, op, RunStart, {decoder.ReferenceOf(op.operands[0]), decoder.ReferenceOf(op.operands[1]), decoder.ReferenceOf(op.operands[2]), -1});
}

core::Result<void> DecodeWaitDma(Decoder& decoder, const ir::Op& op) {
  if (!HasSegments(op, {1, 1, 1, 0, 0})) return tl::unexpected(Unsupported(op, "copies to other devices and cores are not simulated yet"));
  return EmitSync(decoder, op, RunWaitDma, {decoder.ReferenceOf(op.operands[1]), decoder.ReferenceOf(op.operands[2]), decoder.ReferenceOf(op.operands[0]), -1});
}

core::Result<void> DecodeSignal(Decoder& decoder, const ir::Op& op) {
  if (HasSegments(op, {1, 1, 0, 1})) {
    SyncPayload sync{-1, -1, decoder.ReferenceOf(op.operands[0]), decoder.RegisterOf(op.operands[1])};
    if (op.operands.size() > 2) sync.core = decoder.RegisterOf(op.operands[2]);
    return EmitSync(decoder, op, sync.core < 0 ? RunSignal : RunSignalCore, sync);
  }
  if (!HasSegments(op, {1, 1, 0, 0})) return tl::unexpected(Unsupported(op, "signals to other devices are not simulated yet"));
  return EmitSync(decoder, op, RunSignal, {-1, -1, decoder.ReferenceOf(op.operands[0]), decoder.RegisterOf(op.operands[1])});
}

core::Result<void> DecodeWait(Decoder& decoder, const ir::Op& op) {
  return EmitSync(decoder, op, RunWait, {-1, -1, decoder.ReferenceOf(op.operands[0]), decoder.RegisterOf(op.operands[1])});
}

core::Result<void> DecodeReadSemaphore(Decoder& decoder, const ir::Op& op) {
  return EmitSync(decoder, op, RunReadSemaphore, {-1, -1, decoder.ReferenceOf(op.operands[0]), -1});
}

}  // namespace

void RegisterDma(DecodeTable& table) {
  const auto set = [&table](OpCode code, DecodeFn decode) { table[static_cast<std::size_t>(code)] = decode; };
  set(OpCode::kRefSlice, DecodeReferenceWith<RunSlice>);
  set(OpCode::kRefReshape, DecodeReshape);
  set(OpCode::kRefBitcast, DecodeRefBitcast);
  set(OpCode::kRefSqueeze, DecodeReferenceWith<RunSqueeze>);
  set(OpCode::kAlloca, DecodeReferenceWith<RunAllocate>);
  set(OpCode::kSemAlloc, DecodeReferenceWith<RunAllocate>);
  set(OpCode::kEnqueueDma, DecodeStart);
  set(OpCode::kWaitDma, DecodeWaitDma);
  set(OpCode::kSemSignal, DecodeSignal);
  set(OpCode::kSemWait, DecodeWait);
  set(OpCode::kSemRead, DecodeReadSemaphore);
}

}  // namespace kernel_audit::sim
