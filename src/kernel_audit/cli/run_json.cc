#include "kernel_audit/cli/run_json.h"

#include "kernel_audit/cli/chip.h"
#include "kernel_audit/check/findings.h"
#include "kernel_audit/core/json.h"

namespace kernel_audit::cli {
namespace {

using core::Json;

Json KernelJson(const sim::Report& run) {
  Json traffic = Json::array();
  for (const sim::Traffic& each : run.traffic) {
    traffic.push_back({{"operand", each.operand}, {"fetches", each.fetches}, {"fetched_bytes", each.fetched_bytes}, {"write_backs", each.write_backs},
                       {"written_bytes", each.written_bytes}});
  }
  return {{"name", run.kernel}, {"grid", run.grid}, {"programs", run.programs}, {"cores", run.cores}, {"ran", run.ran}, {"least_vmem_bytes", run.vmem_bytes}, {"least_smem_bytes", run.smem_bytes}, {"dmas", run.dmas},
          {"dma_bytes", run.dma_bytes}, {"traffic", traffic}};
}

}  // namespace

std::string RunJson(const std::string& module_sha256, const core::Chip& chip, const simulated::Outcome& outcome) {
  Json kernels = Json::array(), outputs = Json::array();
  for (const sim::Report& run : outcome.kernels) kernels.push_back(KernelJson(run));
  for (const core::HostArray& output : outcome.outputs) outputs.push_back(core::ToString(output.type()));
  return core::CanonicalJson({{"tier", "simulated"}, {"backend", "cpu"}, {"simulated_chip", ChipJson(chip)}, {"module_sha256", module_sha256}, {"verdict", outcome.clean() ? "clean" : "findings"},
                              {"findings", report::FindingsJson(check::FindingsOf(outcome.kernels))}, {"kernels", kernels}, {"outputs", outputs}});
}

}  // namespace kernel_audit::cli
