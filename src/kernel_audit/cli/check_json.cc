#include "kernel_audit/cli/check_json.h"

#include "kernel_audit/cli/chip.h"
#include "kernel_audit/core/json.h"

namespace kernel_audit::cli {
namespace {

using core::Json;

Json MapJson(const check::OwnershipMap& map) {
  return {{"title", map.title},   {"logical", map.logical},  {"padded", map.padded}, {"grid", map.grid}, {"block", map.ownership.block_shape},
          {"owner", map.ownership.owner}, {"padding_elements", core::NumElements(map.padded) - core::NumElements(map.logical)}};
}

Json StageJson(const check::StageReport& stage) {
  Json lines = Json::array(), maps = Json::array();
  for (const check::CheckLine& line : stage.lines) lines.push_back({{"name", line.name}, {"passed", line.passed}, {"detail", line.detail}});
  for (const check::OwnershipMap& map : stage.maps) maps.push_back(MapJson(map));
  return {{"stage", stage.stage}, {"title", stage.title}, {"passed", stage.passed()}, {"checks", lines}, {"ownership", maps}, {"notes", stage.notes}};
}

}  // namespace

std::string CheckJson(const check::CheckReport& report) {
  Json stages = Json::array();
  for (const check::StageReport& stage : report.stages) stages.push_back(StageJson(stage));
  return core::CanonicalJson({{"tier", "simulated"},
                              {"backend", "cpu"},
                              {"simulated_chip", ChipJson(*report.chip)},
                              {"candidate", report.candidate},
                              {"candidate_sha256", report.candidate_sha256},
                              {"module_sha256", report.module_sha256},
                              {"sandbox_layers", report.sandbox_layers},
                              {"seed", report.seed},
                              {"stages", stages},
                              {"passed", report.passed()}});
}

}  // namespace kernel_audit::cli
