#include <algorithm>
#include <map>
#include <utility>

#include "kernel_audit/report/timeline.h"

namespace kernel_audit::report {
namespace {

constexpr std::size_t kMostName = 20;
constexpr const char* kMark = " :: ";
constexpr std::size_t kMarkWidth = 4;

// Which column shows a step.
struct Scale {
  std::vector<std::size_t> column;  // of each step
  std::vector<std::size_t> work;    // of each step of work
  std::size_t columns = 0;
};

Scale ExactScale(const Timeline& timeline) {
  Scale scale;
  scale.columns = static_cast<std::size_t>(timeline.steps);
  for (std::size_t step = 0; step < scale.columns; ++step) scale.column.push_back(step);
  for (const std::int64_t step : timeline.work) scale.work.push_back(static_cast<std::size_t>(step));
  return scale;
}

// Even columns: what lies between two steps of work; odd ones: the work.
Scale CompactScale(const Timeline& timeline) {
  Scale scale;
  scale.columns = 2 * timeline.work.size() + 1;
  std::size_t before = 0;
  for (std::int64_t step = 0; step < timeline.steps; ++step) {
    const bool works = before < timeline.work.size() && timeline.work[before] == step;
    scale.column.push_back(2 * before + (works ? 1 : 0));
    if (works) scale.work.push_back(2 * before++ + 1);
  }
  return scale;
}

// The columns [head, tail) are left out.
struct Cut {
  std::size_t head, tail;
  std::string Apply(const std::string& row, const std::string& mark = kMark) const { return head == tail ? row : row.substr(0, head) + mark + row.substr(tail); }
};

char Sign(SpanKind kind) { return kind == SpanKind::kDmaIn ? '<' : kind == SpanKind::kWork ? '#' : '>'; }

class Panel {
 public:
  Panel(const Timeline& timeline, bool compact, std::size_t name_width, std::size_t room)
      : timeline_(timeline), compact_(compact && !timeline.work.empty()), scale_(compact_ ? CompactScale(timeline) : ExactScale(timeline)), name_width_(name_width) {
    if (scale_.columns <= room) return;
    // What remains begins and ends with what lies between two steps of work.
    const std::size_t half = (room - kMarkWidth) / 2, head = compact_ ? (half - 1) / 2 * 2 + 1 : half;
    cut_ = {head, scale_.columns - head};
  }

  std::string Text() {
    MakeRows();
    std::string text = timeline_.title + "\n  " + TimelineFigures(timeline_) + "\n";
    if (is_cut()) text += "  " + LeftOut() + "\n";
    text += Line("work", "", cut_.Apply(Ruler(), std::string(kMarkWidth, ' ')));
    for (std::size_t lane = 0; lane < timeline_.lanes.size(); ++lane) {
      for (int slot = 0; slot < timeline_.lanes[lane].slots; ++slot) {
        text += Line(slot == 0 ? timeline_.lanes[lane].name : "", "slot " + std::to_string(slot), cut_.Apply(rows_[{lane, slot}]));
      }
    }
    return text;
  }

  bool Shows(char sign) const {
    return std::any_of(rows_.begin(), rows_.end(), [&](const auto& row) { return row.second.find(sign) != std::string::npos; });
  }
  bool is_cut() const { return cut_.head != cut_.tail; }

 private:
  std::string LeftOut() const {
    std::size_t works = 0;
    for (const std::size_t column : scale_.work) works += column >= cut_.head && column < cut_.tail ? 1 : 0;
    if (works == 0) return "left out at ::, " + std::to_string(cut_.tail - cut_.head) + " columns";
    const auto first = std::lower_bound(scale_.work.begin(), scale_.work.end(), cut_.head) - scale_.work.begin();
    return "left out at ::, work " + std::to_string(first) + " to " + std::to_string(first + static_cast<std::ptrdiff_t>(works) - 1);
  }

  std::string Line(std::string name, std::string slot, const std::string& row) const {
    name.resize(name_width_, ' ');
    slot.resize(7, ' ');
    std::string line = name + " " + slot + row;
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  }

