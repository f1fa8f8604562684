#include <algorithm>
#include <string>

#include "kernel_audit/report/svg.h"
#include "kernel_audit/report/timeline.h"

namespace kernel_audit::report {
namespace {

// More steps than this leave the middle out.
constexpr std::int64_t kMostSteps = 480;
constexpr double kWidth = 960, kLabels = 150, kMargin = 16, kRow = 20, kHead = 62, kBreak = 36;

// Light patterns for copies in opposite directions and a dark solid for work: they stay apart in grey and in print.
constexpr const char* kDefinitions =
    "<defs>\n"
    "<pattern id=\"in\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><rect width=\"6\" height=\"6\" fill=\"#cfe6fa\"/>"
    "<path d=\"M0 6L6 0\" stroke=\"#1f6fb2\"/></pattern>\n"
    "<pattern id=\"out\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><rect width=\"6\" height=\"6\" fill=\"#fde3bf\"/>"
    "<path d=\"M1.5 0V6M4.5 0V6\" stroke=\"#b35c00\"/></pattern>\n"
    "</defs>\n";

const char* Fill(SpanKind kind) { return kind == SpanKind::kDmaIn ? "url(#in)" : kind == SpanKind::kWork ? "#26323f" : "url(#out)"; }
const char* Stroke(SpanKind kind) { return kind == SpanKind::kDmaIn ? "#1f6fb2" : kind == SpanKind::kWork ? "#26323f" : "#b35c00"; }

std::string Text(double x, double y, const std::string& text, const std::string& more = "") {
  return "<text x=\"" + SvgNumber(x) + "\" y=\"" + SvgNumber(y) + "\"" + more + ">" + EscapeXml(text) + "</text>\n";
}

std::string Rectangle(double x, double y, double width, double height, const std::string& style) {
  return "<rect x=\"" + SvgNumber(x) + "\" y=\"" + SvgNumber(y) + "\" width=\"" + SvgNumber(width) + "\" height=\"" + SvgNumber(height) + "\" " + style;
}

// Where steps lie. Those in [head, tail) are left out.
struct Axis {
  std::int64_t steps, head, tail;
  double scale;

  explicit Axis(std::int64_t most) : steps(most), head(most), tail(most) {
    if (steps > kMostSteps) {
      head = kMostSteps / 2;
      tail = steps - kMostSteps / 2;
    }
    const bool cut = head != tail;
    scale = std::min(16.0, (kWidth - kLabels - (cut ? kBreak : 0)) / static_cast<double>(std::max<std::int64_t>(1, cut ? kMostSteps : steps)));
  }
  double X(std::int64_t step) const {
    if (step <= head) return kMargin + kLabels + scale * static_cast<double>(step);
    if (step < tail) return X(head);
    return kMargin + kLabels + kBreak + scale * static_cast<double>(head + step - tail);
  }
};

int Rows(const Timeline& timeline) {
  int rows = 0;
  for (const TimelineLane& lane : timeline.lanes) rows += lane.slots;
  return rows;
}

class Panel {
 public:
  Panel(const Timeline& timeline, const Axis& axis, double top) : timeline_(timeline), axis_(axis), top_(top) {}

  double height() const { return kHead + kRow * Rows(timeline_) + 14; }

  std::string Draw() {
    std::string text = "<g>\n" + Text(kMargin, top_ + 16, timeline_.title, " font-weight=\"bold\"") + Text(kMargin, top_ + 33, TimelineFigures(timeline_)) + Ruler() + Labels();
    for (const TimelineSpan& span : timeline_.spans) text += Span(span);
    if (axis_.head < axis_.tail && axis_.head < timeline_.steps) text += Break();
    return text + "</g>\n";
  }

 private:
  double Y(std::size_t lane, int slot) const {
    int row = slot;
    for (std::size_t l = 0; l < lane; ++l) row += timeline_.lanes[l].slots;
    return top_ + kHead + kRow * row;
  }

  std::string Labels() const {
    std::string text;
    const double right = axis_.X(timeline_.steps);
    for (std::size_t lane = 0; lane < timeline_.lanes.size(); ++lane) {
      const TimelineLane& shown = timeline_.lanes[lane];
      for (int slot = 0; slot < shown.slots; ++slot) {
        const double y = Y(lane, slot);
        text += Rectangle(kMargin + kLabels, y + 1, right - kMargin - kLabels, kRow - 2, "fill=\"#f1f1f1\"/>\n");
        if (slot == 0) text += Text(kMargin, y + 14, shown.name.size() > 14 ? shown.name.substr(0, 13) + "~" : shown.name);
        text += Text(kMargin + kLabels - 6, y + 14, "slot " + std::to_string(slot), " text-anchor=\"end\" fill=\"#444\"");
      }
    }
    return text;
  }

  bool Shown(std::int64_t step) const { return step < axis_.head || step >= axis_.tail; }

