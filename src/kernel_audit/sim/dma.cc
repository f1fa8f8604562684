#include "kernel_audit/sim/dma.h"

#include <algorithm>

#include "kernel_audit/sim/machine.h"
#include "kernel_audit/sim/run.h"

namespace kernel_audit::sim {
namespace {

core::SourceLocation LocationOf(const ir::Op* op) { return op != nullptr ? op->location : core::SourceLocation(); }

std::string ElementName(const View& view) {
  const Buffer& buffer = *view.buffer;
  return buffer.elements == 1 ? buffer.name : buffer.name + " " + core::ToString(ElementIndex(buffer, view.offset));
}

}  // namespace

Semaphore& DmaEngine::SemaphoreOf(const View& view) { return view.buffer->semaphores[static_cast<std::size_t>(view.offset)]; }

std::int64_t DmaEngine::Value(const View& semaphore) { return SemaphoreOf(semaphore).value; }

void DmaEngine::Signal(const ir::Op* op, const View& semaphore, std::int64_t amount) {
  Semaphore& state = SemaphoreOf(semaphore);
  state.signalled_by = op;
  if (Event* event = machine_.Log(Event::Kind::kSignal, op)) {
    event->semaphore = machine_.event_log()->SemaphoreOf(semaphore);
    event->amount = amount;
  }
  state.value += amount;
  state.arrived += amount;
}

void DmaEngine::Start(const ir::Op* op, const View& source, const View& target, const View& semaphore) {
  Dma dma{++started_, op, source, target, semaphore, 0, machine_.program_number, Dma::Phase::kStarted, {}};
  dma.bytes = target.elements() * static_cast<std::int64_t>(target.buffer->element_size);
  if (machine_.observe()) {
    for (const Dma& other : in_flight_) {
      CheckConflict(other, source, false, op, Agent(dma));
      CheckConflict(other, target, true, op, Agent(dma));
    }
    MoveStates(dma);
    machine_.NoteDmaAccess(source, false, op, Agent(dma));
    machine_.NoteDmaAccess(target, true, op, Agent(dma));
  }
  if (Event* event = machine_.Log(Event::Kind::kDmaStart, op)) {
    event->first = machine_.event_log()->PartOf(source);
    event->second = machine_.event_log()->PartOf(target);
    event->dma = dma.number;
    event->semaphore = machine_.event_log()->SemaphoreOf(semaphore);
    event->amount = dma.bytes;
  }
  SemaphoreOf(semaphore).arrived += dma.bytes;
  Count(dma, 1);
  in_flight_.push_back(std::move(dma));
  if (schedule_.kind == Schedule::Kind::kEarly) Complete(in_flight_.back());
}

// States move at the start whatever the schedule, so that what is reported does not depend on it.
void DmaEngine::MoveStates(const Dma& dma) {
  if (dma.source.buffer->shadow.all_valid()) return WriteStates(dma.target, nullptr);
  states_.resize(static_cast<std::size_t>(dma.source.elements()));
  const bool any = ReadStates(dma.source, states_.data());
  if (any) {
    machine_.NameOrigins(dma.op, dma.source, states_.data(), states_.size());
    dma.target.buffer->stored_by = dma.op;
  }
  WriteStates(dma.target, any ? states_.data() : nullptr);
}

void DmaEngine::Count(const Dma& dma, int change) {
  dma.source.buffer->in_flight += change;
  dma.target.buffer->in_flight += change;
}

void DmaEngine::Advance(Dma& dma) {
  if (dma.phase == Dma::Phase::kStarted) {
    dma.staged.resize(static_cast<std::size_t>(dma.bytes));
    Read(dma.source, dma.staged.data());
    dma.phase = Dma::Phase::kRead;
  } else if (dma.phase == Dma::Phase::kRead) {
    Write(dma.target, dma.staged.data());
    SemaphoreOf(dma.semaphore).value += dma.bytes;
    dma.phase = Dma::Phase::kDone;
  }
}

void DmaEngine::Complete(Dma& dma) {
  if (dma.phase != Dma::Phase::kStarted) return Advance(dma);
  Copy(dma.target, dma.source);
  SemaphoreOf(dma.semaphore).value += dma.bytes;
  dma.phase = Dma::Phase::kDone;
}

void DmaEngine::Tick() {
  if (schedule_.kind != Schedule::Kind::kRandom) return;
  for (Dma& dma : in_flight_) {
    if (random_() % 4 == 0) Advance(dma);
  }
}

// Of the DMAs that signal this semaphore and have not yet moved their data, the newest (or, at random, any).
bool DmaEngine::CompleteOne(const Semaphore& semaphore) {
  std::vector<Dma*> pending;
  for (Dma& dma : in_flight_) {
    if (dma.phase != Dma::Phase::kDone && &SemaphoreOf(dma.semaphore) == &semaphore) pending.push_back(&dma);
  }
  if (pending.empty()) return false;
  Complete(schedule_.kind == Schedule::Kind::kRandom ? *pending[random_() % pending.size()] : *pending.back());
  return true;
}

bool DmaEngine::Wait(const ir::Op* op, const View& semaphore, std::int64_t amount) {
  Semaphore& state = SemaphoreOf(semaphore);
  while (state.value < amount) {
    if (CompleteOne(state)) continue;
    Finding finding;
    finding.kind = FindingKind::kDeadlock;
    finding.buffer = semaphore.buffer->name;
    finding.location = LocationOf(op);
    const std::string unit = semaphore.buffer->dtype == DType::kDmaSemaphore ? " bytes" : "";
    finding.message = "the core waits for " + std::to_string(amount) + unit + " on " + ElementName(semaphore) + ", which holds " +
                      std::to_string(state.value) + unit + ", and nothing that would signal it was started";
    machine_.Report(std::move(finding));
    return false;
  }
  state.value -= amount;
  state.consumed += amount;
  if (Event* event = machine_.Log(Event::Kind::kWait, op)) {
    event->semaphore = machine_.event_log()->SemaphoreOf(semaphore);
    event->amount = amount;
  }
  Join(op, state);
  return true;
}

// The must-edges of a wait.
void DmaEngine::Join(const ir::Op* op, const Semaphore& semaphore) {
  for (std::size_t i = 0; i < in_flight_.size();) {
    const Dma& dma = in_flight_[i];
    if (&SemaphoreOf(dma.semaphore) != &semaphore || semaphore.arrived - dma.bytes >= semaphore.consumed) {
      ++i;
      continue;
    }
    if (Event* event = machine_.Log(Event::Kind::kDmaJoined, op)) event->dma = dma.number;
    Remove(i);
  }
}

void DmaEngine::Remove(std::size_t index) {
  Count(in_flight_[index], -1);
  in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(index));
}

