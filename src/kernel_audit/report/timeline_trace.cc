#include <algorithm>
#include <map>
#include <tuple>

#include "kernel_audit/core/json.h"
#include "kernel_audit/report/timeline.h"

namespace kernel_audit::report {
namespace {

using core::Json;

class TraceWriter {
 public:
  Json Run(std::span<const Timeline> timelines) {
    for (const Timeline& timeline : timelines) Write(timeline);
    return {{"displayTimeUnit", "ns"},
            {"otherData", {{"tier", "simulated"}, {"unit", "one unit of ts and dur is one simulated step; steps are an order, not a time, and nothing was measured"}}},
            {"traceEvents", events_}};
  }

 private:
  void Write(const Timeline& timeline) {
    ++process_;
    Name("process_name", 0, {{"name", timeline.title}});
    Name("process_labels", 0, {{"labels", "1 unit = 1 simulated step, not a time"}});
    std::map<std::tuple<std::size_t, int, int>, int> threads;
    for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane) {
      for (int slot = 0; slot < timeline.lanes[lane].slots; ++slot) threads[{lane, slot, 0}] = NewThread(timeline.lanes[lane].name + " slot " + std::to_string(slot));
    }
    // Spans on one thread must not overlap: each goes to the first row of its slot that is free.
    std::map<int, std::int64_t> busy_until;
    for (const TimelineSpan& span : timeline.spans) {
      for (int row = 0;; ++row) {
        const auto [thread, fresh] = threads.try_emplace({span.lane, span.slot, row}, 0);
        if (fresh) thread->second = NewThread(timeline.lanes[span.lane].name + " slot " + std::to_string(span.slot) + ", at the same time");
        const auto [until, unused] = busy_until.try_emplace(thread->second, -1);
        if (!unused && until->second >= span.first) continue;
        until->second = span.last;
        events_.push_back({{"ph", "X"}, {"name", report::Name(span.kind)}, {"cat", span.kind == SpanKind::kWork ? "work" : "copy"}, {"ts", span.first},
                           {"dur", span.last - span.first + 1}, {"pid", process_}, {"tid", thread->second}, {"args", Arguments(span)}});
        break;
      }
    }
  }

  static Json Arguments(const TimelineSpan& span) {
    Json arguments = {{"block", span.block}, {"place", span.place}};
    if (span.kind != SpanKind::kWork) arguments["awaited"] = span.awaited;
    return arguments;
  }

  // Threads are numbered across processes: some readers know a thread by its number alone.
  int NewThread(const std::string& name) {
    const int thread = ++thread_;
    Name("thread_name", thread, {{"name", name}});
    Name("thread_sort_index", thread, {{"sort_index", thread}});
    return thread;
  }

  void Name(const char* what, int thread, Json arguments) {
    events_.push_back({{"ph", "M"}, {"name", what}, {"pid", process_}, {"tid", thread}, {"ts", 0}, {"args", std::move(arguments)}});
  }

  Json events_ = Json::array();
  int process_ = 0, thread_ = 100;
};

}  // namespace

std::string TimelineTrace(std::span<const Timeline> timelines) { return core::CanonicalJson(TraceWriter().Run(timelines)) + "\n"; }

}  // namespace kernel_audit::report
