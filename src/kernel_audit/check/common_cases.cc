#include "kernel_audit/check/common_cases.h"

namespace kernel_audit::check {

using core::ArrayType;
using core::DType;
using core::Shape;
using worker::Kernel;
using worker::Mode;

Case RepeatCase(Context& context, worker::TraceRequest request, std::shared_ptr<std::string> first) {
  auto judge = [&context, first](const worker::TraceReply& reply) {
    CheckLine line{false, "the same request gives the same module", "byte for byte, in one process and in a new one"};
    const std::string rule = ": a model must not depend on anything but its arguments";
    if (reply.kind != worker::TraceReply::Kind::kModule || context.fresh.empty()) {
      line.detail = "the request that is repeated gives no module";
    } else if (reply.text != *first) {
      line.detail = "two calls in one process gave two modules" + rule;
    } else if (context.fresh != *first) {
      line.detail = "two processes gave two modules" + rule;
    } else {
      line.passed = true;
    }
    return line;
  };
  return {std::move(request), std::move(judge)};
}

Case Remembering(Case value, std::shared_ptr<std::string> text) {
  auto inner = std::move(value.judge);
  value.judge = [inner = std::move(inner), text](const worker::TraceReply& reply) {
    *text = reply.text;
    return inner(reply);
  };
  return value;
}

void AddCommonRefusals(Kernel kernel, const std::function<ArrayType(const ArrayType&)>& second, std::vector<Case>& cases) {
  const ArrayType matrix{DType::kFloat32, {5, 11}};
  const auto refuse = [&](const ArrayType& a, const ArrayType& b, Shape block, std::string why) {
    cases.push_back(RefusalCase(MakeRequest(kernel, a, b, std::move(block)), std::move(why)));
  };
  refuse(matrix, {DType::kBFloat16, second(matrix).shape}, {2, 4}, "two dtypes (coercion)");
  refuse({DType::kInt32, {5, 11}}, second({DType::kInt32, {5, 11}}), {2, 4}, "a dtype other than float32 and bfloat16");
  refuse({DType::kFloat32, {11}}, {DType::kFloat32, {11}}, {2, 4}, "rank 1");
  refuse({DType::kFloat32, {2, 5, 11}}, second({DType::kFloat32, {2, 5, 11}}), {2, 4}, "rank 3");
  refuse({DType::kFloat32, {0, 4}}, second({DType::kFloat32, {0, 4}}), {2, 4}, "a matrix without rows");
  refuse({DType::kFloat32, {4, 0}}, second({DType::kFloat32, {4, 0}}), {2, 4}, "a matrix without columns");
  refuse(matrix, second(matrix), {0, 4}, "a block extent of 0");
  refuse(matrix, second(matrix), {2, -4}, "a negative block extent");
  refuse(matrix, second(matrix), {4}, "a block of one dimension");
}

worker::TraceRequest OnTpu(worker::TraceRequest request) {
  request.mode = Mode::kTpu;
  for (worker::Input& input : request.inputs) input.on_tpu = true;
  return request;
}

Case TpuTraceCase(worker::TraceRequest request) {
  auto judge = [request](const worker::TraceReply& reply) {
    CheckLine line;
    line.name = "takes mode tpu with inputs placed on a TPU";
    line.passed = reply.kind == worker::TraceReply::Kind::kModule;
    line.detail = line.passed ? "traced, not executed: the backend here is cpu, and mode tpu is never simulated instead" : reply.text;
    return line;
  };
  return {std::move(request), std::move(judge)};
}

void AddModeRefusals(const worker::TraceRequest& tiles, std::vector<Case>& cases) {
  worker::TraceRequest on_cpu = tiles, unknown = tiles, small = OnTpu(tiles);
  on_cpu.mode = Mode::kTpu;
  unknown.mode = Mode::kInvalid;
  small.block = {2, 4};
  cases.push_back(RefusalCase(on_cpu, "mode tpu with inputs that are not on a TPU"));
  cases.push_back(RefusalCase(small, "mode tpu with a block that is no multiple of 8 x 128"));
  cases.push_back(RefusalCase(unknown, "a mode that is neither interpret nor tpu"));
}

}  // namespace kernel_audit::check
