// The timeline of what a simulated kernel did.
#pragma once

#include <string>

#include "kernel_audit/report/timeline.h"
#include "kernel_audit/sim/event.h"

namespace kernel_audit::check {

// What core `core` did. Lanes are the buffers that DMAs go to or come from on the chip, in the order of their first DMA, named after the array
// at the other end; their slots are the elements of the first dimension where every access is to one of them. Copies between two arrays have
// a lane of the target's name. Work on other memory counts as a step but has no lane. Two stretches of work with nothing to wait for in
// between are one.
report::Timeline TimelineOf(const sim::EventLog& log, std::string title, int core = 0);

}  // namespace kernel_audit::check
