#include "kernel_audit/check/check_report.h"

#include <algorithm>

#include "kernel_audit/check/stage.h"

namespace kernel_audit::check {

bool StageReport::passed() const {
  return !lines.empty() && std::all_of(lines.begin(), lines.end(), [](const CheckLine& line) { return line.passed; });
}

bool CheckReport::passed() const {
  return !stages.empty() && std::all_of(stages.begin(), stages.end(), [](const StageReport& stage) { return stage.passed(); });
}

void RecordModule(CheckReport& report, const std::string& sha256, const std::string& text) {
  report.module_sha256.push_back(sha256);
  report.modules.try_emplace(sha256, text);
}

}  // namespace kernel_audit::check
