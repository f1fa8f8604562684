#include "kernel_audit/cli/run_json.h"

#include "kernel_audit/core/json.h"

namespace kernel_audit::cli {
namespace {

using core::Json;

Json PlaceJson(const core::SourceLocation& location) { return {{"file", location.file}, {"line", location.line}}; }

Json AccessJson(const sim::FindingAccess& access) {
  return {{"agent", access.agent}, {"access", access.write ? "write" : "read"}, {"place", PlaceJson(access.location)}, {"region", access.region},
          {"step", access.grid_point}};
}

Json FindingJson(const std::string& kernel, const sim::Finding& finding) {
  Json accesses = Json::array();
  for (const sim::FindingAccess& access : finding.accesses) accesses.push_back(AccessJson(access));
  return {{"kind", sim::Name(finding.kind)}, {"kernel", kernel}, {"message", finding.message}, {"buffer", finding.buffer}, {"place", PlaceJson(finding.location)},
          {"other_place", PlaceJson(finding.other_location)}, {"step", finding.grid_point}, {"accesses", accesses}, {"occurrences", finding.occurrences}};
}

Json KernelJson(const sim::Report& run) {
  Json traffic = Json::array();
  for (const sim::Traffic& each : run.traffic) {
    traffic.push_back({{"operand", each.operand}, {"fetches", each.fetches}, {"fetched_bytes", each.fetched_bytes}, {"write_backs", each.write_backs},
                       {"written_bytes", each.written_bytes}});
  }
  return {{"name", run.kernel}, {"grid", run.grid}, {"programs", run.programs}, {"cores", run.cores}, {"traffic", traffic}};
}

}  // namespace

std::string RunJson(const std::string& module_sha256, const simulated::Outcome& outcome) {
  Json findings = Json::array(), kernels = Json::array(), outputs = Json::array();
  for (const sim::Report& run : outcome.kernels) {
    kernels.push_back(KernelJson(run));
    for (const sim::Finding& finding : run.findings) findings.push_back(FindingJson(run.kernel, finding));
  }
  for (const core::HostArray& output : outcome.outputs) outputs.push_back(core::ToString(output.type()));
  return core::CanonicalJson({{"tier", "simulated"}, {"backend", "cpu"}, {"module_sha256", module_sha256}, {"verdict", outcome.clean() ? "clean" : "findings"},
                              {"findings", findings}, {"kernels", kernels}, {"outputs", outputs}});
}

}  // namespace kernel_audit::cli
