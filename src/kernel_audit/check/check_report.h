// What `check` found out. A verdict comes from here and from nothing that a candidate prints or returns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel_audit/core/chip.h"
#include "kernel_audit/core/shape.h"
#include "kernel_audit/sim/run.h"

namespace kernel_audit::check {

struct CheckLine {
  bool passed = false;
  std::string name;    // "float32 (5, 11), block (2, 4)"
  std::string detail;  // what was seen: figures when it passed, the first difference or finding when not
};

// Which program wrote which element, to be drawn.
struct OwnershipMap {
  std::string title;     // "blocked_axpy float32 (5, 11), block (2, 4)"
  core::Shape logical;   // (5, 11)
  core::Shape padded;    // (6, 12)
  core::Shape grid;      // (3, 3)
  sim::Ownership ownership;
};

struct StageReport {
  int stage = 0;
  std::string title;
  std::vector<CheckLine> lines;
  std::vector<std::string> notes;  // explanations, with the figures of the run that they rest on
  std::vector<OwnershipMap> maps;

  bool passed() const;
};

struct CheckReport {
  std::string candidate;          // as the user named it
  std::string candidate_sha256;
  std::uint64_t seed = 0;
  const core::Chip* chip = &core::DefaultChip();  // simulated; the backend is cpu
  std::vector<std::string> sandbox_layers;
  std::vector<std::string> module_sha256;  // of the modules that were simulated, in order
  std::vector<StageReport> stages;

  bool passed() const;
};

}  // namespace kernel_audit::check
