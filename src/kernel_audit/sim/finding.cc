#include "kernel_audit/sim/finding.h"

namespace kernel_audit::sim {

const char* Name(FindingKind kind) {
  switch (kind) {
    case FindingKind::kRace: return "race";
    case FindingKind::kDeadlock: return "deadlock";
    case FindingKind::kLeak: return "leak";
    case FindingKind::kOutOfBounds: return "out_of_bounds";
    case FindingKind::kUninitialized: return "uninitialized";
    case FindingKind::kOwnership: return "ownership";
    case FindingKind::kCapacity: return "capacity";
  }
  return "?";
}

void FindingLog::Add(Finding finding) {
  Key key(finding.kind, finding.buffer, finding.location.file, finding.location.line, finding.other_location.file, finding.other_location.line);
  const auto [found, fresh] = index_.try_emplace(std::move(key), findings_.size());
  if (fresh) {
    findings_.push_back(std::move(finding));
  } else {
    findings_[found->second].occurrences += finding.occurrences;
  }
}

}  // namespace kernel_audit::sim
