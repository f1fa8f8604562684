// What a candidate is compiled with.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernel_audit/core/error.h"
#include "kernel_audit/sandbox/sandbox.h"

namespace kernel_audit::worker {

struct Toolchain {
  std::filesystem::path compiler;               // absolute
  std::filesystem::path kit;                    // the folder that the build target ka_candidate_kit makes
  std::vector<std::string> extra_flags;         // after ours
  std::vector<std::filesystem::path> readable;  // what the compiler may read and run beside the kit and the candidate
  sandbox::Limits compile_limits{.wall = std::chrono::seconds(60), .cpu_seconds = 60};
  sandbox::Limits trace_limits{.wall = std::chrono::seconds(10), .memory_bytes = 1ULL << 30};
};

// The compiler that KERNEL_AUDIT_CXX names, else g++ or clang++, looked up in PATH; the kit that KERNEL_AUDIT_KIT names, else
// candidate_kit beside this program or in ../lib/kernel-audit. kUnsupported when there is no compiler or no kit.
core::Result<Toolchain> FindToolchain();

}  // namespace kernel_audit::worker
