// Traces against the rules of the trace-event format: what Perfetto and Chrome need to open one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "kernel_audit/core/json.h"
#include "kernel_audit/report/timeline.h"

namespace kernel_audit::report {
namespace {

using core::Json;

// A broken rule, or nothing. "X" events need a name, integer ts and dur, pid and tid; on one thread they must nest or follow each other.
std::string BrokenRule(const Json& trace) {
  if (!trace.is_object() || !trace.contains("traceEvents") || !trace["traceEvents"].is_array()) return "no traceEvents";
  if (trace.value("displayTimeUnit", "") != "ns" && trace.value("displayTimeUnit", "") != "ms") return "displayTimeUnit is neither ms nor ns";
  std::map<std::pair<int, int>, std::vector<std::pair<std::int64_t, std::int64_t>>> open;
  std::map<std::pair<int, int>, std::int64_t> last;
  std::set<std::pair<int, int>> named;
  for (const Json& event : trace["traceEvents"]) {
    for (const char* key : {"pid", "tid", "ts"}) {
      if (!event.contains(key) || !event[key].is_number_integer()) return std::string("no integer ") + key;
    }
    if (!event.contains("name") || !event["name"].is_string() || event["name"].empty()) return "no name";
    if (!event.contains("args") || !event["args"].is_object()) return "no args";
    const std::pair<int, int> thread(event["pid"], event["tid"]);
    if (event["ph"] == "M") {
      if (event["name"] == "thread_name") named.insert(thread);
      continue;
    }
    if (event["ph"] != "X") return "a phase that is neither X nor M";
    if (!event.contains("dur") || !event["dur"].is_number_integer() || event["dur"] < 1 || event["ts"] < 0) return "no positive integer dur";
    if (!named.contains(thread)) return "an event on a thread without a name";
    const std::int64_t from = event["ts"], to = from + event["dur"].get<std::int64_t>();
    if (from < last[thread]) return "events of a thread are out of order";
    last[thread] = from;
    auto& stack = open[thread];
    while (!stack.empty() && stack.back().second <= from) stack.pop_back();
    if (!stack.empty() && to > stack.back().second) return "events of a thread cross";
    stack.emplace_back(from, to);
  }
  return "";
}

Timeline Simple() {
  Timeline t;
  t.title = "simple";
  t.steps = 6;
  t.lanes = {{"input 0", 2}, {"output 0", 1}};
  t.work = {3};
  t.spans = {{0, 0, SpanKind::kDmaIn, 0, 2, true, "input 0 [0:8]", "m.cpp:9"}, {0, 1, SpanKind::kDmaIn, 1, 5, false, "", ""},
             {0, 0, SpanKind::kWork, 3, 3, true, "", ""}, {1, 0, SpanKind::kDmaOut, 4, 5, true, "", ""}};
  return t;
}

Json Parse(const std::string& text) { return core::ParseCanonicalJson(text).value(); }

TEST(TimelineTrace, KeepsTheFormatsRules) {
  const std::vector<Timeline> two = {Simple(), Simple()};
  const Json trace = Parse(TimelineTrace(two));
  EXPECT_EQ(BrokenRule(trace), "");
  std::set<std::pair<int, int>> threads;
  std::set<int> processes, numbers;
  for (const Json& event : trace["traceEvents"]) {
    if (event["name"] != "thread_name") continue;
    processes.insert(event["pid"].get<int>());
    EXPECT_TRUE(numbers.insert(event["tid"].get<int>()).second);
  }
  EXPECT_EQ(processes.size(), 2u);
  EXPECT_EQ(numbers.size(), 6u);
  EXPECT_THAT(trace["otherData"]["unit"].get<std::string>(), ::testing::HasSubstr("not a time"));
}

TEST(TimelineTrace, CountsSteps) {
  const Timeline t = Simple();
  const Json trace = Parse(TimelineTrace(std::span(&t, 1)));
  std::vector<std::string> seen;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] == "X") seen.push_back(event["name"].get<std::string>() + " " + event["ts"].dump() + "+" + event["dur"].dump());
  }
  EXPECT_THAT(seen, ::testing::ElementsAre("copy in 0+3", "copy in 1+5", "work 3+1", "copy out 4+2"));
}

TEST(TimelineTrace, PutsWhatOverlapsOnAnotherThread) {
  Timeline t = Simple();
  t.spans = {{0, 0, SpanKind::kDmaIn, 0, 3, true, "", ""}, {0, 0, SpanKind::kWork, 3, 4, true, "", ""}, {0, 0, SpanKind::kDmaOut, 4, 5, true, "", ""}};
  const std::string text = TimelineTrace(std::span(&t, 1));
  EXPECT_EQ(BrokenRule(Parse(text)), "");
  EXPECT_THAT(text, ::testing::HasSubstr("input 0 slot 0, at the same time"));
}

TEST(TimelineTrace, TheRulesAreRules) {
  const Timeline t = Simple();
  const Json good = Parse(TimelineTrace(std::span(&t, 1)));
  const auto broken = [&](const std::function<void(Json&)>& change) {
    Json bad = good;
    for (Json& event : bad["traceEvents"]) {
      if (event["ph"] == "X") {
        change(event);
        break;
      }
    }
    return BrokenRule(bad);
  };
  EXPECT_EQ(broken([](Json& e) { e["dur"] = 1.5; }), "no positive integer dur");
  EXPECT_EQ(broken([](Json& e) { e["dur"] = 0; }), "no positive integer dur");
  EXPECT_EQ(broken([](Json& e) { e.erase("tid"); }), "no integer tid");
  EXPECT_EQ(broken([](Json& e) { e["tid"] = 7; }), "an event on a thread without a name");
  EXPECT_EQ(broken([](Json& e) { e["ph"] = "B"; }), "a phase that is neither X nor M");
}

}  // namespace
}  // namespace kernel_audit::report
