// Races between cores. Two cores' accesses to one element, one of them a write, race unless a signal and a wait for it order them: each core
// has a clock for itself and for what it knows of the others, a signal carries its core's, a wait takes those that it could not have done
// without. A DMA's accesses are its core's from the wait that joined it on, and unordered with all other cores' before. Where no core
// signals another, nothing orders them. Only made for runs with more than one core. Remembers, for each core and each place in the code, which elements it touched
// (a bit each), and where it first did: what that takes grows with the arrays, not with the number of accesses.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "kernel_audit/ir/kernel.h"
#include "kernel_audit/sim/finding.h"
#include "kernel_audit/sim/memory.h"
#include "kernel_audit/sim/turns.h"

namespace kernel_audit::sim {

class Machine;

class CrossCore {
 public:
  // One core's accesses of one kind at one place.
  struct Site {
    int core;
    const ir::Op* op;  // null: copies of windows
    bool write;
    int dma;  // its number; 0: the core itself
    std::uint32_t epoch = 0;  // of the core's own clock; kInFlight: a DMA that no wait has joined
    bool SamePlace(const Site& other) const {
      return core == other.core && op == other.op && write == other.write && (dma == 0) == (other.dma == 0) && epoch == other.epoch &&
             (epoch != kInFlight || dma == other.dma);
    }
  };
  using Clock = std::vector<std::uint32_t>;

  CrossCore(const ir::Kernel& kernel, Shape grid) : kernel_(kernel), grid_(std::move(grid)) {}

  // A whole array that all cores see; memory of one core's own is not registered and never races.
  void Register(const Buffer& buffer);
  // From here on `machines`, one a core, signal one another and run in turns.
  void Connect(std::vector<Machine*> machines, Schedule schedule);
  // Null: no core signals another.
  Turns* turns() { return turns_.get(); }
  // Null: there is no such core.
  Machine* MachineOf(std::int64_t core) const;
  // The clock of a core that signals. What it does afterwards comes later.
  Clock Release(int core);
  void Acquire(int core, const Clock& clock);
  // A wait of its core joined the DMA.
  void Joined(int core, int dma);

  // HBM that a region of the kernel allocates is one for all cores. Fresh on its first allocation.
  Buffer& SharedMemory(const ir::Op* op, const std::string& name);

  // Reports, for each place where another core touched the same elements in conflict, the first time that it did.
  void NoteAccess(FindingLog& log, const View& part, Site site, std::int64_t program);

 private:
  static constexpr std::uint32_t kInFlight = UINT32_MAX;

  // The first access to some elements.
  struct Access {
    View part;
    std::int64_t program;
    int dma;
  };
  struct Marks {
    Site site;
    std::vector<std::uint64_t> touched;  // a bit an element
    std::vector<Access> first;
    std::size_t number;                  // among all
  };
  Marks& MarksOf(std::vector<Marks>& all, const Site& site, std::size_t elements);
  void Check(FindingLog& log, const View& part, const Marks& mine, const Marks& other, int dma, std::int64_t program);
  bool Ordered(const Site& earlier, int core) const;
  void Forget();
  FindingAccess Describe(const Site& site, const Access& access) const;

  const ir::Kernel& kernel_;
  Shape grid_;
  std::map<const Buffer*, std::vector<Marks>> arrays_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> reported_;  // (mine, other): the finding
  std::size_t sites_ = 0;
  std::vector<Machine*> machines_;
  std::vector<Clock> clocks_;  // one a core; empty: no core signals another
  std::unique_ptr<Turns> turns_;
  std::deque<std::pair<const ir::Op*, Buffer>> shared_;
};

}  // namespace kernel_audit::sim
