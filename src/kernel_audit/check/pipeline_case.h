// One pipelined answer: simulated under every schedule, compared, counted.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernel_audit/check/stage.h"

namespace kernel_audit::check {

// What the cases of stage 3 share.
struct PipelineRuns {
  std::uint64_t schedule_seed = 0;
  // The same inputs for every block and pipeline of one type, drawn when the first module is there.
  std::map<std::string, std::vector<core::HostArray>> inputs;
  // Outputs that passed, by type and block, and for which pipeline.
  std::map<std::string, std::vector<std::pair<std::string, core::HostArray>>> outputs;
};

// Simulates the module with DMAs early, late and at random, races looked for each time: the same bytes, and the oracle's. The kernel holds
// whole arrays in HBM, moves every block by DMA, overlaps copies with work unless they are synchronous, and takes as much VMEM as the
// model says.
Case PipelineCase(Context& context, worker::TraceRequest request, std::shared_ptr<PipelineRuns> runs);

}  // namespace kernel_audit::check
