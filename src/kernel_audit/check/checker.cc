#include "kernel_audit/check/checker.h"

#include "kernel_audit/check/stage.h"
#include "kernel_audit/core/printable.h"
#include "kernel_audit/core/sha256.h"
#include "kernel_audit/worker/toolchain.h"

namespace kernel_audit::check {
namespace {

const char* TitleOf(int stage) {
  switch (stage) {
    case 1: return "blocked_axpy: grid, ownership, tails";
    case 2: return "fused_bias_relu: a fused operation with two block specs";
    default: return "pipelined_axpy: blocks moved by DMA, slots, races";
  }
}

std::vector<Case> CasesOf(int stage, Context& context) {
  switch (stage) {
    case 1: return StageOneCases(context);
    case 2: return StageTwoCases(context);
    default: return StageThreeCases(context);
  }
}

core::Result<void> RunStage(int number, const CheckOptions& options, const simulated::Simulator& simulator, const worker::BuiltCandidate& candidate,
                            InputSource& source, CheckReport& report) {
  StageReport stage;
  stage.stage = number;
  stage.title = TitleOf(number);
  Context context{simulator, source, report, stage, options.only_shape, "", "", options.chip};
  const std::vector<Case> cases = CasesOf(number, context);
  std::vector<worker::TraceRequest> requests;
  for (const Case& each : cases) requests.push_back(each.request);
  const auto replies = worker::TraceCandidate(candidate, requests);
  if (!replies) return tl::unexpected(replies.error());
  if (replies->front().kind == worker::TraceReply::Kind::kModule) {
    const auto again = worker::TraceCandidate(candidate, std::span(requests).first(1));
    if (!again) return tl::unexpected(again.error());
    if (again->front().kind == worker::TraceReply::Kind::kModule) context.fresh = again->front().text;
  }
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CheckLine line = cases[i].judge((*replies)[i]);
    line.detail = core::Printable(line.detail);
    stage.lines.push_back(std::move(line));
  }
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
  auto toolchain = worker::FindToolchain();
  if (!toolchain) return tl::unexpected(toolchain.error());
  toolchain->trace_limits.wall = options.trace_time;
  const auto candidate = worker::BuildCandidate(options.candidate, *toolchain);
  if (!candidate) return tl::unexpected(candidate.error());
  const auto simulator = simulated::Simulator::Create();
  if (!simulator) return tl::unexpected(simulator.error());
  CheckReport report;
  report.candidate = core::Printable(options.name);
  report.witness = simulator->witness();
  report.candidate_file = candidate->file_name;
  report.candidate_source = candidate->source;
  report.candidate_sha256 = core::Sha256(candidate->source);
  report.sandbox_layers = candidate->layers;
  report.chip = options.chip;
  report.seed = options.seed.value_or(FreshSeed());
  InputSource source(report.seed);
  for (int stage : options.stages) {
    options.progress("stage " + std::to_string(stage));
    if (auto done = RunStage(stage, options, *simulator, *candidate, source, report); !done) return tl::unexpected(done.error());
  }
  return report;
}

}  // namespace kernel_audit::check
