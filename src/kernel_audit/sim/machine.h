// One core running a program: registers, references, and what is known about where values came from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernel_audit/sim/cross_core.h"
#include "kernel_audit/sim/dma.h"
#include "kernel_audit/sim/finding.h"
#include "kernel_audit/sim/memory.h"
#include "kernel_audit/sim/program.h"
#include "kernel_audit/sim/run.h"

namespace kernel_audit::sim {

// Where an element without a value was read first.
struct Origin {
  const ir::Op* op;
  const Buffer* buffer;
  FindingAccess access;
  std::string what;  // "672 of the 1024 elements that vector.load reads from the window of input 0 lie past the array's edge, the first is (0, 44)"
};

class Machine {
 public:
  // `cross_core`: null with one core.
  Machine(const Program& program, FindingLog& log, CrossCore* cross_core, const RunOptions& options, int core);

  const Program& program() const { return *program_; }
  bool observe() const { return observe_; }
  // "core 0".
  const std::string& name() const { return name_; }
  DmaEngine& dmas() { return dmas_; }
  int core() const { return core_; }
  // Null with one core; null where cores do not signal one another.
  CrossCore* cross_core() const { return cross_core_; }
  Turns* turns() { return cross_core_ != nullptr ? cross_core_->turns() : nullptr; }
  // What the kernel is given of the core's own, in its order; it must outlive the machine.
  void set_own_memory(std::deque<Buffer>* own) { own_ = own; }
  // The same semaphore on another core; what that core has not yet allocated is kept for it.
  View SemaphoreOn(Machine& other, const View& semaphore);

  // A new event of this core in the log, or null when there is none.
  Event* Log(Event::Kind kind, const ir::Op* op);
  EventLog* event_log() { return events_; }

  // The core itself touches elements (null: as a window is copied); or a DMA does, from its start on.
  void NoteAccess(const View& part, bool write, const ir::Op* op);
  void NoteDmaAccess(const View& part, bool write, const ir::Op* op, int dma);
  // Where an operation was written; null: the kernel's call.
  const core::SourceLocation& LocationOf(const ir::Op* op) const { return op != nullptr ? op->location : program_->kernel().location; }

  // A register's elements, and their states: null when all are valid.
  std::byte* data(int index) { return data_[static_cast<std::size_t>(index)]; }
  ElementState* states(int index) { return index < 0 ? nullptr : states_[static_cast<std::size_t>(index)]; }
  void SetValid(int index) { states_[static_cast<std::size_t>(index)] = nullptr; }
  // Storage for the states of a register's elements; from here on they count.
  ElementState* MakeStates(int index);

  // The states as an array even where all are valid; what it holds then does not count.
  const ElementState* StatesOrValid(int index);

  template <typename T>
  T Scalar(int index) {
    return *reinterpret_cast<T*>(data(index));
  }
  // A scalar integer of any width, sign extended.
  std::int64_t Integer(int index);
  void SetInt32(int index, std::int32_t value);

  View& reference(int index) { return references_[static_cast<std::size_t>(index)]; }

  // Runs a function to its end. Fails with kFailed when the program does more than the work limit allows.
  core::Result<void> Run(const Function& function);

  // One instruction and what becomes of its result's states.
  void Execute(const Instruction& instruction);
  void Jump(int instruction) { next_ = instruction; }
  // Ends the program: it can't go on (a deadlock).
  void Stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }

  // Memory that a region allocates: one buffer an operation, made anew each time it runs.
  Buffer& Allocate(const ir::Op* op);
  // What the operation allocated ends here. Null: all, at the end of the kernel.
  void Free(const ir::Op* op);
  // Semaphores that hold what no unjoined DMA explains are leaks.
  void CheckSemaphores(const Buffer& buffer, const std::string& when);

  // Instructions that work in memory of the decoded program's get memory of this machine's instead: other machines run the program now.
  void KeepOwnWork() { keeps_own_work_ = true; }
  // What an instruction works with: `original`, or a copy (`original.Fresh()`) made at first use.
  template <typename T>
  T& Work(T& original) {
    if (!keeps_own_work_) return original;
    for (const auto& [of, work] : own_work_) {
      if (of == &original) return *static_cast<T*>(work.get());
    }
    own_work_.emplace_back(&original, std::make_shared<T>(original.Fresh()));
    return *static_cast<T*>(own_work_.back().second.get());
  }

  // Elements an instruction may work on in all, over the life of the machine.
  void set_work_limit(std::uint64_t limit) { work_left_ = limit; }
  // Work besides instructions: elements that were copied, and what is done for each program.
  void Charge(std::uint64_t work) { work_left_ -= std::min(work_left_, work); }

  // The grid, all of its extents known: the kernel's unless somebody sets another.
  Shape grid;
  // The program that runs now; empty without a grid.
  Shape grid_point;
  std::int64_t program_number = 0;

  // Elements that were never written become "read at `op` before anything was written".
  void NameOrigins(const ir::Op* op, const View& part, ElementState* states, std::size_t elements);
  // The state that stands for "read here before anything was written": `count` of the view's elements, the first of them at `first`.
  ElementState OriginAt(const ir::Op* op, const View& view, std::int64_t first, std::int64_t count);
  const Origin& origin(ElementState state) const { return (*origins_)[state - kFirstOrigin]; }
  // Cores that see the same arrays number origins together.
  void ShareOriginsWith(const Machine& other) { origins_ = other.origins_; }

  // A value without a value matters here: `use` says what for ("the condition of a branch").
  void ReportUninitialized(ElementState state, const ir::Op* op, const std::string& use);
  // The same, for a scalar register.
  void CheckScalar(int index, const ir::Op* op, const char* use);
  void Report(Finding finding);

 private:
  const Program* program_;
  FindingLog* log_;
  CrossCore* cross_core_;
  EventLog* events_;
  int core_;
  bool observe_;
  bool stopped_ = false;
  std::string name_;
  std::deque<Buffer>* own_ = nullptr;
  DmaEngine dmas_;
  struct Scoped {
    Buffer buffer;
    bool live = false;
    bool early = false;  // another core signalled before this one allocated it
  };
  Scoped& MakeScoped(const ir::Op* op);
  Scoped* FindScoped(const ir::Op* op);
  void EndMemory(Scoped& scoped, const char* when);

  std::vector<std::pair<const ir::Op*, std::unique_ptr<Scoped>>> allocated_;  // in the order they first ran
  bool keeps_own_work_ = false;
  std::vector<std::pair<const void*, std::shared_ptr<void>>> own_work_;
  int next_ = 0;
  std::uint64_t work_left_ = UINT64_MAX;
  std::vector<std::byte> arena_;
  std::vector<std::byte*> data_;
  std::vector<ElementState*> states_;
  std::vector<std::unique_ptr<ElementState[]>> state_storage_;
  std::vector<View> references_;
  std::shared_ptr<std::vector<Origin>> origins_ = std::make_shared<std::vector<Origin>>();
};

// Copies a register to another one of the same type, states included.
void CopyRegister(Machine& machine, int to, int from);

}  // namespace kernel_audit::sim
