#include "kernel_audit/check/checker.h"

#include "kernel_audit/check/stage.h"
#include "kernel_audit/core/sha256.h"
#include "kernel_audit/worker/toolchain.h"

namespace kernel_audit::check {
namespace {

core::Result<void> RunStage(int number, const simulated::Simulator& simulator, const worker::BuiltCandidate& candidate, InputSource& source,
                            CheckReport& report) {
  StageReport stage;
  stage.stage = number;
  stage.title = number == 1 ? "blocked_axpy: grid, ownership, tails" : "fused_bias_relu: a fused operation with two block specs";
  Context context{simulator, source, report, stage};
  const std::vector<Case> cases = number == 1 ? StageOneCases(context) : StageTwoCases(context);
  std::vector<worker::TraceRequest> requests;
  for (const Case& each : cases) requests.push_back(each.request);
  const auto replies = worker::TraceCandidate(candidate, requests);
  if (!replies) return tl::unexpected(replies.error());
  for (std::size_t i = 0; i < cases.size(); ++i) stage.lines.push_back(cases[i].judge((*replies)[i]));
  if (number == 1) {
    auto explanation = ExplainZeroPadding(simulator);
    if (!explanation) return tl::unexpected(explanation.error());
    stage.notes.push_back(std::move(*explanation));
  }
  report.stages.push_back(std::move(stage));
  return {};
}

}  // namespace

core::Result<CheckReport> Check(const CheckOptions& options) {
  options.progress("compiling " + options.name);
  const auto toolchain = worker::FindToolchain();
  if (!toolchain) return tl::unexpected(toolchain.error());
  const auto candidate = worker::BuildCandidate(options.candidate, *toolchain);
  if (!candidate) return tl::unexpected(candidate.error());
  const auto simulator = simulated::Simulator::Create();
  if (!simulator) return tl::unexpected(simulator.error());
  CheckReport report;
  report.candidate = options.name;
  report.candidate_sha256 = core::Sha256(candidate->source);
  report.sandbox_layers = candidate->layers;
  report.seed = options.seed.value_or(FreshSeed());
  InputSource source(report.seed);
  for (int stage : options.stages) {
    options.progress("stage " + std::to_string(stage));
    if (auto done = RunStage(stage, *simulator, *candidate, source, report); !done) return tl::unexpected(done.error());
  }
  return report;
}

}  // namespace kernel_audit::check
