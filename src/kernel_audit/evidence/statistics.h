// Statistics of timing samples, exact in integer nanoseconds.
#pragma once

#include <cstdint>
#include <vector>

namespace kernel_audit::evidence {

// The middle sample; of an even number of samples the mean of the middle two, rounded down. At least one sample.
std::int64_t Median(std::vector<std::int64_t> samples);

// The smallest sample that at least nine tenths of all do not exceed (nearest rank). At least one sample.
std::int64_t NinetiethPercentile(std::vector<std::int64_t> samples);

}  // namespace kernel_audit::evidence