  void MakeRows() {
    std::map<std::pair<std::size_t, int>, std::int64_t> busy_until;
    for (std::size_t lane = 0; lane < timeline_.lanes.size(); ++lane) {
      for (int slot = 0; slot < timeline_.lanes[lane].slots; ++slot) rows_[{lane, slot}] = std::string(scale_.columns, '.');
    }
    for (const TimelineSpan& span : timeline_.spans) {
      const std::pair<std::size_t, int> key(span.lane, span.slot);
      std::string& row = rows_[key];
      Paint(row, span.first, span.last, Sign(span.kind));
      const auto [until, fresh] = busy_until.try_emplace(key, span.last);
      if (!fresh && until->second >= span.first) Conflict(row, span.first, std::min(until->second, span.last));
      until->second = std::max(until->second, span.last);
    }
  }

  void Paint(std::string& row, std::int64_t first, std::int64_t last, char sign) const {
    for (std::size_t c = scale_.column[static_cast<std::size_t>(first)]; c <= scale_.column[static_cast<std::size_t>(last)]; ++c) {
      if (row[c] == '.') row[c] = sign;
      else if (row[c] != sign && row[c] != '!') row[c] = '*';
    }
  }

  void Conflict(std::string& row, std::int64_t first, std::int64_t last) const {
    const std::size_t from = scale_.column[static_cast<std::size_t>(first)], to = scale_.column[static_cast<std::size_t>(last)];
    std::fill(row.begin() + static_cast<std::ptrdiff_t>(from), row.begin() + static_cast<std::ptrdiff_t>(to) + 1, '!');
  }

  // Numbers of the work above its columns: every one, or every 2nd, 5th, 10th, so that they stay apart. None is cut in two.
  std::string Ruler() const {
    for (std::size_t stride = 1;; stride = NextStride(stride)) {
      std::string ruler(scale_.columns, ' ');
      std::size_t free = 0;
      bool fits = true;
      for (std::size_t w = 0; w < scale_.work.size() && fits; w += stride) {
        const std::string number = std::to_string(w);
        const std::size_t from = scale_.work[w], to = from + number.size();
        fits = from >= free;
        free = to + 1;
        if (to <= scale_.columns && (!is_cut() || to <= cut_.head || from >= cut_.tail)) ruler.replace(from, number.size(), number);
      }
      if (fits) return ruler;
    }
  }

  static std::size_t NextStride(std::size_t stride) {
    std::size_t power = 1;
    while (power * 10 <= stride) power *= 10;
    return stride == power ? 2 * power : stride == 2 * power ? 5 * power : 10 * power;
  }

  const Timeline& timeline_;
  bool compact_;
  Scale scale_;
  std::size_t name_width_;
  Cut cut_{0, 0};
  std::map<std::pair<std::size_t, int>, std::string> rows_;
};

std::size_t NameWidth(std::span<const Timeline> timelines) {
  std::size_t width = 4;
  for (const Timeline& timeline : timelines) {
    for (const TimelineLane& lane : timeline.lanes) width = std::max(width, std::min(lane.name.size(), kMostName));
  }
  return width;
}

std::string Legend(const std::vector<Panel>& panels, bool compact) {
  const auto any = [&](char sign) { return std::any_of(panels.begin(), panels.end(), [&](const Panel& panel) { return panel.Shows(sign); }); };
  std::string text = "< copy in  # work  > copy out  . neither";
  if (any('*')) text += "  * several, one after the other";
  if (any('!')) text += "  ! two at once";
  text += "\n";
  if (compact) text += "Two columns a step of work: all that happens before it, then the work itself.\n";
  else text += "A column is a simulated step: the core starts a copy, waits for one, or works.\n";
  return text + "Steps show an order, not a time: none of this was measured.\n";
}

}  // namespace

std::string TimelineText(std::span<const Timeline> timelines, int columns) {
  const std::size_t name_width = NameWidth(timelines);
  const std::size_t room = static_cast<std::size_t>(std::max(columns, 40)) - name_width - 8;
  const bool compact = std::any_of(timelines.begin(), timelines.end(), [&](const Timeline& timeline) { return timeline.steps > static_cast<std::int64_t>(room); });
  std::vector<Panel> panels;
  std::string text;
  for (const Timeline& timeline : timelines) text += panels.emplace_back(timeline, compact, name_width, room).Text() + "\n";
  return text + Legend(panels, compact);
}

}  // namespace kernel_audit::report
