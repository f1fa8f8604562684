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

std::size_t FindingLog::Add(Finding finding) {
  int writes = 0;
  for (const FindingAccess& access : finding.accesses) writes = 2 * writes + (access.write ? 1 : 0);
  Key key(finding.kind, finding.buffer, finding.location.file, finding.location.line, finding.other_location.file, finding.other_location.line, writes);
  const auto [found, fresh] = index_.try_emplace(std::move(key), findings_.size());
  if (fresh) {
    findings_.push_back(std::move(finding));
  } else {
    findings_[found->second].occurrences += finding.occurrences;
  }
  return found->second;
}

std::string EndText(std::int64_t start, std::int64_t size) {
  std::int64_t end = 0;
  return std::to_string(__builtin_add_overflow(start, size, &end) ? INT64_MAX : end);
}

std::string RangeText(std::int64_t start, std::int64_t size) { return "[" + std::to_string(start) + ", " + EndText(start, size) + ")"; }

}  // namespace kernel_audit::sim
