// Races between cores. Nothing orders two cores' accesses to an array while a kernel runs, so any two to one element, one of them a
// write, race. Only made for runs with more than one core. Remembers, for each core and each place in the code, which elements it touched
// (a bit each), and where it first did: what that takes grows with the arrays, not with the number of accesses.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "kernel_audit/ir/kernel.h"
#include "kernel_audit/sim/finding.h"
#include "kernel_audit/sim/memory.h"

namespace kernel_audit::sim {

class CrossCore {
 public:
  // One core's accesses of one kind at one place.
  struct Site {
    int core;
    const ir::Op* op;  // null: copies of windows
    bool write;
    int dma;  // its number; 0: the core itself
    bool SamePlace(const Site& other) const {
      return core == other.core && op == other.op && write == other.write && (dma == 0) == (other.dma == 0);
    }
  };

  CrossCore(const ir::Kernel& kernel, Shape grid) : kernel_(kernel), grid_(std::move(grid)) {}

  // A whole array that all cores see; memory of one core's own is not registered and never races.
  void Register(const Buffer& buffer);
  // Reports, for each place where another core touched the same elements in conflict, the first time that it did.
  void NoteAccess(FindingLog& log, const View& part, Site site, std::int64_t program);

 private:
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
  FindingAccess Describe(const Site& site, const Access& access) const;

  const ir::Kernel& kernel_;
  Shape grid_;
  std::map<const Buffer*, std::vector<Marks>> arrays_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> reported_;  // (mine, other): the finding
  std::size_t sites_ = 0;
};

}  // namespace kernel_audit::sim
