// The record of compilations, for the terminal and as JSON. It is of the compiled tier: no field of it is a time.
#pragma once

#include <string>
#include <vector>

#include "kernel_audit/evidence/claim.h"
#include "kernel_audit/import/module.h"
#include "kernel_audit/target/compile.h"

namespace kernel_audit::cli {

struct CompileReport {
  struct Entry {
    target::Topology topology;
    target::CompileOutcome outcome;
  };
  std::string name;  // of what was compiled
  std::string module_sha256;
  const target::Libtpu& libtpu;
  const import::ImportedModule& module;
  std::vector<Entry> outcomes;

  bool accepted() const;  // by every topology
};

// A table with a row a topology and a row a kernel.
std::string CompileText(const CompileReport& report);
evidence::CompiledClaim CompileClaim(const CompileReport& report);

}  // namespace kernel_audit::cli
