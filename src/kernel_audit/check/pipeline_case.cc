#include "kernel_audit/check/pipeline_case.h"

#include <cstring>

#include "kernel_audit/check/findings.h"
#include "kernel_audit/check/kernel_rules.h"
#include "kernel_audit/check/oracle.h"
#include "kernel_audit/check/pipeline_rules.h"
#include "kernel_audit/check/pipeline_timeline.h"

namespace kernel_audit::check {
namespace {

using core::HostArray;

std::string Bytes(std::int64_t count) { return std::to_string(count) + " bytes"; }

std::vector<HostArray> CloneAll(const std::vector<HostArray>& arrays) {
  std::vector<HostArray> clones;
  for (const HostArray& array : arrays) clones.push_back(array.Clone());
  return clones;
}

bool SameBytes(const HostArray& a, const HostArray& b) {
  return a.type() == b.type() && std::memcmp(a.data(), b.data(), a.byte_size()) == 0;
}

class PipelineJudge {
 public:
  PipelineJudge(Context& context, const worker::TraceRequest& request, PipelineRuns& runs) : context_(context), request_(request), runs_(runs) {}

  CheckLine Run(const worker::TraceReply& reply) {
    CheckLine line;
    line.name = Describe(request_);
    if (!context_.stopped.empty()) {
      line.detail = "not simulated: " + context_.stopped;
      return line;
    }
    auto program = LoadReply(context_.simulator, request_, reply, type());
    if (!program) {
      line.detail = program.error().ToString();
      return line;
    }
    RecordModule(context_.report, program->sha256(), reply.text);
    record_ = {request_, program->sha256(), {}, {}, {}};
    line.detail = Problem(*program);
    line.passed = line.detail.empty();
    if (line.passed) line.detail = Keep();
    context_.stage.cases.push_back(std::move(record_));
    return line;
  }

 private:
  core::ArrayType type() const { return {request_.inputs[0].dtype, request_.inputs[0].shape}; }
  std::int64_t PaddedBytes() const {
    return static_cast<std::int64_t>(core::ArrayType{type().dtype, PaddedShape(type().shape, request_.block)}.byte_size());
  }

  const std::vector<HostArray>& Inputs() {
    std::vector<HostArray>& inputs = runs_.inputs[core::ToString(type())];
    if (inputs.empty()) {
      inputs.push_back(context_.source.Matrix(type()));
      inputs.push_back(context_.source.Matrix(type()));
      InputSource::PlantRoundings(inputs[0], inputs[1]);
    }
    return inputs;
  }

  // What is wrong, or nothing.
  std::string Problem(const simulated::SimulatedProgram& program) {
    if (program.num_kernels() != 1) return "the module has " + std::to_string(program.num_kernels()) + " kernels, one is asked for";
    const ir::Kernel& kernel = program.kernel(0);
    if (std::string wrong = KernelProblem(kernel); !wrong.empty()) return wrong;
    if (std::string wrong = PipelineProblem(kernel); !wrong.empty()) return wrong;
    using Kind = sim::Schedule::Kind;
    for (const sim::Schedule schedule : {sim::Schedule{Kind::kEarly, 0}, sim::Schedule{Kind::kLate, 0}, sim::Schedule{Kind::kRandom, runs_.schedule_seed}}) {
      if (std::string wrong = RunWith(program, schedule); !wrong.empty()) return wrong;
    }
    return MovementProblem();
  }

