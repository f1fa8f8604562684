#include "kernel_audit/sim/cross_core.h"

#include <algorithm>

namespace kernel_audit::sim {

void CrossCore::Register(const Buffer& buffer) {
  Marks& marks = marks_[&buffer];
  marks.reads.assign(cores_, std::vector<std::int32_t>(buffer.elements));
  marks.writes = marks.reads;
}

void CrossCore::NoteAccess(FindingLog& log, int core, const View& part, FindingAccess access) {
  const auto found = marks_.find(part.buffer);
  if (found == marks_.end()) return;
  Marks& marks = found->second;
  const auto mine = static_cast<std::size_t>(core);
  events_.push_back({access, mine});
  const auto number = static_cast<std::int32_t>(events_.size());
  std::int32_t conflict = 0;
  part.ForEachRun([&](std::int64_t element, std::int64_t run) {
    for (std::int64_t e = element; e < element + run; ++e) {
      const auto at = static_cast<std::size_t>(e);
      for (std::size_t other = 0; other < cores_ && conflict == 0; ++other) {
        if (other == mine) continue;
        conflict = marks.writes[other][at];
        if (conflict == 0 && access.write) conflict = marks.reads[other][at];
      }
      (access.write ? marks.writes : marks.reads)[mine][at] = number;
    }
  });
  if (conflict != 0) ReportConflict(log, part, access, events_[static_cast<std::size_t>(conflict - 1)]);
}

void CrossCore::ReportConflict(FindingLog& log, const View& part, const FindingAccess& access, const Event& other) const {
  Finding finding;
  finding.kind = FindingKind::kRace;
  finding.buffer = part.buffer->name;
  finding.location = access.location;
  finding.other_location = other.access.location;
  finding.grid_point = access.grid_point;
  finding.accesses = {access, other.access};
  finding.message = access.agent + (access.write ? " writes " : " reads ") + access.region + " of " + part.buffer->name + " and " + other.access.agent +
                    (other.access.write ? " writes " : " reads ") + other.access.region + " of it in program " + core::ToString(other.access.grid_point) +
                    "; nothing orders the two cores";
  log.Add(std::move(finding));
}

}  // namespace kernel_audit::sim
