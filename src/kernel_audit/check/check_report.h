// What `check` found out. A verdict comes from here and from nothing that a candidate prints or returns.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel_audit/check/compare.h"
#include "kernel_audit/core/chip.h"
#include "kernel_audit/core/host_array.h"
#include "kernel_audit/core/shape.h"
#include "kernel_audit/evidence/tier.h"
#include "kernel_audit/report/timeline.h"
#include "kernel_audit/sim/run.h"
#include "kernel_audit/worker/request.h"

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

// What a judgement of values rests on: the arrays that went in, the oracle's, and the kernel's.
struct References {
  std::vector<core::HostArray> inputs;
  core::HostArray expected, result;
  Zeros zeros = Zeros::kSigned;
  std::int64_t differing = 0;  // elements that disagree
  bool keep = false;           // the arrays themselves, not only their hashes
};

// One module that was simulated.
struct CaseRecord {
  worker::TraceRequest request;
  std::string module_sha256;
  sim::Report run;
  std::optional<References> references;       // nothing: it was not run to its end
  std::optional<std::int64_t> overlapped_steps;  // of work, with a copy on its way; pipelines only
};

struct StageReport {
  int stage = 0;
  std::string title;
  std::vector<CheckLine> lines;
  std::vector<std::string> notes;  // explanations, with the figures of the run that they rest on
  std::vector<OwnershipMap> maps;
  std::vector<CaseRecord> cases;            // in the order they ran
  std::vector<report::Timeline> timelines;  // synchronous copies, two and three slots, of one block

  bool passed() const;
};

struct CheckReport {
  std::string candidate;          // as the user named it
  std::string candidate_file;     // as findings spell it: "model.cpp"
  std::string candidate_source;
  std::string candidate_sha256;
  std::uint64_t seed = 0;
  const core::Chip* chip = &core::DefaultChip();  // simulated; the backend is cpu
  std::vector<std::string> sandbox_layers;
  std::vector<std::string> module_sha256;  // of the modules that were simulated, in order
  std::map<std::string, std::string> modules;  // their texts
  std::optional<evidence::Witness<evidence::Tier::kSimulated>> witness;
  std::vector<StageReport> stages;

  bool passed() const;
};

}  // namespace kernel_audit::check
