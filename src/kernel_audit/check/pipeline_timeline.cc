#include "kernel_audit/check/pipeline_timeline.h"

#include <algorithm>
#include <map>
#include <utility>

#include "kernel_audit/core/printable.h"

namespace kernel_audit::check {
namespace {

using report::SpanKind;
using report::TimelineSpan;
using sim::Event;
using sim::EventPart;

constexpr std::int64_t kMostSlots = 16;

std::string RegionText(const EventPart& part) {
  std::string text;
  for (std::size_t d = 0; d < part.rank; ++d) {
    text += (d == 0 ? "" : ", ") + std::to_string(part.region.start[d]) + ":" + std::to_string(part.region.start[d] + part.region.size[d]);
  }
  return "[" + text + "]";
}

class Builder {
 public:
  Builder(const sim::EventLog& log, int core) : log_(log), core_(core) {}

  report::Timeline Run(std::string title) {
    timeline_.title = core::Printable(title);
    FindLanes();
    FindSlots();
    for (const Event& event : log_.events) {
      if (event.core == core_) Take(event);
    }
    timeline_.steps = next_;
    for (const auto& [dma, spans] : on_their_way_) End(spans, false);
    std::stable_sort(timeline_.spans.begin(), timeline_.spans.end(), [](const TimelineSpan& a, const TimelineSpan& b) { return a.first < b.first; });
    return std::move(timeline_);
  }

 private:
  using Slot = std::pair<std::size_t, int>;  // lane, slot

  struct Lane {
    std::size_t number;
    bool sliced = true;
  };

  bool IsArray(const EventPart& part) const {
    const ir::MemorySpace space = log_.spaces[static_cast<std::size_t>(part.buffer)];
    return space == ir::MemorySpace::kAny || space == ir::MemorySpace::kHbm;
  }
  const std::string& BufferName(const EventPart& part) const { return log_.buffers[static_cast<std::size_t>(part.buffer)]; }
  std::string BlockText(const EventPart& part) const { return core::Printable(BufferName(part) + " " + RegionText(part)); }

  void FindLanes() {
    for (const Event& event : log_.events) {
      if (event.core != core_ || event.kind != Event::Kind::kDmaStart) continue;
      const bool from_array = IsArray(event.first), to_array = IsArray(event.second);
      if (!from_array) AddLane(event.first, to_array ? event.second : event.first);
      if (!to_array) AddLane(event.second, from_array ? event.first : event.second);
      if (from_array && to_array) AddLane(event.second, event.second);
    }
  }

  void AddLane(const EventPart& buffer, const EventPart& named_after) {
    if (!lanes_.try_emplace(buffer.buffer, Lane{timeline_.lanes.size()}).second) return;
    const std::string name = core::Printable(BufferName(named_after));
    const auto same = std::count_if(timeline_.lanes.begin(), timeline_.lanes.end(), [&](const report::TimelineLane& lane) { return lane.name == name || lane.name.starts_with(name + " ("); });
    timeline_.lanes.push_back({same == 0 ? name : name + " (" + std::to_string(same + 1) + ")", 1});
  }

  void FindSlots() {
    for (const Event& event : log_.events) {
      if (event.window) continue;
      for (const EventPart* part : {&event.first, &event.second}) {
        const auto lane = part->buffer < 0 || event.kind == Event::Kind::kScopeEnd ? lanes_.end() : lanes_.find(part->buffer);
        if (lane != lanes_.end() && (part->rank < 2 || part->region.size[0] != 1 || IsArray(*part))) lane->second.sliced = false;
      }
    }
    for (auto& [buffer, lane] : lanes_) {
      const core::Shape& shape = log_.shapes[static_cast<std::size_t>(buffer)];
      lane.sliced = lane.sliced && !shape.empty() && shape[0] <= kMostSlots;
      if (lane.sliced) timeline_.lanes[lane.number].slots = static_cast<int>(shape[0]);
    }
  }

  Slot SlotOf(const EventPart& part) const {
    const Lane& lane = lanes_.at(part.buffer);
    return {lane.number, lane.sliced ? static_cast<int>(part.region.start[0]) : 0};
  }

