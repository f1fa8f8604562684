#include "kernel_audit/sim/cross_core.h"

#include <algorithm>
#include <string>

#include "kernel_audit/sim/bitcast_view.h"
#include "kernel_audit/sim/run.h"

namespace kernel_audit::sim {
namespace {

// Calls f(word, mask) for the words of the bits [first, first + count) until it gives true.
template <typename F>
bool ForWords(std::int64_t first, std::int64_t count, F&& f) {
  const std::int64_t end = first + count;
  while (first < end) {
    const std::int64_t bit = first % 64, bits = std::min<std::int64_t>(64 - bit, end - first);
    const std::uint64_t mask = (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1) << bit;
    if (f(static_cast<std::size_t>(first / 64), mask)) return true;
    first += bits;
  }
  return false;
}

// Calls f(first element, how many) for what the view touches of its buffer.
template <typename F>
void ForRuns(const View& part, F&& f) {
  if (part.plain()) return part.ForEachRun(f);
  for (std::int64_t i = 0; i < NumPlainParts(part); ++i) PlainPart(part, i).ForEachRun(f);
}

bool Meets(const std::vector<std::uint64_t>& touched, const View& part) {
  bool met = false;
  ForRuns(part, [&](std::int64_t element, std::int64_t run) {
    met = met || ForWords(element, run, [&](std::size_t word, std::uint64_t mask) { return (touched[word] & mask) != 0; });
  });
  return met;
}

// Whether an element was not yet touched.
bool Touch(std::vector<std::uint64_t>& touched, const View& part) {
  bool fresh = false;
  ForRuns(part, [&](std::int64_t element, std::int64_t run) {
    ForWords(element, run, [&](std::size_t word, std::uint64_t mask) {
      fresh = fresh || (touched[word] & mask) != mask;
      touched[word] |= mask;
      return false;
    });
  });
  return fresh;
}

}  // namespace

void CrossCore::Register(const Buffer& buffer) { arrays_[&buffer]; }

void CrossCore::Connect(std::vector<Machine*> machines, Schedule schedule) {
  machines_ = std::move(machines);
  clocks_.assign(machines_.size(), Clock(machines_.size(), 0));
  for (std::size_t core = 0; core < clocks_.size(); ++core) clocks_[core][core] = 1;
  turns_ = std::make_unique<Turns>(static_cast<int>(machines_.size()), schedule);
}

Machine* CrossCore::MachineOf(std::int64_t core) const {
  return core >= 0 && core < static_cast<std::int64_t>(machines_.size()) ? machines_[static_cast<std::size_t>(core)] : nullptr;
}

CrossCore::Clock CrossCore::Release(int core) {
  Clock& clock = clocks_[static_cast<std::size_t>(core)];
  Clock released = clock;
  ++clock[static_cast<std::size_t>(core)];
  return released;
}

void CrossCore::Acquire(int core, const Clock& clock) {
  Clock& mine = clocks_[static_cast<std::size_t>(core)];
  for (std::size_t c = 0; c < mine.size(); ++c) mine[c] = std::max(mine[c], clock[c]);
  Forget();
}

// What every core knows of is ordered before all that comes.
void CrossCore::Forget() {
  for (auto& [_, all] : arrays_) {
    std::erase_if(all, [&](const Marks& marks) {
      for (std::size_t core = 0; core < clocks_.size(); ++core) {
        if (!Ordered(marks.site, static_cast<int>(core))) return false;
      }
      return true;
    });
  }
}

void CrossCore::Joined(int core, int dma) {
  if (clocks_.empty()) return;
  const std::uint32_t now = clocks_[static_cast<std::size_t>(core)][static_cast<std::size_t>(core)];
  for (auto& [_, all] : arrays_) {
    for (Marks& marks : all) {
      if (marks.site.core == core && marks.site.epoch == kInFlight && marks.site.dma == dma) marks.site.epoch = now;
    }
  }
}

bool CrossCore::Ordered(const Site& earlier, int core) const {
  if (clocks_.empty() || earlier.epoch == kInFlight) return false;
  return clocks_[static_cast<std::size_t>(core)][static_cast<std::size_t>(earlier.core)] >= earlier.epoch;
}

Buffer& CrossCore::SharedMemory(const ir::Op* op, const std::string& name) {
  for (auto& [known, buffer] : shared_) {
    if (known == op) return buffer;
  }
  const ir::Type& type = op->result()->type;
  Buffer& buffer = shared_.emplace_back(op, Buffer::Own(name, type.space, type.shape, type.dtype)).second;
  buffer.shadow.Reset(buffer.elements, kUnwritten);
  Register(buffer);
  return buffer;
}

CrossCore::Marks& CrossCore::MarksOf(std::vector<Marks>& all, const Site& site, std::size_t elements) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Marks& marks) { return marks.site.SamePlace(site); });
  if (found != all.end()) return *found;
  return all.emplace_back(Marks{site, std::vector<std::uint64_t>((elements + 63) / 64), {}, sites_++});
}

void CrossCore::NoteAccess(FindingLog& log, const View& part, Site site, std::int64_t program) {
  const auto array = arrays_.find(part.buffer);
  if (array == arrays_.end()) return;
  if (!clocks_.empty()) site.epoch = site.dma != 0 ? kInFlight : clocks_[static_cast<std::size_t>(site.core)][static_cast<std::size_t>(site.core)];
  Marks& mine = MarksOf(array->second, site, part.buffer->elements);
  for (const Marks& other : array->second) {
    if (other.site.core != site.core && (other.site.write || site.write) && !Ordered(other.site, site.core)) Check(log, part, mine, other, site.dma, program);
  }
  if (Touch(mine.touched, part)) mine.first.push_back({part, program, site.dma});
}

void CrossCore::Check(FindingLog& log, const View& part, const Marks& mine, const Marks& other, int dma, std::int64_t program) {
  if (!Meets(other.touched, part)) return;
  const auto [known, fresh] = reported_.try_emplace({mine.number, other.number}, 0);
  if (!fresh) return log.Repeat(known->second);
  const auto earlier = std::find_if(other.first.begin(), other.first.end(), [&](const Access& access) { return Overlap(access.part, part); });
  Finding finding;
  finding.kind = FindingKind::kRace;
  finding.buffer = part.buffer->name;
  finding.accesses = {Describe(mine.site, {part, program, dma}), Describe(other.site, *earlier)};
  const FindingAccess &now = finding.accesses[0], &before = finding.accesses[1];
  finding.location = now.location;
  finding.other_location = before.location;
  finding.grid_point = now.grid_point;
  finding.message = now.agent + (now.write ? " writes " : " reads ") + now.region + " of " + finding.buffer + " and " + before.agent +
                    (before.write ? " writes " : " reads ") + before.region + " of it in program " + core::ToString(before.grid_point) +
                    "; nothing orders the two cores";
  known->second = log.Add(std::move(finding));
}

FindingAccess CrossCore::Describe(const Site& site, const Access& access) const {
  const core::SourceLocation& location = site.op != nullptr ? site.op->location : kernel_.location;
  std::string agent = "core " + std::to_string(site.core);
  if (access.dma != 0) agent += "'s DMA " + std::to_string(access.dma) + (location.known() ? " started at " + location.ToString() : "");
  return {agent, site.write, location, RegionText(access.part), GridPoint(grid_, access.program)};
}

}  // namespace kernel_audit::sim
