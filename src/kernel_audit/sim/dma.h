// DMAs, semaphores and the races between them and a core.
//
// A DMA is an agent of its own from its start until a wait joins it: it reads its source, then writes its target, then adds the target's
// bytes to its semaphore. Whatever the core or another DMA does to these elements in between is unordered, and a race where either
// writes. A wait that brings a semaphore's consumption to V joins exactly those DMAs without which the signals that could have arrived
// by then sum to less than V. Each core has its own semaphores, so what could have arrived is what was started or signalled before.
// None of this depends on when data moves: the schedule changes values of racy programs, never the verdict.
//
// Where memory ends before a wait joined a DMA that uses it, the DMA is a leak. It stays unordered with all that touches its other memory,
// and a wait on its semaphore, if that lives on, still joins it.
#pragma once

#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "kernel_audit/sim/finding.h"
#include "kernel_audit/sim/memory.h"

namespace kernel_audit::sim {

class Machine;

// When DMAs move their data.
struct Schedule {
  enum class Kind {
    kEarly,   // at their start
    kLate,    // when a wait needs them, the newest first
    kRandom,  // at any step in between, source and target apart
  };
  Kind kind = Kind::kEarly;
  std::uint64_t seed = 0;
};

class DmaEngine {
 public:
  DmaEngine(Machine& machine, Schedule schedule) : machine_(machine), schedule_(schedule), random_(schedule.seed) {}

  void Start(const ir::Op* op, const View& source, const View& target, const View& semaphore);
  void Signal(const ir::Op* op, const View& semaphore, std::int64_t amount);
  // Lets other cores run that signal this one.
  void Yield();
  // False: nothing that is on its way can end this wait. The deadlock was reported.
  bool Wait(const ir::Op* op, const View& semaphore, std::int64_t amount);
  std::int64_t Value(const View& semaphore);

  // The core (null: as it copies a window) touches elements: a race with every DMA in flight that conflicts.
  void NoteAccess(const View& part, bool write, const ir::Op* op);
  // Lets time pass: DMAs may move data now.
  void Tick();
  // True while that may be.
  bool moves_at_any_time() const { return schedule_.kind == Schedule::Kind::kRandom && !in_flight_.empty(); }

  // This memory ends here; null: the kernel does, and with it everything.
  void EndScope(const Buffer* buffer);

  // How many DMAs were started, and the bytes that they copy.
  std::int64_t started() const { return started_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  // Memory that a DMA touches.
  struct Side {
    View view;      // without a buffer: its memory has ended
    Region region;
  };
  struct Dma {
    int number;
    const ir::Op* op;
    Side source, target;
    View semaphore;  // as above
    std::int64_t bytes;
    std::int64_t program;  // its number
    enum class Phase { kStarted, kRead, kDone } phase;
    bool reported;  // as a leak
    std::vector<std::byte> staged;
  };

  static Semaphore& SemaphoreOf(const View& view);
  Dma& Take();
  // Takes those out of flight for which `ended` is true.
  template <typename F>
  void Remove(F&& ended);
  void Advance(Dma& dma);
  void Complete(Dma& dma);
  void MoveStates(const Dma& dma);
  bool CompleteOne(const Semaphore& semaphore);
  void ReportDeadlock(const ir::Op* op, const View& semaphore, std::int64_t amount);
  void Join(const ir::Op* op, const Semaphore& semaphore);
  void JoinCores(Semaphore& semaphore);
  void CheckStart(const Dma& dma);
  // `by`: the DMA that touches `side`; null: the core.
  void CheckConflict(const Dma& dma, const Side& side, bool write, const ir::Op* op, const Dma* by);
  void ReportRace(const Dma& dma, bool dma_writes, const Side& side, bool write, const ir::Op* op, const Dma* by);
  void ReportLeak(Dma& dma, const Buffer* ended);
  bool EndIn(Dma& dma, const Buffer* ended);
  std::string Agent(const Dma& dma) const;

  Machine& machine_;
  Schedule schedule_;
  std::mt19937_64 random_;
  std::deque<Dma> dmas_;         // all that were ever in flight at once
  std::vector<Dma*> free_;       // of these
  std::vector<Dma*> in_flight_;  // the others, in the order of their starts
  int started_ = 0;
  std::int64_t bytes_ = 0;
  std::vector<ElementState> states_;
};

}  // namespace kernel_audit::sim
