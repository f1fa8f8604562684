// The report of `check` as canonical JSON.
#pragma once

#include <string>

#include "kernel_audit/check/check_report.h"

namespace kernel_audit::cli {

std::string CheckJson(const check::CheckReport& report);

}  // namespace kernel_audit::cli