  // A line down every step of work; the numbers stand above those that leave room.
  std::string Ruler() const {
    std::string text = Text(kMargin + kLabels - 6, top_ + kHead - 8, "work", " text-anchor=\"end\" fill=\"#444\"");
    double free = 0;
    for (std::size_t w = 0; w < timeline_.work.size(); ++w) {
      if (!Shown(timeline_.work[w])) continue;
      const double x = axis_.X(timeline_.work[w]) + axis_.scale / 2, half = 4.0 * static_cast<double>(std::to_string(w).size());
      if (x - half < free) continue;
      text += Text(x, top_ + kHead - 8, std::to_string(w), " text-anchor=\"middle\" fill=\"#444\"");
      free = x + half + 4;
    }
    return text;
  }

  std::string Part(const TimelineSpan& span, std::int64_t first, std::int64_t end) const {
    const double x = axis_.X(first), width = axis_.scale * static_cast<double>(end - first), inset = span.kind == SpanKind::kWork ? 1 : 3;
    return Rectangle(x, Y(span.lane, span.slot) + inset, width, kRow - 2 * inset,
                     std::string("fill=\"") + Fill(span.kind) + "\" stroke=\"" + Stroke(span.kind) + "\"" + (span.awaited ? "" : " stroke-dasharray=\"3 2\" stroke-width=\"2\"") +
                         "><title>" + EscapeXml(SpanLabel(span)) + "</title></rect>\n");
  }

  std::string Span(const TimelineSpan& span) const {
    const std::int64_t end = span.last + 1, head_end = std::min(end, axis_.head), tail_first = std::max(span.first, axis_.tail);
    std::string text;
    if (span.first < head_end) text += Part(span, span.first, head_end);
    if (tail_first < end && axis_.head != axis_.tail) text += Part(span, tail_first, end);
    return text;
  }

  std::string Break() const {
    const std::int64_t last = std::min(axis_.tail, timeline_.steps) - 1;
    const double x = axis_.X(axis_.head), y = top_ + kHead, height = kRow * Rows(timeline_);
    const std::string words = "steps " + std::to_string(axis_.head) + " to " + std::to_string(last) + " are left out";
    std::string line = "M" + SvgNumber(x + kBreak / 2) + " " + SvgNumber(y);
    for (int turn = 0; turn * 10 < height; ++turn) line += turn % 2 == 0 ? "l6 10" : "l-6 10";
    return Rectangle(x, y, kBreak, height, "fill=\"#fff\"><title>" + words + "</title></rect>\n") + "<path d=\"" + line + "\" fill=\"none\" stroke=\"#000\"/>\n" +
           Text(x + kBreak / 2, y + height + 12, words, " text-anchor=\"middle\" font-size=\"10\"");
  }

  const Timeline& timeline_;
  const Axis& axis_;
  double top_;
};

std::string Legend(double y) {
  std::string text;
  double x = kMargin;
  for (const auto& [kind, words] : {std::pair(SpanKind::kDmaIn, "copy in, from its start to the wait that joined it"), std::pair(SpanKind::kWork, "the core works on the block"),
                                    std::pair(SpanKind::kDmaOut, "copy out")}) {
    text += Rectangle(x, y, 22, 12, std::string("fill=\"") + Fill(kind) + "\" stroke=\"" + Stroke(kind) + "\"/>\n") + Text(x + 28, y + 10, words);
    x += 60 + 6.2 * static_cast<double>(std::string(words).size());
  }
  return text + Text(kMargin, y + 30, "A unit is one simulated step: the core starts a copy, waits for one, or works. Steps show an order, not a time: none of this was measured.");
}

std::string Words(std::span<const Timeline> timelines) {
  std::string text;
  for (const Timeline& timeline : timelines) text += timeline.title + ": " + TimelineFigures(timeline) + ". ";
  return text + "Rows are slots of buffers, the horizontal axis counts simulated steps, which are an order and not a time.";
}

}  // namespace

std::string TimelineSvg(std::span<const Timeline> timelines) {
  std::int64_t most = 0;
  for (const Timeline& timeline : timelines) most = std::max(most, timeline.steps);
  const Axis axis(most);
  std::string panels;
  double top = 8;
  for (const Timeline& timeline : timelines) {
    Panel panel(timeline, axis, top);
    panels += panel.Draw();
    top += panel.height() + 10;
  }
  const double width = kWidth + 2 * kMargin, height = top + 48;
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + SvgNumber(width) + " " + SvgNumber(height) + "\" width=\"" + SvgNumber(width) + "\" height=\"" +
         SvgNumber(height) + "\" role=\"img\" aria-labelledby=\"title desc\" font-family=\"sans-serif\" font-size=\"12\">\n<title id=\"title\">Copies and work of a pipeline, in simulated steps</title>\n" +
         "<desc id=\"desc\">" + EscapeXml(Words(timelines)) + "</desc>\n" + kDefinitions + "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" + panels + Legend(top + 4) + "</svg>\n";
}

}  // namespace kernel_audit::report
