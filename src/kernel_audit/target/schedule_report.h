// What libtpu writes of a kernel's static schedule: instruction bundles and the use of each unit, counted by the compiler. Never a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kernel_audit/core/source_location.h"

namespace kernel_audit::target {

// A unit of the core over all bundles of a kernel.
struct UnitUse {
  std::string unit;           // "MXU", as the compiler spells it
  std::int64_t used = 0;      // slots in all bundles together
  std::int64_t capacity = 0;  // slots of one bundle
};

// A line of the user's source in a kernel's final instructions.
struct LineUse {
  core::SourceLocation place;
  std::int64_t instructions = 0;  // that the compiler made of it, and names it for
  std::int64_t bundles = 0;       // with at least one of these
};

struct KernelSchedule {
  std::string instruction;         // the call's name in the compiler's program
  core::SourceLocation location;   // of the call, where the module had one
  std::int64_t bundles = 0, empty_bundles = 0;  // scheduled once each, however often a loop runs them
  std::vector<UnitUse> units;
  std::int64_t instructions = 0;   // in all bundles; 0: not told
  std::vector<LineUse> lines;      // by file and line; instructions that name none are the compiler's own
};

// The kernels among the reports in the folder that --xla_jf_dump_to named, in the order of their calls in
// the module. What is no report of a kernel, or damaged, is left out.
std::vector<KernelSchedule> ReadSchedules(const std::filesystem::path& folder);

}  // namespace kernel_audit::target
