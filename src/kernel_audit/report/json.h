// Pictures as JSON and back: what evidence keeps is what a report draws.
#pragma once

#include <string>

#include "kernel_audit/core/json.h"
#include "kernel_audit/report/ownership.h"
#include "kernel_audit/report/timeline.h"

namespace kernel_audit::report {

// {"title", "logical", "padded", "block", "grid", "blocks", "owner", "padding_elements"}.
core::Json OwnershipJson(const OwnershipPicture& picture);
// The picture; kBadInput when the figures don't fit each other (extents, the number of owners, programs that the grid has not).
core::Result<OwnershipPicture> ParseOwnership(const core::Json& json);

// {"title", "steps", "lanes", "work", "spans"}.
core::Json TimelineJson(const Timeline& timeline);
// The timeline; kBadInput when a span lies outside the steps or a lane's slots.
core::Result<Timeline> ParseTimeline(const core::Json& json);

}  // namespace kernel_audit::report
