#include "kernel_audit/report/finding.h"

namespace kernel_audit::report {
namespace {

using core::Json;

Json PlaceJson(const core::SourceLocation& location) { return {{"file", location.file}, {"line", location.line}}; }

Json AccessJson(const FindingAccess& access) {
  return {{"agent", access.agent}, {"access", access.write ? "write" : "read"}, {"place", PlaceJson(access.location)}, {"region", access.region}, {"step", access.grid_point}};
}

}  // namespace

Json FindingJson(const Finding& finding) {
  Json accesses = Json::array();
  for (const FindingAccess& access : finding.accesses) accesses.push_back(AccessJson(access));
  return {{"kind", finding.kind}, {"kernel", finding.kernel}, {"message", finding.message}, {"buffer", finding.buffer}, {"place", PlaceJson(finding.location)},
          {"other_place", PlaceJson(finding.other_location)}, {"step", finding.grid_point}, {"accesses", accesses}, {"occurrences", finding.occurrences}};
}

Json FindingsJson(std::span<const Finding> findings) {
  Json all = Json::array();
  for (const Finding& finding : findings) all.push_back(FindingJson(finding));
  return all;
}

}  // namespace kernel_audit::report
