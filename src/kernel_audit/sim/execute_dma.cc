// References to parts of memory, scoped memory, DMAs and semaphores.
#include <algorithm>
#include <string>

#include "kernel_audit/sim/decode.h"
#include "kernel_audit/sim/machine.h"

namespace kernel_audit::sim {
namespace {

using ir::OpCode;

struct ReferencePayload : Payload {
  int from = -1, to = -1;
  std::vector<int> starts;
  Shape shape;
};

// A slice that sticks out is reported and moved inside, so that the program can go on.
void RunSlice(Machine& m, const Instruction& i) {
  const auto& payload = static_cast<const ReferencePayload&>(*i.payload);
  const View& from = m.reference(payload.from);
  std::array<std::int64_t, kMaxRank> start{};
  for (std::size_t d = 0; d < from.rank; ++d) {
    if (m.observe()) m.CheckScalar(payload.starts[d], i.op, "the start of a slice");
    start[d] = m.Integer(payload.starts[d]);
    const std::int64_t size = payload.shape[d], extent = from.shape[d];
    if (start[d] >= 0 && start[d] <= extent - size) continue;
    Finding finding;
    finding.kind = FindingKind::kOutOfBounds;
    finding.buffer = from.buffer->name;
    finding.location = i.op->location;
    finding.message = "the slice takes elements [" + std::to_string(start[d]) + ", " + std::to_string(start[d] + size) + ") of dimension " +
                      std::to_string(d) + " of " + from.buffer->name + ", whose extent is " + std::to_string(extent);
    m.Report(std::move(finding));
    start[d] = std::clamp<std::int64_t>(start[d], 0, extent - size);
  }
  m.reference(payload.to) = from.Sub(start.data(), payload.shape.data());
}

void RunSqueeze(Machine& m, const Instruction& i) {
  const auto& payload = static_cast<const ReferencePayload&>(*i.payload);
  m.reference(payload.to) = m.reference(payload.from).Squeeze(payload.shape);
}

void RunAllocate(Machine& m, const Instruction& i) {
  const auto& payload = static_cast<const ReferencePayload&>(*i.payload);
  m.reference(payload.to) = View::Whole(m.Allocate(i.op));
}

core::Result<void> DecodeReference(Decoder& decoder, const ir::Op& op, Instruction::Run run) {
  if (std::count(op.result()->type.shape.begin(), op.result()->type.shape.end(), core::kDynamicExtent) > 0) {
    return tl::unexpected(Unsupported(op, "the result has an extent that is known only when it runs"));
  }
  auto payload = std::make_unique<ReferencePayload>();
  payload->shape = op.result()->type.shape;
  payload->to = decoder.ReferenceOf(op.result());
  if (!op.operands.empty()) payload->from = decoder.ReferenceOf(op.operands[0]);
  for (std::size_t i = 1; i < op.operands.size(); ++i) payload->starts.push_back(decoder.RegisterOf(op.operands[i]));
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

struct SyncPayload : Payload {
  SyncPayload(int made_source, int made_target, int made_semaphore, int made_amount)
      : source(made_source), target(made_target), semaphore(made_semaphore), amount(made_amount) {}
  int source, target, semaphore;  // reference registers
  int amount;                     // register
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
  WaitFor(m, i, m.reference(sync.semaphore), target.elements() * static_cast<std::int64_t>(target.buffer->element_size));
}

void RunSignal(Machine& m, const Instruction& i) {
  const auto& sync = static_cast<const SyncPayload&>(*i.payload);
  if (m.observe()) m.CheckScalar(sync.amount, i.op, "the amount of a signal");
  m.dmas().Signal(i.op, m.reference(sync.semaphore), m.Integer(sync.amount));
}

void RunWait(Machine& m, const Instruction& i) {
  const auto& sync = static_cast<const SyncPayload&>(*i.payload);
  if (m.observe()) m.CheckScalar(sync.amount, i.op, "the amount of a wait");
  WaitFor(m, i, m.reference(sync.semaphore), m.Integer(sync.amount));
}

void RunReadSemaphore(Machine& m, const Instruction& i) {
  const auto& sync = static_cast<const SyncPayload&>(*i.payload);
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
  if (!HasSegments(op, {1, 1, 0, 0})) return tl::unexpected(Unsupported(op, "signals to other devices and cores are not simulated yet"));
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
