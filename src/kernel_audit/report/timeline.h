// A pipeline's timeline: when copies were on their way and when the core worked, counted in simulated steps.
//
// A step is one thing that the core does: it starts a copy, waits for one, signals, or works on blocks until it next does any of these.
// Steps are an order. They are no time: two of them need not take equally long, on a TPU or anywhere.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kernel_audit::report {

enum class SpanKind { kDmaIn, kWork, kDmaOut };

// "copy in", "work", "copy out".
const char* Name(SpanKind kind);

// A buffer: "input 0".
struct TimelineLane {
  std::string name;
  int slots = 1;
};

struct TimelineSpan {
  std::size_t lane = 0;
  int slot = 0;
  SpanKind kind = SpanKind::kWork;
  std::int64_t first = 0, last = 0;  // steps, both inside: of a copy, its start and the wait that it was joined by
  bool awaited = true;               // false: a copy that nothing waited for
  std::string block;                 // "input 0 [0:8, 128:256]"; empty: not known
  std::string place;                 // "model.cpp:41"; empty: not known
};

struct Timeline {
  std::string title;
  std::int64_t steps = 0;
  std::vector<TimelineLane> lanes;
  std::vector<std::int64_t> work;   // the steps in which the core works, ascending
  std::vector<TimelineSpan> spans;  // ascending by their first step
};

// How many of the working steps have a copy on its way.
std::int64_t OverlappedWork(const Timeline& timeline);

// "61 simulated steps, 9 of them work, 8 of these with a copy on its way".
std::string TimelineFigures(const Timeline& timeline);

// "copy in: input 0 [0:8, 128:256], steps 3 to 9, model.cpp:41".
std::string SpanLabel(const TimelineSpan& span);

inline constexpr int kDefaultColumns = 100;

// One row a slot, the timelines below each other on one scale, no row longer than `columns` (at least 40). A column is
// a step where that fits; else there are two columns for each step of work, one for it and one for all between it and the next. What does
// not fit then either is left out in the middle, at a mark that says how much.
std::string TimelineText(std::span<const Timeline> timelines, int columns = kDefaultColumns);

// The same as a self-contained SVG document: patterns besides colours, a title and a description for screen readers, a title on every span.
std::string TimelineSvg(std::span<const Timeline> timelines);

// Trace-event JSON (canonical, one line) as Perfetto reads it: a process for each timeline, a thread for each slot, "X" events whose ts and dur
// count steps. Spans of one slot that overlap, which only racing programs have, are on a second thread.
std::string TimelineTrace(std::span<const Timeline> timelines);

}  // namespace kernel_audit::report