  void Take(const Event& event) {
    switch (event.kind) {
      case Event::Kind::kRead:
      case Event::Kind::kWrite:
        if (!event.window) Work(event);
        return;
      case Event::Kind::kDmaStart: return Start(event);
      case Event::Kind::kSignal:
      case Event::Kind::kWait:
      case Event::Kind::kBlocked: return void(NextStep());
      case Event::Kind::kDmaJoined: return Join(event.dma, true);
      case Event::Kind::kScopeEnd: return EndScope(event.first.buffer);
      case Event::Kind::kProgram: return EndWork();
    }
  }

  void EndWork() {
    working_ = false;
    worked_on_.clear();
  }

  std::int64_t NextStep() {
    EndWork();
    return next_++;
  }

  void Work(const Event& event) {
    if (!working_) {
      timeline_.work.push_back(NextStep());
      working_ = true;
    }
    if (!lanes_.contains(event.first.buffer)) return;
    const Slot slot = SlotOf(event.first);
    if (!worked_on_.try_emplace(slot, timeline_.spans.size()).second) return;
    const auto holds = holds_.find(slot);
    if (holds == holds_.end()) unnamed_[slot].push_back(timeline_.spans.size());
    Add(slot, SpanKind::kWork, timeline_.work.back(), holds == holds_.end() ? "" : holds->second, event);
  }

  void Add(const Slot& slot, SpanKind kind, std::int64_t first, std::string block, const Event& event) {
    timeline_.spans.push_back({slot.first, slot.second, kind, first, first, true, std::move(block), core::Printable(event.location.ToString())});
  }

  void Start(const Event& event) {
    const std::int64_t step = NextStep();
    std::vector<std::size_t>& spans = on_their_way_[event.dma];
    const bool from_array = IsArray(event.first), to_array = IsArray(event.second);
    if (!from_array) {
      const Slot slot = SlotOf(event.first);
      const std::string block = BlockText(event.second);
      // What was computed is named after where it goes.
      for (const std::size_t span : unnamed_[slot]) timeline_.spans[span].block = block;
      unnamed_.erase(slot);
      spans.push_back(timeline_.spans.size());
      Add(slot, SpanKind::kDmaOut, step, block, event);
    }
    if (!to_array) {
      const Slot slot = SlotOf(event.second);
      holds_[slot] = BlockText(event.first);
      spans.push_back(timeline_.spans.size());
      Add(slot, SpanKind::kDmaIn, step, holds_[slot], event);
    }
    if (from_array && to_array) {
      spans.push_back(timeline_.spans.size());
      Add(SlotOf(event.second), SpanKind::kDmaOut, step, BlockText(event.first) + " to " + BlockText(event.second), event);
    }
  }

  void Join(int dma, bool awaited) {
    const auto found = on_their_way_.find(dma);
    if (found == on_their_way_.end()) return;
    End(found->second, awaited);
    on_their_way_.erase(found);
  }

  void End(const std::vector<std::size_t>& spans, bool awaited) {
    for (const std::size_t span : spans) {
      timeline_.spans[span].last = std::max(timeline_.spans[span].first, next_ - 1);
      timeline_.spans[span].awaited = awaited;
    }
  }

  // Copies that nothing awaited end with the memory.
  void EndScope(int buffer) {
    EndWork();
    const auto lane = lanes_.find(buffer);
    if (lane == lanes_.end()) return;
    for (auto copy = on_their_way_.begin(); copy != on_their_way_.end();) {
      const bool ends = std::any_of(copy->second.begin(), copy->second.end(), [&](std::size_t span) { return timeline_.spans[span].lane == lane->second.number; });
      if (ends) End(copy->second, false);
      copy = ends ? on_their_way_.erase(copy) : std::next(copy);
    }
    std::erase_if(holds_, [&](const auto& held) { return held.first.first == lane->second.number; });
    std::erase_if(unnamed_, [&](const auto& work) { return work.first.first == lane->second.number; });
  }

  const sim::EventLog& log_;
  int core_;
  report::Timeline timeline_;
  std::map<int, Lane> lanes_;  // by buffer
  std::int64_t next_ = 0;
  bool working_ = false;
  std::map<Slot, std::size_t> worked_on_;                 // in this stretch
  std::map<Slot, std::string> holds_;                     // what was copied in last
  std::map<Slot, std::vector<std::size_t>> unnamed_;      // work on what is not yet known
  std::map<int, std::vector<std::size_t>> on_their_way_;  // spans, by DMA
};

}  // namespace

report::Timeline TimelineOf(const sim::EventLog& log, std::string title, int core) { return Builder(log, core).Run(std::move(title)); }

}  // namespace kernel_audit::check
