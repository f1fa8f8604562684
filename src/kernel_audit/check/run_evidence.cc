#include "kernel_audit/check/run_evidence.h"

#include "kernel_audit/check/findings.h"
#include "kernel_audit/core/sha256.h"
#include "kernel_audit/report/json.h"

namespace kernel_audit::check {

using core::Json;

Json ChipJson(const core::Chip& chip) {
  Json rows;
  for (const core::DType dtype : {core::DType::kFloat32, core::DType::kBFloat16, core::DType::kInt8}) rows[std::string(core::Name(dtype))] = core::SublaneTile(chip, dtype);
  return {{"name", std::string(chip.name)}, {"generation", chip.generation}, {"cores", chip.cores}, {"lanes", core::Chip::kLanes}, {"sublanes", core::Chip::kSublanes},
          {"tile_rows", rows}, {"vmem_bytes", chip.vmem_bytes}, {"smem_bytes", chip.smem_bytes}, {"hbm_bytes", chip.hbm_bytes}};
}

Json KernelJson(const sim::Report& run) {
  Json traffic = Json::array();
  for (const sim::Traffic& each : run.traffic) {
    traffic.push_back({{"operand", each.operand}, {"fetches", each.fetches}, {"fetched_bytes", each.fetched_bytes}, {"write_backs", each.write_backs},
                       {"written_bytes", each.written_bytes}});
  }
  return {{"name", run.kernel}, {"grid", run.grid}, {"programs", run.programs}, {"cores", run.cores}, {"ran", run.ran}, {"least_vmem_bytes", run.vmem_bytes}, {"least_smem_bytes", run.smem_bytes},
          {"dmas", run.dmas}, {"dma_bytes", run.dma_bytes}, {"traffic", traffic}};
}

Json PrecisionJson() {
  return {{"float32", "computed in float32, without contraction into fused multiply-add"}, {"casts", "one rounding each, to nearest, ties to even"}, {"subnormals", "kept"},
          {"special_values", "NaN, infinities and signed zeros as IEEE 754 has them"}};
}

RunDescription DescribeRun(const std::string& module_sha256, const std::vector<core::HostArray>& inputs, std::string schedule, int cores, const core::Chip& chip) {
  RunDescription description{module_sha256, std::move(schedule), cores, &chip, {}, {}};
  for (const core::HostArray& input : inputs) {
    description.inputs.push_back(core::ToString(input.type()));
    description.input_sha256.push_back(core::Sha256(std::span(input.data(), input.byte_size())));
  }
  return description;
}

evidence::SimulatedClaim RunClaim(const simulated::Simulator& simulator, const RunDescription& description, const simulated::Outcome& outcome) {
  Json kernels = Json::array(), outputs = Json::array(), output_sha256 = Json::array();
  for (const sim::Report& run : outcome.kernels) kernels.push_back(KernelJson(run));
  for (const core::HostArray& output : outcome.outputs) {
    outputs.push_back(core::ToString(output.type()));
    output_sha256.push_back(core::Sha256(std::span(output.data(), output.byte_size())));
  }
  return {simulator.witness(),
          {{"subject", "run"}, {"backend", "cpu"}, {"simulated_chip", ChipJson(*description.chip)}, {"module_sha256", description.module_sha256}, {"schedule", description.schedule},
           {"cores", description.cores}, {"precision", PrecisionJson()}, {"inputs", description.inputs}, {"input_sha256", description.input_sha256}, {"outputs", outputs},
           {"output_sha256", output_sha256}, {"verdict", outcome.clean() ? "clean" : "findings"}, {"findings", report::FindingsJson(FindingsOf(outcome.kernels))}, {"kernels", kernels}}};
}

evidence::SimulatedClaim TimelineClaim(const simulated::Simulator& simulator, const std::vector<report::Timeline>& timelines, const std::vector<std::string>& module_sha256,
                                       const std::vector<report::Finding>& findings) {
  Json drawn = Json::array();
  for (const report::Timeline& timeline : timelines) drawn.push_back(report::TimelineJson(timeline));
  return {simulator.witness(), {{"subject", "timeline"}, {"backend", "cpu"}, {"module_sha256", module_sha256}, {"timelines", drawn}, {"findings", report::FindingsJson(findings)}}};
}

}  // namespace kernel_audit::check
