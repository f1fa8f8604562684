// What simulated runs showed, as documents.
#pragma once

#include <string>
#include <vector>

#include "kernel_audit/core/chip.h"
#include "kernel_audit/evidence/claim.h"
#include "kernel_audit/report/finding.h"
#include "kernel_audit/report/timeline.h"
#include "kernel_audit/simulated/simulator.h"

namespace kernel_audit::check {

// Its name and layout: lanes, sublanes, rows of a tile by element type, sizes of its memories.
core::Json ChipJson(const core::Chip& chip);

// One kernel's run: grid, programs, memory, DMAs, traffic.
core::Json KernelJson(const sim::Report& run);

// The numerics of every simulated run.
core::Json PrecisionJson();

// What was run, and how.
struct RunDescription {
  std::string module_sha256;
  std::string schedule;                   // "early", "random:3"
  int cores = 1;
  const core::Chip* chip = &core::DefaultChip();
  std::vector<std::string> input_sha256;  // of the elements' bytes
  std::vector<std::string> inputs;        // "float32(8, 128)"
};

RunDescription DescribeRun(const std::string& module_sha256, const std::vector<core::HostArray>& inputs, std::string schedule, int cores, const core::Chip& chip);

// The document of `simulate` and `run`: "subject" is "run", "verdict" "clean" or "findings".
evidence::SimulatedClaim RunClaim(const simulated::Simulator& simulator, const RunDescription& description, const simulated::Outcome& outcome);

// The document of `timeline`: the pictures' figures, module by module.
evidence::SimulatedClaim TimelineClaim(const simulated::Simulator& simulator, const std::vector<report::Timeline>& timelines, const std::vector<std::string>& module_sha256,
                                       const std::vector<report::Finding>& findings);

}  // namespace kernel_audit::check
