#include "kernel_audit/check/candidate_run.h"

#include "kernel_audit/check/host_rules.h"
#include "kernel_audit/check/pipeline_rules.h"

namespace kernel_audit::check {
namespace {

// What an error says of a module, whoever says it, is the candidate's fault.
core::Result<simulated::SimulatedProgram> LoadModule(const simulated::Simulator& simulator, const worker::TraceRequest& request, const std::string& module) {
  if (module.size() > kMostModuleBytes) {
    return core::Fail(core::ErrorCode::kFailed, "the module has " + std::to_string(module.size()) + " bytes, at most " + std::to_string(kMostModuleBytes) + " are read");
  }
  HostLimits limits;
  for (const worker::Input& input : request.inputs) limits.elements += 16 * core::NumElements(input.shape);
  auto program = simulator.Load(module, worker::FunctionName(request.kernel), [&](std::string_view host) { return CheckHostProgram(host, limits); });
  if (!program) return core::Fail(core::ErrorCode::kFailed, program.error().message, program.error().location);
  return program;
}

}  // namespace

using worker::TraceReply;
using worker::TraceRequest;

std::string Describe(const TraceRequest& request) {
  std::string text(worker::FunctionName(request.kernel));
  for (const worker::Input& input : request.inputs) text += " " + core::ToString(core::ArrayType{input.dtype, input.shape});
  text += ", block " + core::ToString(request.block);
  if (request.kernel == worker::Kernel::kPipeline) text += ", " + DescribePipeline(request);
  return request.mode == worker::Mode::kTpu ? text + ", mode tpu" : text;
}

TraceRequest MakeRequest(worker::Kernel kernel, const core::ArrayType& a, const core::ArrayType& b, core::Shape block, worker::Mode mode) {
  TraceRequest request;
  request.kernel = kernel;
  request.mode = mode;
  request.block = std::move(block);
  request.inputs = {{a.dtype, a.shape, false}, {b.dtype, b.shape, false}};
  return request;
}

std::string Thrown(const TraceReply& reply) {
  return reply.error_class == "unknown" ? "threw " + reply.text : "threw " + reply.error_class + ": " + reply.text;
}

core::Result<simulated::SimulatedProgram> LoadReply(const simulated::Simulator& simulator, const TraceRequest& request, const TraceReply& reply,
                                                    const core::ArrayType& result) {
  using core::ErrorCode;
  if (reply.kind == TraceReply::Kind::kRefusal) return core::Fail(ErrorCode::kFailed, "refused a valid request: " + reply.text);
  if (reply.kind == TraceReply::Kind::kError) return core::Fail(ErrorCode::kFailed, Thrown(reply));
  if (reply.kind != TraceReply::Kind::kModule) return core::Fail(ErrorCode::kFailed, reply.text);
  auto program = LoadModule(simulator, request, reply.text);
  if (!program) return program;
  std::vector<core::ArrayType> inputs;
  for (const worker::Input& input : request.inputs) inputs.push_back({input.dtype, input.shape});
  if (program->inputs() != inputs) return core::Fail(ErrorCode::kFailed, "the module does not take the two inputs that were asked for");
  if (program->outputs() != std::vector{result}) {
    const std::string got = program->outputs().size() == 1 ? core::ToString(program->outputs()[0]) : std::to_string(program->outputs().size()) + " arrays";
    return core::Fail(ErrorCode::kFailed, "returned " + got + " instead of " + core::ToString(result));
  }
  return program;
}

}  // namespace kernel_audit::check
