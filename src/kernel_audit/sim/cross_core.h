// Races between cores. Nothing orders two cores' accesses to an array while a kernel runs, so any two to one element, one of them a
// write, race. Only made for runs with more than one core; remembers the last read and write of each element, a core.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernel_audit/sim/finding.h"
#include "kernel_audit/sim/memory.h"

namespace kernel_audit::sim {

class CrossCore {
 public:
  explicit CrossCore(int cores) : cores_(static_cast<std::size_t>(cores)) {}

  // A whole array that all cores see; memory of one core's own is not registered and never races.
  void Register(const Buffer& buffer);
  // Reports the first element that another core touched in conflict.
  void NoteAccess(FindingLog& log, int core, const View& part, FindingAccess access);

 private:
  struct Event {
    FindingAccess access;
    std::size_t core;
  };
  struct Marks {
    std::vector<std::vector<std::int32_t>> reads, writes;  // a core, an element: 1 + the event's index; 0: none
  };
  void ReportConflict(FindingLog& log, const View& part, const FindingAccess& access, const Event& other) const;

  std::size_t cores_;
  std::map<const Buffer*, Marks> marks_;
  std::vector<Event> events_;
};

}  // namespace kernel_audit::sim
