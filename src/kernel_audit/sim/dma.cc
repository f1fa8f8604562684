#include "kernel_audit/sim/dma.h"

#include <algorithm>

#include "kernel_audit/sim/machine.h"
#include "kernel_audit/sim/run.h"

namespace kernel_audit::sim {
namespace {

std::string ElementName(const View& view) {
  const Buffer& buffer = *view.buffer;
  return buffer.elements == 1 ? buffer.name : buffer.name + " " + core::ToString(ElementIndex(buffer, view.offset));
}

void Drop(View& view) {
  --view.buffer->in_flight;
  view.buffer = nullptr;
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
  if (machine_.turns() != nullptr) state.signals.push_back({machine_.core(), amount, machine_.cross_core()->Release(machine_.core())});
}

void DmaEngine::Yield() {
  if (Turns* turns = machine_.turns()) turns->Park(machine_.core(), [] { return true; });
}

void DmaEngine::Start(const ir::Op* op, const View& source, const View& target, const View& semaphore) {
  Dma& dma = Take();
  dma.number = ++started_;
  dma.op = op;
  dma.source = {source, RegionOf(source)};
  dma.target = {target, RegionOf(target)};
  dma.semaphore = semaphore;
  dma.bytes = target.bytes();
  dma.program = machine_.program_number;
  dma.phase = Dma::Phase::kStarted;
  dma.reported = false;
  machine_.Charge(static_cast<std::uint64_t>(target.elements()));
  if (machine_.observe()) CheckStart(dma);
  if (Event* event = machine_.Log(Event::Kind::kDmaStart, op)) {
    event->first = machine_.event_log()->PartOf(source);
    event->second = machine_.event_log()->PartOf(target);
    event->dma = dma.number;
    event->semaphore = machine_.event_log()->SemaphoreOf(semaphore);
    event->amount = dma.bytes;
  }
  bytes_ += dma.bytes;
  SemaphoreOf(semaphore).arrived += dma.bytes;
  SemaphoreOf(semaphore).signalled_by = op;
  ++source.buffer->in_flight;
  ++target.buffer->in_flight;
  in_flight_.push_back(&dma);
  if (schedule_.kind == Schedule::Kind::kEarly) Complete(dma);
}

DmaEngine::Dma& DmaEngine::Take() {
  if (free_.empty()) return dmas_.emplace_back();
  Dma* dma = free_.back();
  free_.pop_back();
  return *dma;
}

template <typename F>
void DmaEngine::Remove(F&& ended) {
  std::size_t kept = 0;
  for (Dma* dma : in_flight_) {
    if (ended(*dma)) {
      free_.push_back(dma);
    } else {
      in_flight_[kept++] = dma;
    }
  }
  in_flight_.resize(kept);
}

void DmaEngine::CheckStart(const Dma& dma) {
  for (const Dma* other : in_flight_) {
    CheckConflict(*other, dma.source, false, dma.op, &dma);
    CheckConflict(*other, dma.target, true, dma.op, &dma);
  }
  MoveStates(dma);
  machine_.NoteDmaAccess(dma.source.view, false, dma.op, dma.number);
  machine_.NoteDmaAccess(dma.target.view, true, dma.op, dma.number);
}

// States move at the start whatever the schedule, so that what is reported does not depend on it.
void DmaEngine::MoveStates(const Dma& dma) {
  const View &source = dma.source.view, &target = dma.target.view;
  if (source.buffer->shadow.all_valid()) return WriteStates(target, nullptr);
  states_.resize(static_cast<std::size_t>(source.elements()));
  const bool any = ReadStates(source, states_.data());
  if (any) {
    machine_.NameOrigins(dma.op, source, states_.data(), states_.size());
    target.buffer->stored_by = dma.op;
  }
  WriteStates(target, any ? states_.data() : nullptr);
}

void DmaEngine::Advance(Dma& dma) {
  if (dma.phase == Dma::Phase::kStarted) {
    dma.staged.resize(static_cast<std::size_t>(dma.bytes));
    Read(dma.source.view, dma.staged.data());
    dma.phase = Dma::Phase::kRead;
  } else if (dma.phase == Dma::Phase::kRead) {
    Write(dma.target.view, dma.staged.data());
    SemaphoreOf(dma.semaphore).value += dma.bytes;
    dma.phase = Dma::Phase::kDone;
  }
}

void DmaEngine::Complete(Dma& dma) {
  const bool direct = dma.phase == Dma::Phase::kStarted && !Overlap(dma.source.view, dma.target.view);
  if (!direct) {
    while (dma.phase != Dma::Phase::kDone) Advance(dma);
    return;
  }
  Copy(dma.target.view, dma.source.view);
  SemaphoreOf(dma.semaphore).value += dma.bytes;
  dma.phase = Dma::Phase::kDone;
}

void DmaEngine::Tick() {
  if (schedule_.kind != Schedule::Kind::kRandom) return;
  for (Dma* dma : in_flight_) {
    if (dma->phase != Dma::Phase::kDone && random_() % 4 == 0) Advance(*dma);
  }
}

// Of the DMAs that signal this semaphore and have not yet moved their data, the newest (or, at random, any).
bool DmaEngine::CompleteOne(const Semaphore& semaphore) {
  const auto pending = [&](const Dma* dma) { return dma->phase != Dma::Phase::kDone && &SemaphoreOf(dma->semaphore) == &semaphore; };
  std::int64_t left = std::count_if(in_flight_.begin(), in_flight_.end(), pending);
  if (left == 0) return false;
  if (schedule_.kind == Schedule::Kind::kRandom) left = 1 + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(left));
  for (Dma* dma : in_flight_) {
    if (pending(dma) && --left == 0) {
      Complete(*dma);
      return true;
    }
  }
  return false;
}

bool DmaEngine::Wait(const ir::Op* op, const View& semaphore, std::int64_t amount) {
  Semaphore& state = SemaphoreOf(semaphore);
  while (state.value < amount && CompleteOne(state)) {}
  if (Turns* turns = machine_.turns(); turns != nullptr && semaphore.buffer->dtype == DType::kSemaphore) {
    turns->Park(machine_.core(), [&] { return state.value >= amount; });
  }
  const bool blocked = state.value < amount;
  if (Event* event = machine_.Log(blocked ? Event::Kind::kBlocked : Event::Kind::kWait, op)) {
    event->semaphore = machine_.event_log()->SemaphoreOf(semaphore);
    event->amount = amount;
  }
  if (blocked) {
    ReportDeadlock(op, semaphore, amount);
    return false;
  }
  state.value -= amount;
  state.consumed += amount;
  Join(op, state);
  JoinCores(state);
  return true;
}

void DmaEngine::ReportDeadlock(const ir::Op* op, const View& semaphore, std::int64_t amount) {
  const std::string unit = semaphore.buffer->dtype == DType::kDmaSemaphore ? " bytes" : "";
  Finding finding;
  finding.kind = FindingKind::kDeadlock;
  finding.buffer = semaphore.buffer->name;
  finding.location = machine_.LocationOf(op);
  finding.message = machine_.name() + " waits for " + std::to_string(amount) + unit + " on " + ElementName(semaphore) + ", which holds " +
                    std::to_string(SemaphoreOf(semaphore).value) + unit + ", and nothing that would signal it was started";
  machine_.Report(std::move(finding));
}

// The must-edges of a wait.
void DmaEngine::Join(const ir::Op* op, const Semaphore& semaphore) {
  Remove([&](Dma& dma) {
    const bool concerned = dma.semaphore.buffer != nullptr && &SemaphoreOf(dma.semaphore) == &semaphore;
    if (!concerned || semaphore.arrived - dma.bytes >= semaphore.consumed) return false;
    if (Event* event = machine_.Log(Event::Kind::kDmaJoined, op)) event->dma = dma.number;
    if (machine_.cross_core() != nullptr) machine_.cross_core()->Joined(machine_.core(), dma.number);
    if (dma.source.view.buffer != nullptr) Drop(dma.source.view);
    if (dma.target.view.buffer != nullptr) Drop(dma.target.view);
    return true;
  });
}

// The same for signals of cores. Without one of them, those that come after it do not arrive either.
void DmaEngine::JoinCores(Semaphore& semaphore) {
  std::vector<bool> ordered;
  for (const CoreSignal& signal : semaphore.signals) {
    const auto core = static_cast<std::size_t>(signal.core);
    std::int64_t others = semaphore.arrived;
    for (const CoreSignal& other : semaphore.signals) others -= other.clock[core] >= signal.clock[core] ? other.amount : 0;
    ordered.push_back(others < semaphore.consumed);
  }
  std::vector<CoreSignal> left;
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    if (ordered[i]) machine_.cross_core()->Acquire(machine_.core(), semaphore.signals[i].clock);
    if (!ordered[i]) left.push_back(std::move(semaphore.signals[i]));
  }
  semaphore.signals = std::move(left);
}

