#include "kernel_audit/report/json.h"

#include <algorithm>

namespace kernel_audit::report {
namespace {

using core::ErrorCode;
using core::Fail;
using core::Json;
using core::Shape;

// Enough for every picture that a person can look at.
constexpr std::int64_t kMostExtent = std::int64_t{1} << 40;

bool IsExtents(const Shape& shape, std::size_t rank) {
  return shape.size() == rank && std::all_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent > 0 && extent < kMostExtent; });
}

std::string OwnershipProblem(const OwnershipPicture& picture) {
  if (!IsExtents(picture.logical, 2) || !IsExtents(picture.padded, 2) || !IsExtents(picture.block, 2)) return "has extents that are no matrix's";
  if (!IsExtents(picture.grid, picture.grid.size())) return "has a grid without programs";
  const std::int64_t programs = core::CheckedNumElements(picture.grid);
  for (std::size_t d = 0; d < 2; ++d) {
    if (picture.padded[d] < picture.logical[d]) return "is padded to less than it holds";
    if (picture.blocks.size() != 2 || picture.blocks[d] != (picture.padded[d] + picture.block[d] - 1) / picture.block[d]) return "has another number of blocks than its extents give";
  }
  if (static_cast<std::int64_t>(picture.owner.size()) != core::CheckedNumElements(picture.blocks)) return "has not one owner a block";
  const bool owned = std::all_of(picture.owner.begin(), picture.owner.end(), [&](std::int32_t owner) { return owner >= -1 && owner < programs; });
  return owned ? "" : "has an owner that is no program of its grid";
}

Json SpanJson(const TimelineSpan& span) {
  return {{"lane", span.lane}, {"slot", span.slot}, {"kind", Name(span.kind)}, {"first", span.first}, {"last", span.last}, {"awaited", span.awaited}, {"block", span.block}, {"place", span.place}};
}

TimelineSpan ParseSpan(const Json& json) {
  TimelineSpan span;
  span.lane = json.at("lane").get<std::size_t>();
  span.slot = json.at("slot").get<int>();
  const std::string kind = json.at("kind").get<std::string>();
  for (const SpanKind each : {SpanKind::kDmaIn, SpanKind::kWork, SpanKind::kDmaOut}) {
    if (kind == Name(each)) span.kind = each;
  }
  span.first = json.at("first").get<std::int64_t>();
  span.last = json.at("last").get<std::int64_t>();
  span.awaited = json.at("awaited").get<bool>();
  span.block = json.at("block").get<std::string>();
  span.place = json.at("place").get<std::string>();
  return span;
}

std::string TimelineProblem(const Timeline& timeline) {
  for (const TimelineLane& lane : timeline.lanes) {
    if (lane.slots < 1 || lane.slots > 1024) return "has a buffer without slots";
  }
  for (const TimelineSpan& span : timeline.spans) {
    if (span.lane >= timeline.lanes.size() || span.slot < 0 || span.slot >= timeline.lanes[span.lane].slots) return "has a span in a slot that there is not";
    if (span.first < 0 || span.last < span.first || span.last >= timeline.steps) return "has a span outside its steps";
  }
  const bool inside = std::all_of(timeline.work.begin(), timeline.work.end(), [&](std::int64_t step) { return step >= 0 && step < timeline.steps; });
  return inside && std::is_sorted(timeline.work.begin(), timeline.work.end()) ? "" : "has work outside its steps";
}

}  // namespace

Json OwnershipJson(const OwnershipPicture& picture) {
  return {{"title", picture.title}, {"logical", picture.logical}, {"padded", picture.padded}, {"block", picture.block}, {"grid", picture.grid}, {"blocks", picture.blocks},
          {"owner", picture.owner}, {"padding_elements", core::NumElements(picture.padded) - core::NumElements(picture.logical)}};
}

core::Result<OwnershipPicture> ParseOwnership(const Json& json) {
  OwnershipPicture picture;
  try {
    picture = {json.at("title").get<std::string>(), json.at("logical").get<Shape>(), json.at("padded").get<Shape>(), json.at("block").get<Shape>(), json.at("grid").get<Shape>(),
               json.at("blocks").get<Shape>(), json.at("owner").get<std::vector<std::int32_t>>()};
  } catch (const Json::exception&) {
    return Fail(ErrorCode::kBadInput, "an ownership map has not the form of its schema");
  }
  if (const std::string problem = OwnershipProblem(picture); !problem.empty()) return Fail(ErrorCode::kBadInput, "the ownership map of " + picture.title + " " + problem);
  if (json.value("padding_elements", Json()) != OwnershipJson(picture)["padding_elements"]) {
    return Fail(ErrorCode::kBadInput, "the ownership map of " + picture.title + " counts other padding than its extents give");
  }
  return picture;
}

Json TimelineJson(const Timeline& timeline) {
  Json lanes = Json::array(), spans = Json::array();
  for (const TimelineLane& lane : timeline.lanes) lanes.push_back({{"name", lane.name}, {"slots", lane.slots}});
  for (const TimelineSpan& span : timeline.spans) spans.push_back(SpanJson(span));
  return {{"title", timeline.title}, {"steps", timeline.steps}, {"lanes", lanes}, {"work", timeline.work}, {"spans", spans}};
}

core::Result<Timeline> ParseTimeline(const Json& json) {
  Timeline timeline;
  try {
    timeline.title = json.at("title").get<std::string>();
    timeline.steps = json.at("steps").get<std::int64_t>();
    for (const Json& lane : json.at("lanes")) timeline.lanes.push_back({lane.at("name").get<std::string>(), lane.at("slots").get<int>()});
    timeline.work = json.at("work").get<std::vector<std::int64_t>>();
    for (const Json& span : json.at("spans")) timeline.spans.push_back(ParseSpan(span));
  } catch (const Json::exception&) {
    return Fail(ErrorCode::kBadInput, "a timeline has not the form of its schema");
  }
  if (const std::string problem = TimelineProblem(timeline); !problem.empty()) return Fail(ErrorCode::kBadInput, "the timeline of " + timeline.title + " " + problem);
  return timeline;
}

}  // namespace kernel_audit::report