std::string DmaEngine::Agent(const Dma& dma) const {
  return "DMA " + std::to_string(dma.number) + (dma.op->location.known() ? " started at " + dma.op->location.ToString() : "");
}

void DmaEngine::NoteAccess(const View& part, bool write, const ir::Op* op) {
  if (part.buffer->in_flight == 0) return;
  for (const Dma& dma : in_flight_) CheckConflict(dma, part, write, op, machine_.name());
}

void DmaEngine::CheckConflict(const Dma& dma, const View& part, bool write, const ir::Op* op, const std::string& agent) {
  if (write && Overlap(dma.source, part)) ReportRace(dma, false, dma.source, part, true, op, agent);
  if (Overlap(dma.target, part)) ReportRace(dma, true, dma.target, part, write, op, agent);
}

void DmaEngine::ReportRace(const Dma& dma, bool dma_writes, const View& dma_part, const View& part, bool write, const ir::Op* op,
                           const std::string& agent) {
  Finding finding;
  finding.kind = FindingKind::kRace;
  finding.buffer = part.buffer->name;
  finding.location = LocationOf(op);
  finding.other_location = dma.op->location;
  finding.accesses = {{agent, write, LocationOf(op), RegionText(part), machine_.grid_point},
                      {Agent(dma), dma_writes, dma.op->location, RegionText(dma_part), GridPoint(machine_.program().kernel().grid, dma.program)}};
  finding.message = agent + (write ? " writes " : " reads ") + RegionText(part) + " of " + part.buffer->name + " while " + Agent(dma) +
                    (dma_writes ? " writes " : " reads ") + RegionText(dma_part) + " of it and was not awaited";
  machine_.Report(std::move(finding));
}

void DmaEngine::ReportLeak(const Dma& dma, const std::string& when) {
  Finding finding;
  finding.kind = FindingKind::kLeak;
  finding.buffer = dma.target.buffer->name;
  finding.location = dma.op->location;
  finding.message = Agent(dma) + " (" + RegionText(dma.source) + " of " + dma.source.buffer->name + " to " + RegionText(dma.target) + " of " +
                    dma.target.buffer->name + ") was not awaited when " + when;
  finding.grid_point = GridPoint(machine_.program().kernel().grid, dma.program);
  machine_.Report(std::move(finding));
}

void DmaEngine::EndScope(const Buffer* buffer) {
  if (buffer != nullptr) {
    if (Event* event = machine_.Log(Event::Kind::kScopeEnd, nullptr)) event->first = machine_.event_log()->PartOf(View::Whole(*const_cast<Buffer*>(buffer)));
  }
  const std::string when = buffer == nullptr ? "the kernel ended" : "the scope of " + buffer->name + " ended";
  for (std::size_t i = 0; i < in_flight_.size();) {
    Dma& dma = in_flight_[i];
    const bool concerned = buffer == nullptr || dma.source.buffer == buffer || dma.target.buffer == buffer || dma.semaphore.buffer == buffer;
    if (!concerned) {
      ++i;
      continue;
    }
    while (dma.phase != Dma::Phase::kDone) Complete(dma);
    // Where the semaphore ends too, what the DMA signalled explains its value, which is then no leak of its own.
    if (buffer == nullptr || dma.semaphore.buffer == buffer) SemaphoreOf(dma.semaphore).value -= dma.bytes;
    ReportLeak(dma, when);
    Remove(i);
  }
}

}  // namespace kernel_audit::sim
