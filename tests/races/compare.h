// The simulator's findings against the slow judge's.
#pragma once

#include <string>
#include <vector>

#include "kernel_audit/sim/run.h"
#include "races/oracle.h"

namespace kernel_audit::testing {

using core::Shape;

// What the two disagree about, one line each: a race, leak or deadlock that only one of them has, how often it happened, or an example that
// is none.
std::vector<std::string> Disagreements(const sim::Report& report, const Shape& grid, const sim::EventLog& log);

}  // namespace kernel_audit::testing
