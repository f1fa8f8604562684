// kernel-audit timeline: how a model's pipeline overlaps copies with work, simulated.
#include <CLI/CLI.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "kernel_audit/check/candidate_run.h"
#include "kernel_audit/check/findings.h"
#include "kernel_audit/check/pipeline_timeline.h"
#include "kernel_audit/check/run_evidence.h"
#include "kernel_audit/cli/candidate.h"
#include "kernel_audit/cli/output.h"
#include "kernel_audit/core/file.h"
#include "kernel_audit/core/printable.h"

namespace kernel_audit::cli {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 26;
constexpr std::size_t kMostEvents = std::size_t{1} << 20;

struct Arguments {
  std::string implementation, kernel, dtype = "float32", svg, trace;
  std::vector<std::int64_t> shape, block;
  int buffers = 2, columns = 0;
  bool synchronous = false, compare = false, json = false;
};

struct Timelines {
  std::vector<report::Timeline> drawn;
  std::vector<std::string> modules;  // sha256
  std::vector<report::Finding> findings;
  std::string json;
};

int Columns(const Arguments& arguments) {
  winsize window{};
  if (arguments.columns != 0) return arguments.columns;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0) return window.ws_col;
  return report::kDefaultColumns;
}

std::vector<worker::TraceRequest> Requests(const Arguments& arguments) {
  const core::ArrayType type{*core::DTypeFromName(arguments.dtype), arguments.shape};
  worker::TraceRequest request = check::MakeRequest(worker::Kernel::kPipeline, type, type, arguments.block);
  request.buffers = arguments.buffers;
  request.synchronous = arguments.synchronous;
  if (!arguments.compare) return {request};
  std::vector<worker::TraceRequest> kinds(3, request);
  kinds[0].buffers = kinds[1].buffers = 2;
  kinds[0].synchronous = true;
  kinds[2].buffers = 3;
  kinds[1].synchronous = kinds[2].synchronous = false;
  return kinds;
}

std::string Title(const worker::TraceRequest& request) {
  return std::string(worker::FunctionName(request.kernel)) + " " + core::ToString(core::ArrayType{request.inputs[0].dtype, request.inputs[0].shape}) + ", block " +
         core::ToString(request.block) + ", " + std::to_string(request.buffers) + (request.buffers == 1 ? " input slot" : " input slots") +
         (request.synchronous ? ", synchronous copies" : "");
}

core::Result<void> AddTimeline(const simulated::Simulator& simulator, const worker::TraceRequest& request, const worker::TraceReply& reply, Timelines& timelines) {
  const core::ArrayType type{request.inputs[0].dtype, request.inputs[0].shape};
  const auto program = check::LoadReply(simulator, request, reply, type);
  if (!program) return tl::unexpected(program.error());
  if (program->num_kernels() != 1) {
    return core::Fail(core::ErrorCode::kFailed, "the module has " + std::to_string(program->num_kernels()) + " kernels; a timeline shows one");
  }
  const core::HostArray zeros(type);
  const std::vector<const core::HostArray*> inputs = {&zeros, &zeros};
  sim::EventLog log;
  log.most = kMostEvents;
  const auto outcome = program->Run(inputs, {.events = &log});
  if (!outcome) return tl::unexpected(outcome.error());
  if (log.events.size() == kMostEvents) {
    return core::Fail(core::ErrorCode::kUnsupported, "more than " + std::to_string(kMostEvents) + " events; choose a smaller shape or a larger block");
  }
  timelines.drawn.push_back(check::TimelineOf(log, Title(request)));
  timelines.modules.push_back(program->sha256());
  for (report::Finding& finding : check::FindingsOf(outcome->kernels)) timelines.findings.push_back(std::move(finding));
  return {};
}

