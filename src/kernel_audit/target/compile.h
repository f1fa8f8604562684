// Modules compiled for TPUs that need not be there, by libtpu in a process of its own. What comes of it is the compiler's word: accepted or
// refused, sizes, a static schedule. It has no time and says nothing of speed.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_audit/core/error.h"
#include "kernel_audit/evidence/tier.h"
#include "kernel_audit/target/libtpu.h"
#include "kernel_audit/target/schedule_report.h"
#include "kernel_audit/target/topology.h"

namespace kernel_audit::target {

// Numbers are -1 where the compiler does not say.
struct CompileOutcome {
  std::string topology;
  bool accepted = false;
  std::string refusal;            // the compiler's words, on one line
  core::SourceLocation location;  // that they name; unknown where they name none
  std::string api_version;        // of PJRT, "0.98"
  std::string platform_version;   // in the compiler's words
  std::int64_t devices = -1;      // of the topology; a module is compiled for one of them
  std::int64_t code_bytes = -1;
  std::int64_t argument_bytes = -1, output_bytes = -1, temporary_bytes = -1;
  std::vector<std::int64_t> scoped_vmem_bytes;  // of each kernel; less than its windows take where the compiler keeps whole arrays in VMEM
  std::vector<KernelSchedule> kernels;
  std::optional<evidence::Witness<evidence::Tier::kCompiled>> witness = std::nullopt;
};

struct CompileLimits {
  std::chrono::milliseconds wall{300'000};
};

// The program libtpu_compiler beside this one, or the one that KERNEL_AUDIT_LIBTPU_COMPILER names.
std::filesystem::path CompilerProgram();

// Sends the module's bytes as they are. A refusal is an outcome. kPlugin: the library crashed, hung or answered nonsense; its last words are in
// the message. kIo, kRefused: the process could not be run.
core::Result<CompileOutcome> Compile(const Libtpu& libtpu, const Topology& topology, std::string_view module, const CompileLimits& limits = {});

}  // namespace kernel_audit::target
