// A run's findings as the report writes them.
#pragma once

#include <string>
#include <vector>

#include "kernel_audit/report/finding.h"
#include "kernel_audit/sim/run.h"

namespace kernel_audit::check {

report::Finding ForReport(const sim::Finding& finding, const std::string& kernel);

// Of all kernels, in the order they ran.
std::vector<report::Finding> FindingsOf(const std::vector<sim::Report>& kernels);

}  // namespace kernel_audit::check