  std::string RunWith(const simulated::SimulatedProgram& program, sim::Schedule schedule) {
    const std::vector<HostArray>& inputs = Inputs();
    const std::vector<const HostArray*> pointers = {&inputs[0], &inputs[1]};
    const bool first = schedule.kind == sim::Schedule::Kind::kEarly;
    auto outcome = program.Run(pointers, {.chip = context_.chip, .work_limit = kWorkLimit, .schedule = schedule, .events = first ? &events_ : nullptr});
    if (!outcome) {
      if (outcome.error().code == core::ErrorCode::kFailed) context_.stopped = "an earlier kernel of this stage was stopped";
      return outcome.error().ToString();
    }
    if (outcome->kernels.size() != 1) return "the kernel ran " + std::to_string(outcome->kernels.size()) + " times, once is asked for";
    if (!outcome->kernels[0].findings.empty()) {
      record_.run = outcome->kernels[0];
      return report::FindingLine(ForReport(outcome->kernels[0].findings[0], outcome->kernels[0].kernel));
    }
    if (!first) return SameBytes(output_, outcome->outputs[0]) ? "" : "DMAs that move late or at random give other bytes than DMAs that move at once";
    run_ = std::move(outcome->kernels[0]);
    output_ = std::move(outcome->outputs[0]);
    HostArray expected = AxpyOracle(inputs[0], inputs[1]);
    const auto difference = FirstDifference(expected, output_, Zeros::kSigned);
    record_.references = References{CloneAll(inputs), expected.Clone(), output_.Clone(), Zeros::kSigned, difference ? difference->count : 0, Drawn() && request_.buffers == 2 && !request_.synchronous};
    if (!difference) return "";
    return "element " + core::ToString(difference->index) + " is " + difference->got + ", the oracle has " + difference->expected + "; " +
           std::to_string(difference->count) + " of " + std::to_string(core::NumElements(expected.shape())) + " elements differ";
  }

  // Every block travels, slots are as many as asked for, and copies overlap work only where they may.
  std::string MovementProblem() {
    const std::int64_t dmas = 3 * PipelineSteps(request_), bytes = 3 * PaddedBytes();
    if (run_.dmas < dmas || run_.dma_bytes < bytes) {
      return "the kernel started " + std::to_string(run_.dmas) + " DMAs of " + Bytes(run_.dma_bytes) + " in all; " + std::to_string(PipelineSteps(request_)) +
             " blocks of x, y and z take " + std::to_string(dmas) + " of " + Bytes(bytes);
    }
    if (run_.vmem_bytes != ModelledBufferBytes(request_)) {
      return "the kernel's buffers in VMEM take " + Bytes(run_.vmem_bytes) + ", " + Model() + " take " + Bytes(ModelledBufferBytes(request_));
    }
    const report::Timeline timeline = TimelineOf(events_, Describe(request_));
    overlapped_ = report::OverlappedWork(timeline);
    record_.overlapped_steps = overlapped_;
    if (Drawn()) context_.stage.timelines.push_back(timeline);
    if (request_.synchronous && overlapped_ > 0) return "copies are on their way during " + std::to_string(overlapped_) + " steps of work, synchronous copies were asked for";
    if (!request_.synchronous && overlapped_ == 0 && PipelineSteps(request_) > 1) return "no copy is ever on its way while the kernel works: its copies are synchronous";
    return "";
  }

  // The shape and block whose timelines are kept, and of two slots the arrays.
  bool Drawn() const { return type().dtype == core::DType::kFloat32 && request_.block == core::Shape{8, 128} && type().shape == core::Shape{17, 257}; }

  std::string Model() const {
    return "(2 x " + std::to_string(request_.buffers) + " + " + std::to_string(kOutputSlots) + ") slots of " + core::ToString(core::ArrayType{type().dtype, request_.block});
  }

  std::string Keep() {
    const std::string what = DescribePipeline(request_);
    std::string figures = std::to_string(run_.dmas) + " DMAs of " + Bytes(run_.dma_bytes) + "; " + Model() + " model " + Bytes(ModelledBufferBytes(request_)) + ", counted " +
                          std::to_string(run_.vmem_bytes) + "; " + std::to_string(overlapped_) + " steps of work with a copy on its way; the oracle's values and no race with DMAs early, late and at random (seed " +
                          std::to_string(runs_.schedule_seed) + ")";
    runs_.outputs[core::ToString(type()) + ", block " + core::ToString(request_.block)].emplace_back(what, std::move(output_));
    return figures;
  }

  Context& context_;
  const worker::TraceRequest& request_;
  PipelineRuns& runs_;
  sim::EventLog events_;
  CaseRecord record_;
  sim::Report& run_ = record_.run;
  HostArray output_;
  std::int64_t overlapped_ = 0;
};

}  // namespace

Case PipelineCase(Context& context, worker::TraceRequest request, std::shared_ptr<PipelineRuns> runs) {
  auto judge = [&context, request, runs](const worker::TraceReply& reply) { return PipelineJudge(context, request, *runs).Run(reply); };
  return {std::move(request), std::move(judge)};
}

}  // namespace kernel_audit::check
