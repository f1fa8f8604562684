// Stage 3 of the contract, line by line.
#include <kernel_audit/pallas.h>

#include <cstring>
#include <random>

#include "kernel_audit/check/common_cases.h"
#include "kernel_audit/check/pipeline_case.h"
#include "kernel_audit/check/pipeline_rules.h"
#include "kernel_audit/target/benchmark.h"
#include "kernel_audit/target/no_tpu.h"
#include "kernel_audit/trace/module.h"

namespace kernel_audit::check {
namespace {

namespace pl = pallas;
using core::ArrayType;
using core::DType;
using core::Shape;
using worker::Kernel;
using worker::Mode;
using Kind = worker::TraceReply::Kind;

struct Choice {
  int buffers;
  bool synchronous;
};
constexpr Choice kPipelines[] = {{2, true}, {2, false}, {3, false}};
constexpr DType kDTypes[] = {DType::kFloat32, DType::kBFloat16};
const std::vector<Shape> kBlocks = {{8, 128}, {8, 256}, {16, 256}};
const Shape kTails = {17, 257};

worker::TraceRequest Request(DType dtype, const Shape& shape, const Shape& block, Choice choice, Mode mode = Mode::kInterpret) {
  worker::TraceRequest request = MakeRequest(Kernel::kPipeline, {dtype, shape}, {dtype, shape}, block, mode);
  request.buffers = choice.buffers;
  request.synchronous = choice.synchronous;
  return request;
}

// Tails in both dimensions with every block and pipeline; one block alone; no tails. All of them when none has the only shape.
std::vector<worker::TraceRequest> ValidRequests(const Shape& only_shape) {
  std::vector<worker::TraceRequest> requests;
  const auto add = [&](const Shape& shape, const Shape& block, Choice choice) {
    if (!only_shape.empty() && shape != only_shape) return;
    for (const DType dtype : kDTypes) requests.push_back(Request(dtype, shape, block, choice));
  };
  for (const Shape& block : kBlocks) {
    for (const Choice choice : kPipelines) add(kTails, block, choice);
  }
  for (const Shape& shape : {Shape{1, 1}, Shape{16, 256}}) add(shape, kBlocks[0], kPipelines[1]);
  return requests.empty() ? ValidRequests({}) : requests;
}

// However blocks are moved, the results are the same bytes.
Case ComparisonCase(worker::TraceRequest request, std::shared_ptr<PipelineRuns> runs) {
  auto judge = [runs](const worker::TraceReply&) {
    CheckLine line{true, "synchronous copies, two and three input slots give the same bytes", ""};
    std::size_t compared = 0;
    for (const auto& [what, outputs] : runs->outputs) {
      for (const auto& [pipeline, output] : outputs) {
        if (std::memcmp(output.data(), outputs[0].second.data(), output.byte_size()) == 0) continue;
        line = {false, line.name, what + ": " + pipeline + " and " + outputs[0].first + " give other bytes"};
      }
      compared += outputs.size() == std::size(kPipelines) ? 1 : 0;
    }
    const std::size_t wanted = kBlocks.size() * std::size(kDTypes);
    if (line.passed) line.detail = "compared for " + std::to_string(compared) + " of " + std::to_string(wanted) + " blocks and dtypes";
    line.passed = line.passed && compared == wanted;
    return line;
  };
  return {std::move(request), std::move(judge)};
}

// What the front end says to a pipeline with three output slots; empty: it takes it.
std::string RefusalOfThreeOutputSlots() {
  const auto kernel = [](pl::Ref x, pl::Ref z) {
    const pl::BlockSpec tile({8, 128}, [](pl::Index i) { return pl::indices(i, 0); });
    pl::emit_pipeline([](pl::Ref x, pl::Ref z) { z.store(x.load()); }, {.grid = {2}, .in_specs = {tile}, .out_specs = {tile.buffered(3)}})(x, z);
  };
  try {
    trace::TraceModule("output_slots", {{DType::kFloat32, {16, 128}}}, [&](const std::vector<pl::Array>& inputs) {
      const pl::BlockSpec whole(pl::any);
      return std::vector<pl::Array>{pl::pallas_call(kernel, {.in_specs = {whole}, .out_specs = {whole}, .out_shape = inputs[0].aval()})(inputs[0])};
    });
  } catch (const pl::TraceError& error) {
    return error.what();
  }
  return "";
}

Case OutputSlotsCase(worker::TraceRequest request) {
  auto judge = [](const worker::TraceReply& reply) {
    CheckLine line{false, "two output slots are taken, three are refused", reply.text};
    if (reply.kind != Kind::kModule) return line;
    const std::string refusal = RefusalOfThreeOutputSlots();
    // The place is this checker's own.
    const std::size_t words = refusal.find("[emit_pipeline]");
    line.passed = words != std::string::npos;
    line.detail = line.passed ? "\"" + refusal.substr(words) + "\"" : "the front end took three output slots";
    return line;
  };
  return {std::move(request), std::move(judge)};
}

// The module that is meant for a TPU, given to the measurement on this machine: it must be refused before anything is allocated.
Case TargetCase(worker::TraceRequest request) {
  auto judge = [](const worker::TraceReply& reply) {
    CheckLine line{false, "target_benchmark refuses to measure without a TPU", reply.text};
    if (reply.kind != Kind::kModule) return line;
    target::NoTpu device;
    bool touched = false;
    target::BenchmarkRequest measurement;
    measurement.programs = [&]() -> core::Result<std::vector<target::Program>> {
      touched = true;
      return std::vector<target::Program>{{"candidate", reply.text}};
    };
    measurement.inputs = [&] {
      touched = true;
      return std::vector<core::HostArray>();
    };
    measurement.problem = [](const auto&, const auto&) { return std::string(); };
    const auto refused = target::TargetBenchmark(device, measurement);
    line.passed = !refused && refused.error().code == core::ErrorCode::kRefused && !touched;
    line.detail = refused ? "it gave times" : "\"" + refused.error().message + "\"";
    return line;
  };
  return {std::move(request), std::move(judge)};
}

void AddPipelineRefusals(std::vector<Case>& cases) {
  const auto slots = [&](int buffers) {
    cases.push_back(RefusalCase(Request(DType::kFloat32, {5, 11}, {2, 4}, {buffers, false}), std::to_string(buffers) + " input slots"));
  };
  slots(0);
  slots(-1);
  worker::TraceRequest other = Request(DType::kFloat32, {5, 11}, {2, 4}, kPipelines[1]);
  other.inputs[1].shape = {1, 11};
  cases.push_back(RefusalCase(std::move(other), "to broadcast rows"));
  AddCommonRefusals(Kernel::kPipeline, [](const ArrayType& type) { return type; }, cases);
  const worker::TraceRequest tiles = Request(DType::kFloat32, {16, 256}, {8, 128}, kPipelines[1]);
  AddModeRefusals(tiles, cases);
  cases.push_back(TpuTraceCase(OnTpu(tiles)));
  cases.push_back(TargetCase(OnTpu(tiles)));
}

}  // namespace

std::vector<Case> StageThreeCases(Context& context) {
  auto runs = std::make_shared<PipelineRuns>();
  runs->schedule_seed = std::mt19937_64(context.report.seed)() >> 1;
  std::vector<Case> cases;
  const std::vector<worker::TraceRequest> requests = ValidRequests(context.only_shape);
  auto first = std::make_shared<std::string>();
  for (const worker::TraceRequest& request : requests) {
    Case pipeline = PipelineCase(context, request, runs);
    cases.push_back(cases.empty() ? Remembering(std::move(pipeline), first) : std::move(pipeline));
  }
  cases.push_back(RepeatCase(context, requests.front(), first));
  if (context.only_shape.empty() || context.only_shape == kTails) cases.push_back(ComparisonCase(requests.front(), runs));
  cases.push_back(OutputSlotsCase(requests.front()));
  AddPipelineRefusals(cases);
  return cases;
}

}  // namespace kernel_audit::check
