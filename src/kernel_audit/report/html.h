// A report of bundles as one HTML file that asks nothing of a network.
#pragma once

#include <span>
#include <string>

#include "kernel_audit/core/error.h"
#include "kernel_audit/evidence/bundle.h"

namespace kernel_audit::report {

struct ReportedBundle {
  std::string name;  // as the person called it
  const evidence::Bundle* bundle;
};

// One page: the verdict of each tier, checks, ownership, timelines, values beside the oracle's, findings beside the source, buffers and
// traffic, the compiler's tables, receipts, the precision policy, files with their hashes, and what none of it proves. The bundles are
// verified ones; kFailed for a document that has not its schema's form all the same.
core::Result<std::string> Html(std::span<const ReportedBundle> bundles);

}  // namespace kernel_audit::report
