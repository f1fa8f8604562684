// The runtime audit: which devices this process has, a dtype path, a sum of simulated participants, and evidence of the three.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kernel_audit/check/check_report.h"
#include "kernel_audit/core/error.h"
#include "kernel_audit/pjrt/client.h"

namespace kernel_audit::check {

inline constexpr const char* kRuntimeEvidenceFile = "tpu-runtime-audit-evidence.json";

struct RuntimeOptions {
  std::filesystem::path candidate;
  std::string name;                    // as the user named it
  int stage = 1;                       // 1 to 4
  std::optional<std::int64_t> devices;  // CPU devices to ask XLA:CPU for; then they also run an all-reduce
};

// Real communication between the CPU devices of one process; nothing of the simulated participants is in it.
struct CpuAllReduce {
  std::vector<std::int32_t> inputs;   // one a device
  std::vector<std::int32_t> results;  // one a device
};

struct RuntimeReport {
  std::string candidate, candidate_sha256;
  int stage = 1;
  std::string backend, backend_version;  // in the plugin's words
  std::size_t reported_devices = 0;
  std::vector<pjrt::Device> devices;
  std::vector<std::string> sandbox_layers;
  std::string module_sha256;  // of the product's module; empty when there is none that may run
  std::vector<CheckLine> lines;
  std::optional<CpuAllReduce> all_reduce;

  bool passed() const;
};

// Compiles and traces the candidate in the sandbox, runs what may run on XLA:CPU. What the candidate prints or returns is no verdict.
// Errors as worker::BuildCandidate, worker::TraceCandidate and pjrt::Client::Create give them.
core::Result<RuntimeReport> AuditRuntime(const RuntimeOptions& options);

// The document of stages 3 and 4, of a report that passed.
std::string RuntimeEvidence(const RuntimeReport& report);

}  // namespace kernel_audit::check
