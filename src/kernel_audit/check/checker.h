// The whole of `check`: builds the candidate, asks it, judges it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "kernel_audit/check/check_report.h"
#include "kernel_audit/core/error.h"

namespace kernel_audit::check {

struct CheckOptions {
  std::filesystem::path candidate;
  std::string name;                    // of the candidate, as the user gave it
  std::vector<int> stages;             // 1, 2, 3
  std::optional<std::uint64_t> seed;   // nothing: a fresh one, drawn after the candidate was built
  core::Shape only_shape = {};              // values are checked on matrices of this shape alone; empty: on all that the stages have
  const core::Chip* chip = &core::DefaultChip();  // to simulate
  std::chrono::milliseconds trace_time{10'000};  // for all requests of a stage together
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

// A failed check is a report that says so. Errors: the candidate does not compile (kBadInput), no sandbox (kRefused), set-up is
// incomplete (kUnsupported, kIo).
core::Result<CheckReport> Check(const CheckOptions& options);

}  // namespace kernel_audit::check
