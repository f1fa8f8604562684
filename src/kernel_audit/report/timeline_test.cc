#include "kernel_audit/report/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace kernel_audit::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Two input slots used in turn, `works` times: copies are on their way while the core works on the other slot.
Timeline TwoSlots(int works) {
  Timeline t;
  t.title = "two slots";
  t.lanes = {{"input 0", 2}};
  std::int64_t step = 1;
  t.spans.push_back({0, 0, SpanKind::kDmaIn, 0, works == 1 ? 1 : 2, true, "input 0 [0:8]", "m.cpp:9"});
  for (int w = 0; w < works; ++w) {
    const bool more = w + 1 < works;
    if (more) t.spans.push_back({0, (w + 1) % 2, SpanKind::kDmaIn, step++, step + 3 - (w + 2 < works ? 0 : 1), true, "", ""});
    ++step;  // the wait
    t.work.push_back(step);
    t.spans.push_back({0, w % 2, SpanKind::kWork, step, step, true, "", ""});
    ++step;
  }
  t.steps = step;
  for (TimelineSpan& span : t.spans) span.last = std::min(span.last, t.steps - 1);
  return t;
}

Timeline Copies(std::vector<TimelineSpan> spans, std::int64_t steps) {
  Timeline t;
  t.title = "t";
  t.steps = steps;
  t.lanes = {{"input 0", 1}};
  t.spans = std::move(spans);
  return t;
}

std::vector<std::string> Lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(TimelineText, DrawsAColumnAStep) {
  Timeline t = Copies({{0, 0, SpanKind::kDmaIn, 0, 1, true, "", ""}, {0, 0, SpanKind::kWork, 2, 2, true, "", ""}, {0, 0, SpanKind::kDmaOut, 4, 5, true, "", ""}}, 7);
  t.work = {2};
  const std::string text = TimelineText(std::span(&t, 1));
  EXPECT_THAT(text, HasSubstr("work             0\ninput 0 slot 0 <<#.>>.\n"));
  EXPECT_THAT(text, HasSubstr("7 simulated steps, 1 of them work, 0 of these with a copy on its way"));
  EXPECT_THAT(text, HasSubstr("not a time"));
}

TEST(TimelineText, MarksTwoAtOnce) {
  Timeline t = Copies({{0, 0, SpanKind::kDmaIn, 0, 3, true, "", ""}, {0, 0, SpanKind::kWork, 2, 2, true, "", ""}}, 5);
  t.work = {2};
  const std::string text = TimelineText(std::span(&t, 1));
  EXPECT_THAT(text, HasSubstr("slot 0 <<!<.\n"));
  EXPECT_THAT(text, HasSubstr("! two at once"));
  EXPECT_EQ(OverlappedWork(t), 1);
}

TEST(TimelineText, KeepsToItsWidthAndSaysWhatItLeavesOut) {
  for (const int works : {1, 9, 40, 41, 100, 5000}) {
    for (const int columns : {40, 80, 100, 120}) {
      const Timeline t = TwoSlots(works);
      const std::string text = TimelineText(std::span(&t, 1), columns);
      for (const std::string& line : Lines(text)) {
        const bool row = line.starts_with("work") || line.starts_with("input") || line.starts_with("     ");
        EXPECT_LE(line.size(), static_cast<std::size_t>(row ? columns : 80)) << line;
      }
      const bool cut = text.find(" :: ") != std::string::npos;
      EXPECT_EQ(cut, 2 * works + 1 > columns - 15) << works << " at " << columns;
      EXPECT_EQ(cut, text.find("left out at ::, work ") != std::string::npos);
    }
  }
}

TEST(TimelineText, CompactColumnsShowWhatOverlapsTheWork) {
  const Timeline t = TwoSlots(40);
  const std::string text = TimelineText(std::span(&t, 1), 100);
  EXPECT_THAT(text, HasSubstr("input 0 slot 0 <#<<<#<<<#"));
  EXPECT_THAT(text, HasSubstr("        slot 1 <<<#<<<#<<"));
  EXPECT_EQ(OverlappedWork(t), 39);
}

TEST(TimelineText, NumbersOfWorkAreWhole) {
  for (const int works : {9, 40, 123, 4321}) {
    for (int columns = 40; columns < 130; ++columns) {
      const Timeline t = TwoSlots(works);
      std::istringstream ruler(Lines(TimelineText(std::span(&t, 1), columns))[works * 2 + 1 > columns - 15 ? 3 : 2].substr(5));
      int before = -1;
      for (int number; ruler >> number;) {
        EXPECT_GT(number, before);
        EXPECT_LT(number, works);
        before = number;
      }
      EXPECT_TRUE(ruler.eof());
    }
  }
}

TEST(TimelineText, CopiesWithoutWorkAndNothingAtAll) {
  const Timeline copies = Copies({{0, 0, SpanKind::kDmaIn, 0, 299, false, "", ""}}, 300);
  EXPECT_THAT(TimelineText(std::span(&copies, 1), 60), HasSubstr("<< :: <<"));
  const Timeline nothing;
  EXPECT_THAT(TimelineText(std::span(&nothing, 1)), HasSubstr("0 simulated steps"));
  EXPECT_THAT(TimelineSvg(std::span(&nothing, 1)), HasSubstr("0 simulated steps"));
}

TEST(TimelineSvg, SpeaksAndIsEscaped) {
  Timeline t = TwoSlots(3);
  t.title = "a < b & \x01";
  const std::string svg = TimelineSvg(std::span(&t, 1));
  EXPECT_THAT(svg, HasSubstr("<title id=\"title\">"));
  EXPECT_THAT(svg, HasSubstr("<desc id=\"desc\">a &lt; b &amp; ?: "));
  EXPECT_THAT(svg, HasSubstr("<title>copy in: input 0 [0:8], steps 0 to 2, m.cpp:9</title>"));
  EXPECT_THAT(svg, Not(HasSubstr("\x01")));
  EXPECT_THAT(svg, Not(HasSubstr("left out")));
}

TEST(TimelineSvg, LeavesTheMiddleOfLongOnesOut) {
  const Timeline t = TwoSlots(5000);
  const std::string svg = TimelineSvg(std::span(&t, 1));
  EXPECT_THAT(svg, HasSubstr("are left out"));
  EXPECT_LT(svg.size(), 200000u);
}

}  // namespace
}  // namespace kernel_audit::report
