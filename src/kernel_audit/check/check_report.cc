#include "kernel_audit/check/check_report.h"

#include <algorithm>

namespace kernel_audit::check {

bool StageReport::passed() const {
  return !lines.empty() && std::all_of(lines.begin(), lines.end(), [](const CheckLine& line) { return line.passed; });
}

bool CheckReport::passed() const {
  return !stages.empty() && std::all_of(stages.begin(), stages.end(), [](const StageReport& stage) { return stage.passed(); });
}

}  // namespace kernel_audit::check
