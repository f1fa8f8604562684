// The contract's stages: what a candidate is asked for, and how each answer is judged.
#pragma once

#include <functional>
#include <vector>

#include "kernel_audit/check/candidate_run.h"
#include "kernel_audit/check/check_report.h"
#include "kernel_audit/check/compare.h"
#include "kernel_audit/check/inputs.h"

namespace kernel_audit::check {

// One request and the judgement of its answer.
struct Case {
  worker::TraceRequest request;
  std::function<CheckLine(const worker::TraceReply&)> judge;
};

// What every judgement needs.
struct Context {
  const simulated::Simulator& simulator;
  InputSource& source;
  CheckReport& report;
  StageReport& stage;
  core::Shape only_shape;  // of value checks; empty: every shape
  std::string fresh;      // what the first request of the stage gave in a new process; empty: no module
  std::string stopped;  // why nothing more is simulated; empty: go on
  const core::Chip* chip = &core::DefaultChip();  // simulated
};

// What a valid request must give.
struct ValueRule {
  std::function<std::vector<core::HostArray>()> inputs;  // drawn when the module is there
  std::function<core::HostArray(const std::vector<core::HostArray>&)> oracle;
  Zeros zeros = Zeros::kSigned;
  bool draw = false;  // keep an ownership map for the report
};

// Simulates the module on fresh inputs: values against the oracle, findings, the ceiling grid, padding, ownership, and that the kernel
// does the work.
Case ValueCase(Context& context, worker::TraceRequest request, ValueRule rule);

// The request must be refused by an exception with a message. `why` names the rule.
Case RefusalCase(worker::TraceRequest request, std::string why);

std::vector<Case> StageOneCases(Context& context);
std::vector<Case> StageTwoCases(Context& context);
std::vector<Case> StageThreeCases(Context& context);

// The explanation of zero padding, with the figures of a run that shows it.
core::Result<std::string> ExplainZeroPadding(const simulated::Simulator& simulator);

// That the module was simulated.
void RecordModule(CheckReport& report, const std::string& sha256, const std::string& text);

// Extents rounded up to the block's.
core::Shape PaddedShape(const core::Shape& logical, const core::Shape& block);

}  // namespace kernel_audit::check
