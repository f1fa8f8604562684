#include "races/compare.h"

#include <map>
#include <set>

namespace kernel_audit::testing {
namespace {

using sim::Finding;
using sim::FindingKind;

struct Count {
  std::int64_t reported = 0, true_ones = 0;
  bool between_cores = false;  // such pairs are counted by the region, not by the access
};

std::string Side(bool write, const core::SourceLocation& location) { return (write ? " write at " : " read at ") + location.ToString(); }

std::string AgentText(const OracleAccess& access, bool between_cores) {
  const std::string core = "core " + std::to_string(access.core);
  if (access.dma == 0) return core;
  return (between_cores ? core + "'s " : "") + "DMA " + std::to_string(access.dma) + " started at " + access.location.ToString();
}

std::string Details(const std::string& agent, const std::string& region, const Shape& point) { return " " + agent + " " + region + " " + core::ToString(point); }

class Comparison {
 public:
  explicit Comparison(const Shape& grid) : grid_(grid) {}

  void Add(const OracleVerdict& verdict) {
    for (const OracleRace& race : verdict.races) {
      const bool between = race.later.core != race.earlier.core;
      const std::string key = "race of " + race.buffer + Side(race.later.write, race.later.location) + Side(race.earlier.write, race.earlier.location);
      Count& count = counts_[key];
      ++count.true_ones;
      count.between_cores = count.between_cores || between;
      examples_.insert(key + Example(race.later, between) + Example(race.earlier, between));
    }
    for (const OracleLeak& leak : verdict.leaks) {
      ++counts_[std::string(leak.is_semaphore ? "semaphore" : "DMA") + " leak of " + leak.buffer + " at " + leak.location.ToString()].true_ones;
    }
    for (const OracleDeadlock& deadlock : verdict.deadlocks) ++counts_["deadlock of " + deadlock.buffer + " at " + deadlock.location.ToString()].true_ones;
    differences_ = verdict.contradictions;
  }

  void Add(const Finding& finding) {
    switch (finding.kind) {
      case FindingKind::kRace: return AddRace(finding);
      case FindingKind::kLeak: {
        const bool semaphore = finding.message.rfind("semaphore ", 0) == 0;
        counts_[std::string(semaphore ? "semaphore" : "DMA") + " leak of " + finding.buffer + " at " + finding.location.ToString()].reported += finding.occurrences;
        return;
      }
      case FindingKind::kDeadlock: counts_["deadlock of " + finding.buffer + " at " + finding.location.ToString()].reported += finding.occurrences; return;
      default: return;
    }
  }

  std::vector<std::string> Finish() {
    for (const auto& [key, count] : counts_) {
      if (count.reported == 0) differences_.push_back("missed: " + key);
      if (count.true_ones == 0) differences_.push_back("false: " + key);
      const bool miscounted = !count.between_cores && count.reported != count.true_ones;
      if (count.reported > 0 && count.true_ones > 0 && miscounted) {
        differences_.push_back(std::to_string(count.reported) + " times instead of " + std::to_string(count.true_ones) + ": " + key);
      }
    }
    return std::move(differences_);
  }

 private:
  std::string Example(const OracleAccess& access, bool between) const {
    return Details(AgentText(access, between), access.region, sim::GridPoint(grid_, access.program));
  }

  void AddRace(const Finding& finding) {
    // A prefetch table that the body changes is no matter of timing.
    if (finding.accesses[1].agent == "the index maps") return;
    const auto &later = finding.accesses[0], &earlier = finding.accesses[1];
    const std::string key = "race of " + finding.buffer + Side(later.write, later.location) + Side(earlier.write, earlier.location);
    counts_[key].reported += finding.occurrences;
    const std::string example = key + Details(later.agent, later.region, later.grid_point) + Details(earlier.agent, earlier.region, earlier.grid_point);
    if (examples_.count(example) == 0) differences_.push_back("no such pair: " + example);
  }

  const Shape& grid_;
  std::map<std::string, Count> counts_;
  std::set<std::string> examples_;
  std::vector<std::string> differences_;
};

}  // namespace

std::vector<std::string> Disagreements(const sim::Report& report, const Shape& grid, const sim::EventLog& log) {
  Comparison comparison(grid);
  comparison.Add(Judge(log));
  for (const Finding& finding : report.findings) comparison.Add(finding);
  return comparison.Finish();
}

}  // namespace kernel_audit::testing