std::string DmaEngine::Agent(const Dma& dma) const {
  return "DMA " + std::to_string(dma.number) + (dma.op->location.known() ? " started at " + dma.op->location.ToString() : "");
}

void DmaEngine::NoteAccess(const View& part, bool write, const ir::Op* op) {
  if (part.buffer->in_flight == 0) return;
  const Side side{part, RegionOf(part)};
  for (const Dma* dma : in_flight_) CheckConflict(*dma, side, write, op, nullptr);
}

void DmaEngine::CheckConflict(const Dma& dma, const Side& side, bool write, const ir::Op* op, const Dma* by) {
  const Buffer* buffer = side.view.buffer;
  const auto meets = [&](const Side& other) { return other.view.buffer == buffer && Overlap(other.region, side.region, buffer->shape.size()); };
  if (write && meets(dma.source)) ReportRace(dma, false, side, true, op, by);
  if (meets(dma.target)) ReportRace(dma, true, side, write, op, by);
}

void DmaEngine::ReportRace(const Dma& dma, bool dma_writes, const Side& side, bool write, const ir::Op* op, const Dma* by) {
  const std::string agent = by != nullptr ? Agent(*by) : machine_.name(), region = RegionText(side.view);
  const std::string dma_region = RegionText((dma_writes ? dma.target : dma.source).view);
  Finding finding;
  finding.kind = FindingKind::kRace;
  finding.buffer = side.view.buffer->name;
  finding.location = machine_.LocationOf(op);
  finding.other_location = dma.op->location;
  finding.accesses = {{agent, write, finding.location, region, machine_.grid_point},
                      {Agent(dma), dma_writes, dma.op->location, dma_region, GridPoint(machine_.grid, dma.program)}};
  finding.message = agent + (write ? " writes " : " reads ") + region + " of " + finding.buffer + " while " + Agent(dma) +
                    (dma_writes ? " writes " : " reads ") + dma_region + " of it and was not awaited";
  machine_.Report(std::move(finding));
}

