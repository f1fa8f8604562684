// Findings of a simulated run, for people and for machines.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernel_audit/core/json.h"
#include "kernel_audit/core/shape.h"
#include "kernel_audit/core/source_location.h"

namespace kernel_audit::report {

// One agent's part in a finding.
struct FindingAccess {
  std::string agent;  // "core 0", "DMA 3 started at model.cpp:12"
  bool write = false;
  core::SourceLocation location;
  std::string region;      // of the finding's buffer: "[0:8, 0:128]"
  core::Shape grid_point;  // empty without a grid
};

struct Finding {
  std::string kind;    // "race"
  std::string kernel;
  std::string message;
  std::string buffer;
  core::SourceLocation location, other_location;  // unknown where there is none
  core::Shape grid_point;                         // where it was first seen; empty without a grid
  std::vector<FindingAccess> accesses;            // of a race two
  std::int64_t occurrences = 1;
};

// A person's own source file; findings point into it.
struct SourceText {
  std::string file;  // as locations spell it: "model.cpp"
  std::string text;
};

// One line, with anything in it that a terminal would not print spelled out: "out_of_bounds at model.cpp:12: ...", with the second line
// of source, the program and how often it happened.
std::string FindingLine(const Finding& finding);

// The first `most` findings in full, kinds in turn so that none hides another: the line, then what each agent did and where, each with
// the line of `source` that it points at. The rest is counted by kind. Every line begins with two spaces; no findings: nothing.
inline constexpr std::size_t kFindingsInFull = 5;
std::string FindingsText(std::span<const Finding> findings, const SourceText* source = nullptr, std::size_t most = kFindingsInFull);

// Everything: {"kind", "kernel", "message", "buffer", "place": {"file", "line"}, "other_place", "step": grid point, "accesses": [{"agent",
// "access": "read" or "write", "place", "region", "step"}], "occurrences"}.
core::Json FindingJson(const Finding& finding);
core::Json FindingsJson(std::span<const Finding> findings);

}  // namespace kernel_audit::report
