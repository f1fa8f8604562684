#include <algorithm>

#include "kernel_audit/check/findings.h"
#include "kernel_audit/check/kernel_rules.h"
#include "kernel_audit/check/stage.h"

namespace kernel_audit::check {
namespace {

using core::Shape;

std::int64_t CeilPrograms(const Shape& logical, const Shape& block) {
  std::int64_t programs = 1;
  for (std::size_t d = 0; d < logical.size(); ++d) programs *= (logical[d] + block[d] - 1) / block[d];
  return programs;
}

std::int64_t LogicalElementsWithoutOwner(const sim::Ownership& ownership, const Shape& logical) {
  std::int64_t missing = 0;
  Shape index(logical.size(), 0);
  const std::int64_t count = core::NumElements(logical);
  for (std::int64_t e = 0; e < count; ++e) {
    std::int64_t rest = e;
    for (std::size_t d = logical.size(); d-- > 0;) {
      index[d] = rest % logical[d];
      rest /= logical[d];
    }
    if (ownership.OwnerOf(index) == sim::Ownership::kNobody) ++missing;
  }
  return missing;
}

std::string Programs(std::int64_t count) { return std::to_string(count) + (count == 1 ? " program" : " programs"); }

// Everything about one simulated answer.
class Judge {
 public:
  Judge(Context& context, const worker::TraceRequest& request, const ValueRule& rule) : context_(context), request_(request), rule_(rule) {}

  CheckLine Run(const worker::TraceReply& reply) {
    CheckLine line;
    line.name = Describe(request_);
    if (!context_.stopped.empty()) {
      line.detail = "not simulated: " + context_.stopped;
      return line;
    }
    const core::ArrayType result{request_.inputs[0].dtype, logical()};
    auto program = LoadReply(context_.simulator, request_, reply, result);
    if (!program) {
      line.detail = program.error().ToString();
      return line;
    }
    RecordModule(context_.report, program->sha256(), reply.text);
    record_ = {request_, program->sha256(), {}, {}, {}};
    line.detail = Problem(*program);
    line.passed = line.detail.empty();
    if (line.passed) line.detail = Figures();
    context_.stage.cases.push_back(std::move(record_));
    return line;
  }

 private:
  const Shape& logical() const { return request_.inputs[0].shape; }

  // What is wrong, or nothing.
  std::string Problem(const simulated::SimulatedProgram& program) {
    if (program.num_kernels() == 0) return "the module has no kernel: the work must be done in a pallas_call";
    if (program.num_kernels() > 1) return "the module has " + std::to_string(program.num_kernels()) + " kernels, one is asked for";
    if (std::string wrong = KernelProblem(program.kernel(0)); !wrong.empty()) return wrong;
    std::vector<core::HostArray> inputs = rule_.inputs();
    std::vector<const core::HostArray*> pointers;
    for (const core::HostArray& input : inputs) pointers.push_back(&input);
    auto outcome = program.Run(pointers, {.chip = context_.chip, .work_limit = kWorkLimit});
    if (!outcome) return Stopped(outcome.error());
    if (outcome->kernels.size() != 1) return "the kernel ran " + std::to_string(outcome->kernels.size()) + " times, once is asked for";
    record_.run = outcome->kernels[0];
    if (!run_.ran) return report::FindingLine(ForReport(run_.findings[0], run_.kernel));
    if (std::string wrong = GridProblem(); !wrong.empty()) return wrong;
    if (!run_.findings.empty()) return report::FindingLine(ForReport(run_.findings[0], run_.kernel));
    core::HostArray expected = rule_.oracle(inputs);
    record_.references = References{std::move(inputs), std::move(expected), std::move(outcome->outputs[0]), rule_.zeros, 0, rule_.draw};
    if (std::string wrong = ValueProblem(*record_.references); !wrong.empty()) return wrong;
    return PaddingProblem();
  }

  // What the rest of the stage would only repeat, at length, is not run again.
  std::string Stopped(const core::Error& error) {
    if (error.code == core::ErrorCode::kFailed) context_.stopped = "an earlier kernel of this stage was stopped";
    const std::string limit = error.code == core::ErrorCode::kFailed ? " (" + std::to_string(kWorkLimit) + " elements)" : "";
    return error.ToString() + limit;
  }

