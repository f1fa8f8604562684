// The compiler's documents and receipts.
#include <algorithm>

#include "kernel_audit/evidence/figures.h"
#include "kernel_audit/evidence/statistics.h"

namespace kernel_audit::evidence {
namespace {

using core::Json;

std::string TimingProblem(const Json& timing, std::int64_t floor_ns) {
  const auto samples = timing.at("samples_ns").get<std::vector<std::int64_t>>();
  if (samples.size() < 5) return "has fewer than five samples";
  if (*std::min_element(samples.begin(), samples.end()) < floor_ns) return "has a sample below its floor";
  if (std::string problem = Differs("median_ns", timing.at("median_ns"), Median(samples)); !problem.empty()) return problem;
  return Differs("p90_ns", timing.at("p90_ns"), NinetiethPercentile(samples));
}

}  // namespace

std::string CompiledProblem(const Bundle& bundle, const Json& document) {
  const std::string module = document.at("module_sha256").get<std::string>();
  return HasModule(bundle, module) ? "" : "is about a module that is not in the bundle: " + module;
}

std::string ExecutedProblem(const Bundle& bundle, const Json& document) {
  const std::string module = document.at("module_sha256").get<std::string>();
  if (!HasModule(bundle, module)) return "is about a module that is not in the bundle: " + module;
  for (const Json& timing : document.at("timings")) {
    if (std::string problem = TimingProblem(timing, document.at("floor_ns").get<std::int64_t>()); !problem.empty()) return problem;
  }
  return "";
}

}  // namespace kernel_audit::evidence
