#include "kernel_audit/report/timeline.h"

namespace kernel_audit::report {

const char* Name(SpanKind kind) {
  switch (kind) {
    case SpanKind::kDmaIn: return "copy in";
    case SpanKind::kWork: return "work";
    case SpanKind::kDmaOut: return "copy out";
  }
  return "?";
}

std::int64_t OverlappedWork(const Timeline& timeline) {
  std::vector<std::int64_t> change(static_cast<std::size_t>(timeline.steps) + 1);
  for (const TimelineSpan& span : timeline.spans) {
    if (span.kind == SpanKind::kWork) continue;
    ++change[static_cast<std::size_t>(span.first)];
    --change[static_cast<std::size_t>(span.last) + 1];
  }
  std::int64_t overlapped = 0, on_their_way = 0;
  std::size_t step = 0;
  for (const std::int64_t work : timeline.work) {
    for (; step <= static_cast<std::size_t>(work); ++step) on_their_way += change[step];
    if (on_their_way > 0) ++overlapped;
  }
  return overlapped;
}

std::string TimelineFigures(const Timeline& timeline) {
  return std::to_string(timeline.steps) + " simulated steps, " + std::to_string(timeline.work.size()) + " of them work, " + std::to_string(OverlappedWork(timeline)) +
         " of these with a copy on its way";
}

std::string SpanLabel(const TimelineSpan& span) {
  std::string text = Name(span.kind);
  if (!span.block.empty()) text += ": " + span.block;
  text += span.first == span.last ? ", step " + std::to_string(span.first) : ", steps " + std::to_string(span.first) + " to " + std::to_string(span.last);
  if (!span.place.empty()) text += ", " + span.place;
  return span.awaited ? text : text + ", never awaited";
}

}  // namespace kernel_audit::report