  std::string GridProblem() const {
    const sim::Ownership& written = run_.ownership[0];
    if (written.array_shape.size() == logical().size() && written.block_shape != request_.block) {
      return "the kernel's output block is " + core::ToString(written.block_shape) + ", " + core::ToString(request_.block) + " was asked for";
    }
    const std::int64_t wanted = CeilPrograms(logical(), request_.block);
    if (run_.programs >= wanted) return "";
    std::string text = "ran " + Programs(run_.programs) + " where the ceiling grid has " + std::to_string(wanted);
    const sim::Ownership& ownership = run_.ownership[0];
    if (ownership.array_shape.size() != logical().size() || ownership.array_shape < logical()) return text;
    return text + ": " + std::to_string(LogicalElementsWithoutOwner(ownership, logical())) + " logical elements are missed";
  }

  std::string ValueProblem(References& references) const {
    const auto difference = FirstDifference(references.expected, references.result, rule_.zeros);
    if (!difference) return "";
    references.differing = difference->count;
    std::string text = "element " + core::ToString(difference->index) + " is " + difference->got + ", the oracle has " + difference->expected;
    const sim::Ownership& ownership = run_.ownership[0];
    if (ownership.array_shape.size() == difference->index.size()) {
      const std::int32_t owner = ownership.OwnerOf(difference->index);
      text += owner == sim::Ownership::kNobody ? "; no program wrote it" : "; its owner is program " + core::ToString(sim::GridPoint(run_.grid, owner));
    }
    return text + "; " + std::to_string(difference->count) + " of " + std::to_string(core::NumElements(references.expected.shape())) + " elements differ";
  }

  // Only a kernel over padded arrays, in the requested blocks, is what stages 1 and 2 ask for.
  std::string PaddingProblem() const {
    const sim::Ownership& ownership = run_.ownership[0];
    const Shape padded = PaddedShape(logical(), request_.block);
    if (ownership.array_shape != padded) {
      return "the kernel's output is " + core::ToString(ownership.array_shape) + "; padded to whole blocks it is " + core::ToString(padded);
    }
    const std::int64_t wanted = CeilPrograms(logical(), request_.block);
    if (run_.programs != wanted) return "ran " + Programs(run_.programs) + " where the ceiling grid has " + std::to_string(wanted);
    return "";
  }

  std::string Figures() {
    const Shape padded = PaddedShape(logical(), request_.block);
    const std::int64_t elements = core::NumElements(logical()), padding = core::NumElements(padded) - elements;
    if (rule_.draw) {
      context_.stage.maps.push_back({Describe(request_), logical(), padded, run_.grid, run_.ownership[0]});
    }
    return Programs(run_.programs) + ", padded " + core::ToString(padded) + " (" +
           std::to_string(padding) + " of " + std::to_string(elements + padding) + " elements are padding), " + std::to_string(elements) +
           (elements == 1 ? " value" : " values") + " as the oracle's, last row and column among them";
  }

  Context& context_;
  const worker::TraceRequest& request_;
  const ValueRule& rule_;
  CaseRecord record_;
  sim::Report& run_ = record_.run;
};

}  // namespace

core::Shape PaddedShape(const core::Shape& logical, const core::Shape& block) {
  core::Shape padded;
  for (std::size_t d = 0; d < logical.size(); ++d) padded.push_back((logical[d] + block[d] - 1) / block[d] * block[d]);
  return padded;
}

Case ValueCase(Context& context, worker::TraceRequest request, ValueRule rule) {
  auto judge = [&context, request, rule = std::move(rule)](const worker::TraceReply& reply) { return Judge(context, request, rule).Run(reply); };
  return {std::move(request), std::move(judge)};
}

Case RefusalCase(worker::TraceRequest request, std::string why) {
  auto judge = [request, why](const worker::TraceReply& reply) {
    using Kind = worker::TraceReply::Kind;
    CheckLine line;
    line.name = "refuses " + why;
    line.passed = reply.kind == Kind::kRefusal && !reply.text.empty();
    line.detail = line.passed ? "\"" + reply.text + "\"" : reply.text;
    if (reply.kind == Kind::kModule) line.detail = "accepted " + Describe(request) + "; it must throw std::invalid_argument or use pl::require";
    if (reply.kind == Kind::kRefusal && reply.text.empty()) line.detail = "the refusal has no message";
    if (reply.kind == Kind::kError) line.detail = Thrown(reply) + "; a refusal is std::invalid_argument or pl::require";
    return line;
  };
  return {std::move(request), std::move(judge)};
}

}  // namespace kernel_audit::check
