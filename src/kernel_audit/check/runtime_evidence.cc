#include "kernel_audit/check/runtime_audit.h"
#include "kernel_audit/core/json.h"

namespace kernel_audit::check {
namespace {

constexpr const char* kScope =
    "Observed: the CPU devices that PJRT reports in this process, and arithmetic on them. The weights are stored as bfloat16 and converted to "
    "float32 before a float32 product: a dtype path, no native bfloat16 product. The participants are simulated by ordinary arithmetic, no "
    "collective. Nothing here ran on a TPU, and nothing here is about a TPU's topology, its bfloat16 execution or its speed.";

}  // namespace

std::string RuntimeEvidence(const RuntimeReport& report) {
  core::Json document;
  document["kind"] = "tpu-runtime-audit";
  document["schema_version"] = 1;
  document["stage"] = report.stage;
  document["backend"] = report.backend;
  document["backend_version"] = report.backend_version;
  document["reported_device_count"] = report.reported_devices;
  document["devices"] = core::Json::array();
  document["device_names"] = core::Json::array();
  for (const pjrt::Device& device : report.devices) {
    document["devices"].push_back({{"id", device.id}, {"kind", device.kind}, {"name", device.name}});
    document["device_names"].push_back(device.name);
  }
  document["storage_dtype"] = "bfloat16";
  document["operand_dtype"] = "float32";
  document["result_dtype"] = "float32";
  document["candidate"] = report.candidate;
  document["candidate_sha256"] = report.candidate_sha256;
  document["module_sha256"] = report.module_sha256;
  document["sandbox_layers"] = report.sandbox_layers;
  document["scope"] = kScope;
  document["checks"] = core::Json::array();
  for (const CheckLine& line : report.lines) document["checks"].push_back({{"name", line.name}, {"passed", line.passed}, {"detail", line.detail}});
  if (report.all_reduce) {
    document["cpu_all_reduce"] = {{"scope", "a real all-reduce over CPU devices of one process; apart from the simulated participants"},
                                  {"inputs", report.all_reduce->inputs},
                                  {"results", report.all_reduce->results}};
  }
  return core::CanonicalJson(document);
}

}  // namespace kernel_audit::check
