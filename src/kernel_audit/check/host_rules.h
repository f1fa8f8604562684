// What a candidate's module may do outside its kernel. The text is untrusted and XLA would run whatever it says, in this process.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernel_audit/core/error.h"

namespace kernel_audit::check {

struct HostLimits {
  std::int64_t elements = std::int64_t{1} << 24;  // of any array
  int operations = 256;
  std::vector<std::string_view> also = {};  // operations of StableHLO allowed beside padding, reshaping and cropping
};

// A module, as the candidate wrote it, larger than this is not read.
inline constexpr std::size_t kMostModuleBytes = std::size_t{4} << 20;

// Passes a host program, as import::ImportedModule::host_text has it, of one function @main that pads, reshapes, slices, calls kernels and does what the limits add,
// each operation on a line of its own, as the front end writes it. kFailed otherwise: for arithmetic and other operations of StableHLO
// with the operation and the user's line, for everything else with the line of the module.
core::Result<void> CheckHostProgram(std::string_view host_text, const HostLimits& limits);

}  // namespace kernel_audit::check
