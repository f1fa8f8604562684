#include "kernel_audit/check/check_evidence.h"

#include "kernel_audit/check/candidate_run.h"
#include "kernel_audit/check/findings.h"
#include "kernel_audit/check/oracle.h"
#include "kernel_audit/check/pipeline_rules.h"
#include "kernel_audit/check/run_evidence.h"
#include "kernel_audit/check/stage.h"
#include "kernel_audit/core/npy.h"
#include "kernel_audit/core/sha256.h"
#include "kernel_audit/report/json.h"

namespace kernel_audit::check {
namespace {

using core::HostArray;
using core::Json;
using core::Shape;

std::string Digest(const HostArray& array) { return core::Sha256(std::span(array.data(), array.byte_size())); }

std::string ArrayPath(int stage, const std::string& name) { return "arrays/stage" + std::to_string(stage) + "-" + name + ".npy"; }

// Where a kept case's arrays are, or nothing.
Json ArraysJson(int stage, const References& references) {
  Json inputs = Json::array();
  for (std::size_t i = 0; i < references.inputs.size(); ++i) inputs.push_back(ArrayPath(stage, "input" + std::to_string(i)));
  return {{"inputs", inputs}, {"expected", ArrayPath(stage, "expected")}, {"result", ArrayPath(stage, "result")}};
}

// Exact values of a row or a column.
Json ValuesJson(const HostArray& array, std::size_t first, std::size_t step, std::int64_t count) {
  Json values = Json::array();
  for (std::int64_t i = 0; i < count; ++i) values.push_back(core::HexFloat(ElementValue(array, first + static_cast<std::size_t>(i) * step)));
  return values;
}

Json EdgesJson(const HostArray& array) {
  const std::int64_t rows = array.shape()[0], columns = array.shape()[1];
  const auto width = static_cast<std::size_t>(columns);
  return {{"last_row", ValuesJson(array, static_cast<std::size_t>(rows - 1) * width, 1, columns)}, {"last_column", ValuesJson(array, width - 1, width, rows)}};
}

Json ReferencesJson(int stage, const References& references) {
  Json inputs = Json::array();
  for (const HostArray& input : references.inputs) inputs.push_back(Digest(input));
  Json json = {{"input_sha256", inputs}, {"expected_sha256", Digest(references.expected)}, {"result_sha256", Digest(references.result)},
               {"zeros", references.zeros == Zeros::kSigned ? "signed" : "unsigned"}, {"elements", core::NumElements(references.result.shape())}, {"differing_elements", references.differing}};
  if (references.keep) {
    json["arrays"] = ArraysJson(stage, references);
    json["edges"] = EdgesJson(references.result);
  }
  return json;
}

Json CaseJson(int stage, const CaseRecord& record) {
  const worker::TraceRequest& request = record.request;
  const Shape &logical = request.inputs[0].shape, padded = PaddedShape(logical, request.block);
  const std::string dtype(core::Name(request.inputs[0].dtype));
  Json json = {{"name", Describe(request)}, {"request", worker::ToLine(request)}, {"function", worker::FunctionName(request.kernel)}, {"dtype", dtype}, {"logical", logical},
               {"block", request.block}, {"padded", padded}, {"padding_elements", core::NumElements(padded) - core::NumElements(logical)}, {"module_sha256", record.module_sha256},
               {"kernel", KernelJson(record.run)}, {"findings", report::FindingsJson(FindingsOf({record.run}))}};
  if (record.references) json["values"] = ReferencesJson(stage, *record.references);
  if (record.overlapped_steps) json["work_steps_with_a_copy_on_its_way"] = *record.overlapped_steps;
  return json;
}

Json StageJson(const StageReport& stage) {
  Json checks = Json::array(), maps = Json::array(), cases = Json::array(), timelines = Json::array();
  for (const CheckLine& line : stage.lines) checks.push_back({{"name", line.name}, {"passed", line.passed}, {"detail", line.detail}});
  for (const OwnershipMap& map : stage.maps) maps.push_back(report::OwnershipJson(PictureOf(map)));
  for (const CaseRecord& record : stage.cases) cases.push_back(CaseJson(stage.stage, record));
  for (const report::Timeline& timeline : stage.timelines) timelines.push_back(report::TimelineJson(timeline));
  return {{"stage", stage.stage}, {"title", stage.title}, {"passed", stage.passed()}, {"checks", checks}, {"cases", cases}, {"ownership", maps}, {"timelines", timelines}, {"notes", stage.notes}};
}

core::Result<void> AddArray(evidence::Bundle& bundle, const std::string& path, const HostArray& array) {
  auto header = core::NpyHeader(array.type());
  if (!header) return tl::unexpected(header.error());
  bundle.Add(evidence::Role::kArray, path, *header + std::string(reinterpret_cast<const char*>(array.data()), array.byte_size()));
  return {};
}

core::Result<void> AddReferences(int stage, const References& references, evidence::Bundle& bundle) {
  for (std::size_t i = 0; i < references.inputs.size(); ++i) {
    if (auto added = AddArray(bundle, ArrayPath(stage, "input" + std::to_string(i)), references.inputs[i]); !added) return added;
  }
  if (auto added = AddArray(bundle, ArrayPath(stage, "expected"), references.expected); !added) return added;
  return AddArray(bundle, ArrayPath(stage, "result"), references.result);
}

core::Result<void> AddStage(const StageReport& stage, evidence::Bundle& bundle) {
  const std::string name = "stage" + std::to_string(stage.stage);
  for (const OwnershipMap& map : stage.maps) bundle.Add(evidence::Role::kPicture, "pictures/" + name + "-ownership.svg", report::OwnershipSvg(PictureOf(map)));
  if (!stage.timelines.empty()) bundle.Add(evidence::Role::kPicture, "pictures/" + name + "-timelines.svg", report::TimelineSvg(stage.timelines));
  for (const CaseRecord& record : stage.cases) {
    if (!record.references || !record.references->keep) continue;
    if (auto added = AddReferences(stage.stage, *record.references, bundle); !added) return added;
  }
  return {};
}

}  // namespace

report::OwnershipPicture PictureOf(const OwnershipMap& map) {
  return {map.title, map.logical, map.padded, map.ownership.block_shape, map.grid, map.ownership.blocks, map.ownership.owner};
}

evidence::SimulatedClaim CheckClaim(const CheckReport& report) {
  if (!report.witness) throw core::InternalError("a report of simulated runs without a simulator");
  Json stages = Json::array();
  for (const StageReport& stage : report.stages) stages.push_back(StageJson(stage));
  return {*report.witness,
          {{"subject", "check"}, {"backend", "cpu"}, {"simulated_chip", ChipJson(*report.chip)}, {"candidate", report.candidate}, {"candidate_sha256", report.candidate_sha256},
           {"module_sha256", report.module_sha256}, {"sandbox_layers", report.sandbox_layers}, {"seed", report.seed}, {"precision", PrecisionJson()}, {"stages", stages},
           {"passed", report.passed()},
           {"proves", "on these inputs, by simulation on a CPU, the candidate's kernels gave what the checks say"},
           {"does_not_prove", "anything about a TPU, about speed, or about inputs that were not drawn"}}};
}

evidence::EstimateClaim CheckEstimate(const CheckReport& report) {
  Json buffers = Json::array();
  for (const StageReport& stage : report.stages) {
    for (const CaseRecord& record : stage.cases) {
      const worker::TraceRequest& request = record.request;
      if (request.kernel != worker::Kernel::kPipeline) continue;
      const core::ArrayType block{request.inputs[0].dtype, request.block};
      buffers.push_back({{"name", Describe(request)}, {"dtype", core::Name(block.dtype)}, {"block", block.shape}, {"block_bytes", block.byte_size()}, {"input_slots", request.buffers},
                         {"output_slots", kOutputSlots}, {"bytes", ModelledBufferBytes(request)}});
    }
  }
  return {{}, {{"subject", "pipeline buffers"}, {"formula", "(2 * input_slots + output_slots) * block_bytes"}, {"buffers", buffers}, {"derived_from", "the requests' configuration alone; nothing was counted or run"}}};
}

core::Result<void> AddCheck(const CheckReport& report, evidence::Bundle& bundle) {
  bundle.Add("check", CheckClaim(report));
  bundle.Add("buffers", CheckEstimate(report));
  bundle.Add(evidence::Role::kCandidate, "candidate/" + report.candidate_file, report.candidate_source);
  for (const auto& [sha256, text] : report.modules) bundle.Add(evidence::Role::kModule, "modules/" + sha256 + ".mlir", text);
  for (const StageReport& stage : report.stages) {
    if (auto added = AddStage(stage, bundle); !added) return added;
  }
  return {};
}

}  // namespace kernel_audit::check
