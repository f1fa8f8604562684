#include "kernel_audit/check/findings.h"

namespace kernel_audit::check {

report::Finding ForReport(const sim::Finding& finding, const std::string& kernel) {
  report::Finding made;
  made.kind = sim::Name(finding.kind);
  made.kernel = kernel;
  made.message = finding.message;
  made.buffer = finding.buffer;
  made.location = finding.location;
  made.other_location = finding.other_location;
  made.grid_point = finding.grid_point;
  for (const sim::FindingAccess& access : finding.accesses) {
    made.accesses.push_back({access.agent, access.write, access.location, access.region, access.grid_point});
  }
  made.occurrences = finding.occurrences;
  return made;
}

std::vector<report::Finding> FindingsOf(const std::vector<sim::Report>& kernels) {
  std::vector<report::Finding> findings;
  for (const sim::Report& run : kernels) {
    for (const sim::Finding& finding : run.findings) findings.push_back(ForReport(finding, run.kernel));
  }
  return findings;
}

}  // namespace kernel_audit::check