core::Result<Timelines> Draw(const std::vector<worker::TraceRequest>& requests, const TracedCandidate& candidate) {
  const auto simulator = simulated::Simulator::Create();
  if (!simulator) return tl::unexpected(simulator.error());
  Timelines timelines;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    ShowProgress("simulating " + Title(requests[i]));
    if (auto added = AddTimeline(*simulator, requests[i], candidate.replies[i], timelines); !added) return tl::unexpected(added.error());
  }
  ClearProgress();
  timelines.json = check::TimelineClaim(*simulator, timelines.drawn, timelines.modules, timelines.findings).text();
  return timelines;
}

core::Result<void> WriteFiles(const Arguments& arguments, const Timelines& timelines) {
  if (!arguments.svg.empty()) {
    if (auto done = core::WriteFile(arguments.svg, report::TimelineSvg(timelines.drawn)); !done) return done;
  }
  if (arguments.trace.empty()) return {};
  return core::WriteFile(arguments.trace, report::TimelineTrace(timelines.drawn));
}

core::Result<int> Run(const Arguments& arguments) {
  const std::int64_t elements = core::CheckedNumElements(arguments.shape);
  if (elements < 0 || elements > kMostElements) {
    return core::Fail(core::ErrorCode::kBadInput, "--shape " + core::ToString(arguments.shape) + " is too large for a timeline: at most " + std::to_string(kMostElements) + " elements");
  }
  const std::vector<worker::TraceRequest> requests = Requests(arguments);
  const auto candidate = TraceImplementation(arguments.implementation, requests);
  if (!candidate) return tl::unexpected(candidate.error());
  const auto timelines = Draw(requests, *candidate);
  if (!timelines) return tl::unexpected(timelines.error());
  if (auto done = WriteFiles(arguments, *timelines); !done) return tl::unexpected(done.error());
  if (arguments.json) {
    std::printf("%s", timelines->json.c_str());
    return timelines->findings.empty() ? kPassed : kFound;
  }
  std::printf("kernel-audit timeline %s\ntier simulated, actual backend cpu\n", core::Printable(arguments.implementation).c_str());
  for (const std::string& sha256 : timelines->modules) std::printf("module sha256 %s\n", sha256.c_str());
  std::printf("\n%s", report::TimelineText(timelines->drawn, Columns(arguments)).c_str());
  if (timelines->findings.empty()) return kPassed;
  std::printf("\n%zu findings\n%s", timelines->findings.size(), report::FindingsText(timelines->findings, &candidate->source).c_str());
  return kFound;
}

}  // namespace

void AddTimeline(CLI::App& app, int& status) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("timeline", "Draw how a model's pipeline overlaps copies with work, in simulated steps");
  command->add_option("--implementation", arguments->implementation, "A C++ file, or `starter` or `solution`")->required();
  command->add_option("--kernel", arguments->kernel, "pipeline: z = 2x + y, block by block")->required()->check(CLI::IsMember({"pipeline"}));
  command->add_option("--shape", arguments->shape, "Rows and columns of x, y and z")->required()->expected(2);
  command->add_option("--block", arguments->block, "Rows and columns of a block")->required()->expected(2);
  command->add_option("--dtype", arguments->dtype, "float32 or bfloat16")->check(CLI::IsMember({"float32", "bfloat16"}));
  command->add_option("--buffers", arguments->buffers, "Slots an input; 2 without it");
  command->add_flag("--synchronous", arguments->synchronous, "Await every copy at once");
  command->add_flag("--compare", arguments->compare, "Synchronous copies, two and three input slots in one picture, whatever --buffers and --synchronous say");
  command->add_option("--svg", arguments->svg, "Write the picture to this file");
  command->add_option("--trace", arguments->trace, "Write trace-event JSON to this file; open it at ui.perfetto.dev. A unit there is a step, not a time");
  command->add_option("--columns", arguments->columns, "Width of the text; the terminal's without it")->check(CLI::Range(40, 1000));
  command->add_flag("--json", arguments->json, "One JSON document instead of text");
  command->footer("Example: kernel-audit timeline --implementation solution --kernel pipeline --shape 17 257 --block 8 128 --compare --svg pipeline.svg");
  command->callback([arguments, &status] {
    const auto done = Run(*arguments);
    status = done ? *done : Fail(done.error());
  });
}

}  // namespace kernel_audit::cli