void DmaEngine::ReportLeak(Dma& dma, const Buffer* ended) {
  if (dma.reported) return;
  dma.reported = true;
  const View &source = dma.source.view, &target = dma.target.view;
  Finding finding;
  finding.kind = FindingKind::kLeak;
  finding.buffer = target.buffer->name;
  finding.location = dma.op->location;
  finding.message = Agent(dma) + " (" + RegionText(source) + " of " + source.buffer->name + " to " + RegionText(target) + " of " +
                    target.buffer->name + ") was not awaited when " + (ended == nullptr ? "the kernel ended" : "the scope of " + ended->name + " ended");
  finding.grid_point = GridPoint(machine_.grid, dma.program);
  finding.accesses = {{Agent(dma), true, dma.op->location, RegionText(target), finding.grid_point}};
  machine_.Report(std::move(finding));
}

// What of the DMA ends with this memory. True: nothing of it is left.
bool DmaEngine::EndIn(Dma& dma, const Buffer* ended) {
  const auto ends = [ended](const View& view) { return view.buffer != nullptr && (ended == nullptr || view.buffer == ended); };
  const bool semaphore_ends = ends(dma.semaphore);
  if (!ends(dma.source.view) && !ends(dma.target.view) && !semaphore_ends) return false;
  if (dma.phase != Dma::Phase::kDone) Complete(dma);
  ReportLeak(dma, ended);
  if (semaphore_ends) {
    SemaphoreOf(dma.semaphore).unjoined += dma.bytes;
    dma.semaphore.buffer = nullptr;
  }
  if (ends(dma.source.view)) Drop(dma.source.view);
  if (ends(dma.target.view)) Drop(dma.target.view);
  return dma.semaphore.buffer == nullptr && dma.source.view.buffer == nullptr && dma.target.view.buffer == nullptr;
}

void DmaEngine::EndScope(const Buffer* buffer) {
  if (buffer != nullptr) {
    if (Event* event = machine_.Log(Event::Kind::kScopeEnd, nullptr)) event->first = machine_.event_log()->PartOf(View::Whole(*const_cast<Buffer*>(buffer)));
  }
  Remove([&](Dma& dma) { return EndIn(dma, buffer); });
}

}  // namespace kernel_audit::sim
