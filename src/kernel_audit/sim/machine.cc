#include "kernel_audit/sim/machine.h"

#include <algorithm>
#include <cstring>

namespace kernel_audit::sim {
namespace {

constexpr std::size_t kAlignment = 64;

std::string UnsetText(const ir::Op* op, const View& view, std::int64_t first, std::int64_t count) {
  const std::string name = view.buffer->name, index = core::ToString(ElementIndex(*view.buffer, first));
  const bool outside = view.buffer->past_edge;
  if (view.elements() == 1) return "element " + index + " of " + name + (outside ? " lies past the array's edge" : " was read before anything was written to it");
  return std::to_string(count) + " of the " + std::to_string(view.elements()) + " elements that " + op->info().name + " reads from " + name +
         (outside ? " lie past the array's edge" : " were never written") + ", the first is " + index;
}

// The operation's place among the allocations of its region and how many these are; {0, 0}: it is not inside.
std::pair<int, int> PlaceOf(const ir::Op& wanted, const ir::Region& region) {
  int place = 0, count = 0;
  for (const ir::Op* op : region.ops) {
    if (op->code == ir::OpCode::kAlloca || op->code == ir::OpCode::kSemAlloc) ++count;
    if (op == &wanted) place = count;
    for (const ir::Region* inner : op->regions) {
      if (const auto found = PlaceOf(wanted, *inner); found.first > 0) return found;
    }
  }
  return place > 0 ? std::pair(place, count) : std::pair(0, 0);
}

// "the scoped memory 2 at model.cpp:12": run_scoped's second, numbered where there are several.
std::string ScopedName(const ir::Op& op, const ir::Kernel& kernel) {
  const auto [place, count] = PlaceOf(op, *kernel.body);
  return "the scoped memory" + (count > 1 ? " " + std::to_string(place) : "") + (op.location.known() ? " at " + op.location.ToString() : "");
}

}  // namespace

Machine::Machine(const Program& program, FindingLog& log, CrossCore* cross_core, const RunOptions& options, int core)
    : grid(program.kernel().grid), program_(&program), log_(&log), cross_core_(cross_core), events_(options.observe ? options.events : nullptr), core_(core), observe_(options.observe), name_("core " + std::to_string(core)),
      dmas_(*this, options.schedule), arena_(program.arena_size() + kAlignment) {
  const auto misaligned = reinterpret_cast<std::uintptr_t>(arena_.data()) % kAlignment;
  std::byte* base = arena_.data() + (misaligned == 0 ? 0 : kAlignment - misaligned);
  for (const Register& made : program.registers()) data_.push_back(base + made.offset);
  states_.resize(program.registers().size());
  state_storage_.resize(program.registers().size());
  references_.resize(static_cast<std::size_t>(program.num_references()));
  for (const auto& [index, constant] : program.constants()) {
    const Register& made = program.registers()[static_cast<std::size_t>(index)];
    if (constant.splat) {
      ops::Fill(data(index), constant.bytes.data(), made.element_size, made.elements);
    } else {
      std::memcpy(data(index), constant.bytes.data(), constant.bytes.size());
    }
  }
}

ElementState* Machine::MakeStates(int index) {
  auto& storage = state_storage_[static_cast<std::size_t>(index)];
  if (storage == nullptr) storage = std::make_unique<ElementState[]>(program_->registers()[static_cast<std::size_t>(index)].elements);
  return states_[static_cast<std::size_t>(index)] = storage.get();
}

const ElementState* Machine::StatesOrValid(int index) {
  if (const ElementState* known = states(index)) return known;
  ElementState* valid = MakeStates(index);
  std::fill_n(valid, program_->registers()[static_cast<std::size_t>(index)].elements, kValid);
  SetValid(index);
  return valid;
}

std::int64_t Machine::Integer(int index) {
  switch (program_->registers()[static_cast<std::size_t>(index)].element_size) {
    case 1: return Scalar<std::int8_t>(index);
    case 2: return Scalar<std::int16_t>(index);
    case 4: return Scalar<std::int32_t>(index);
    default: return Scalar<std::int64_t>(index);
  }
}

void Machine::SetInt32(int index, std::int32_t value) { std::memcpy(data(index), &value, sizeof value); }

core::Result<void> Machine::Run(const Function& function) {
  const Instruction* code = program_->code().data();
  next_ = function.entry;
  for (;;) {
    const Instruction& instruction = code[next_++];
    const std::uint64_t work = instruction.elements + kInstructionWork;
    if (work > work_left_) {
      return core::Fail(core::ErrorCode::kFailed, "the kernel was stopped: it does more work than the limit allows", instruction.op->location);
    }
    work_left_ -= work;
    if (instruction.run == nullptr || stopped_) return {};
    Execute(instruction);
  }
}

void Machine::Execute(const Instruction& instruction) {
  instruction.run(*this, instruction);
  if (!observe_ || instruction.propagate == nullptr) return;
  const bool all_valid = states(instruction.sources[0]) == nullptr && states(instruction.sources[1]) == nullptr &&
                         states(instruction.sources[2]) == nullptr;
  if (all_valid) {
    SetValid(instruction.target);
  } else {
    instruction.propagate(*this, instruction);
  }
}

ElementState Machine::OriginAt(const ir::Op* op, const View& view, std::int64_t first, std::int64_t count) {
  constexpr std::size_t kMost = 255 - kFirstOrigin;
  for (std::size_t i = 0; i < origins_->size(); ++i) {
    if ((*origins_)[i].op == op && (*origins_)[i].buffer == view.buffer) return static_cast<ElementState>(i + kFirstOrigin);
  }
  const std::string agent = op->code == ir::OpCode::kEnqueueDma ? "a DMA that " + name_ + " started" : name_;
  if (origins_->size() < kMost) {
    origins_->push_back({op, view.buffer, {agent, false, op->location, RegionText(view), grid_point}, UnsetText(op, view, first, count)});
  }
  return static_cast<ElementState>(origins_->size() - 1 + kFirstOrigin);
}

Event* Machine::Log(Event::Kind kind, const ir::Op* op) {
  if (events_ == nullptr || events_->events.size() >= events_->most) return nullptr;
  Event& event = events_->events.emplace_back();
  event.kind = kind;
  event.core = core_;
  event.program = program_number;
  event.location = LocationOf(op);
  return &event;
}

void Machine::NoteAccess(const View& part, bool write, const ir::Op* op) {
  if (Event* event = Log(write ? Event::Kind::kWrite : Event::Kind::kRead, op)) {
    event->first = events_->PartOf(part);
    event->window = op == nullptr;
  }
  dmas_.NoteAccess(part, write, op);
  if (cross_core_ != nullptr) cross_core_->NoteAccess(*log_, part, {core_, op, write, 0}, program_number);
}

void Machine::NoteDmaAccess(const View& part, bool write, const ir::Op* op, int dma) {
  if (cross_core_ != nullptr) cross_core_->NoteAccess(*log_, part, {core_, op, write, dma}, program_number);
}

void Machine::NameOrigins(const ir::Op* op, const View& part, ElementState* states, std::size_t elements) {
  const auto first = std::find(states, states + elements, kUnwritten);
  if (first == states + elements) return;
  const std::int64_t at = part.ElementAt(first - states);
  std::replace(first, states + elements, kUnwritten, OriginAt(op, part, at, std::count(first, states + elements, kUnwritten)));
}

Machine::Scoped& Machine::MakeScoped(const ir::Op* op) {
  const ir::Type& type = op->result()->type;
  Buffer fresh = Buffer::Own(ScopedName(*op, program_->kernel()), type.space, type.shape, type.dtype);
  return *allocated_.emplace_back(op, std::make_unique<Scoped>(Scoped{std::move(fresh)})).second;
}

View Machine::SemaphoreOn(Machine& other, const View& semaphore) {
  View there = semaphore;
  for (std::size_t i = 0; i < own_->size(); ++i) {
    if (&(*own_)[i] == semaphore.buffer) there.buffer = &(*other.own_)[i];
  }
  for (const auto& [op, scoped] : allocated_) {
    if (&scoped->buffer != semaphore.buffer) continue;
    Scoped* theirs = other.FindScoped(op);
    if (theirs == nullptr) theirs = &other.MakeScoped(op);
    if (!theirs->live) {
      theirs->live = theirs->early = true;
      std::fill(theirs->buffer.semaphores.begin(), theirs->buffer.semaphores.end(), Semaphore());
    }
    there.buffer = &theirs->buffer;
  }
  return there;
}

Buffer& Machine::Allocate(const ir::Op* op) {
  const ir::Type& type = op->result()->type;
  const bool everybodys = type.space == MemorySpace::kHbm || type.space == MemorySpace::kAny;
  if (everybodys && cross_core_ != nullptr) return cross_core_->SharedMemory(op, ScopedName(*op, program_->kernel()));
  Scoped* scoped = FindScoped(op);
  if (scoped == nullptr) {
    scoped = &MakeScoped(op);
  } else if (scoped->early) {
    scoped->early = false;
    return scoped->buffer;
  } else {
    if (scoped->live) EndMemory(*scoped, "it was allocated again");
    scoped->buffer.FillUndefined();
  }
  Buffer& buffer = scoped->buffer;
  scoped->live = true;
  buffer.shadow.Reset(buffer.elements, core::IsSemaphore(type.dtype) ? kValid : kUnwritten);
  std::fill(buffer.semaphores.begin(), buffer.semaphores.end(), Semaphore());
  return buffer;
}

Machine::Scoped* Machine::FindScoped(const ir::Op* op) {
  const auto found = std::find_if(allocated_.begin(), allocated_.end(), [op](const auto& each) { return each.first == op; });
  return found == allocated_.end() ? nullptr : found->second.get();
}

void Machine::EndMemory(Scoped& scoped, const char* when) {
  if (!scoped.live) return;
  scoped.live = false;
  dmas_.EndScope(&scoped.buffer);
  CheckSemaphores(scoped.buffer, when);
}

void Machine::Free(const ir::Op* op) {
  if (op != nullptr) {
    if (Scoped* scoped = FindScoped(op)) EndMemory(*scoped, "its scope ended");
    return;
  }
  dmas_.EndScope(nullptr);
  for (auto& [_, scoped] : allocated_) EndMemory(*scoped, "the kernel ended");
}

void Machine::CheckSemaphores(const Buffer& buffer, const std::string& when) {
  for (std::size_t i = 0; i < buffer.semaphores.size(); ++i) {
    const Semaphore& semaphore = buffer.semaphores[i];
    if (semaphore.value >= 0 && semaphore.value <= semaphore.unjoined) continue;
    Finding finding;
    finding.kind = FindingKind::kLeak;
    finding.buffer = buffer.name;
    if (semaphore.signalled_by != nullptr) finding.location = semaphore.signalled_by->location;
    finding.message = "semaphore " + core::ToString(ElementIndex(buffer, static_cast<std::int64_t>(i))) + " of " + buffer.name + " holds " +
                      std::to_string(semaphore.value) + " when " + when + "; it must be zero";
    Report(std::move(finding));
  }
}

void Machine::Report(Finding finding) {
  if (finding.grid_point.empty()) finding.grid_point = grid_point;
  log_->Add(std::move(finding));
}

void Machine::ReportUninitialized(ElementState state, const ir::Op* op, const std::string& use) {
  const Origin& from = origin(state);
  Finding finding;
  finding.kind = FindingKind::kUninitialized;
  finding.buffer = from.buffer->name;
  finding.message = from.what + ", and what was read becomes " + use;
  finding.location = LocationOf(op);
  finding.other_location = from.op->location;
  finding.accesses = {from.access};
  Report(std::move(finding));
}

void Machine::CheckScalar(int index, const ir::Op* op, const char* use) {
  const ElementState* state = states(index);
  if (state != nullptr && *state >= kFirstOrigin) ReportUninitialized(*state, op, use);
}

void CopyRegister(Machine& machine, int to, int from) {
  const Register& made = machine.program().registers()[static_cast<std::size_t>(to)];
  std::memcpy(machine.data(to), machine.data(from), made.elements * made.element_size);
  const ElementState* states = machine.states(from);
  if (states == nullptr) return machine.SetValid(to);
  std::memcpy(machine.MakeStates(to), states, made.elements);
}

}  // namespace kernel_audit::sim
