#include "kernel_audit/evidence/statistics.h"

#include <algorithm>
#include <numeric>

#include "kernel_audit/core/error.h"

namespace kernel_audit::evidence {
namespace {

void Sort(std::vector<std::int64_t>& samples) {
  if (samples.empty()) throw core::InternalError("a statistic of no samples");
  std::sort(samples.begin(), samples.end());
}

}  // namespace

std::int64_t Median(std::vector<std::int64_t> samples) {
  Sort(samples);
  const std::size_t half = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[half] : std::midpoint(samples[half - 1], samples[half]);
}

std::int64_t NinetiethPercentile(std::vector<std::int64_t> samples) {
  Sort(samples);
  return samples[(9 * samples.size() + 9) / 10 - 1];
}

}  // namespace kernel_audit::evidence
