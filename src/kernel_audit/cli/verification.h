// Bundles held against themselves: for `verify` and before every report.
#pragma once

#include <filesystem>
#include <vector>

#include "kernel_audit/core/error.h"
#include "kernel_audit/evidence/bundle.h"

namespace kernel_audit::cli {

struct VerifiedBundle {
  std::filesystem::path folder;
  evidence::Bundle bundle;
};

// The bundle in `folder`, or a failure's and its repair's: read whole, every figure computed and every picture drawn again, the two held
// against each other. kFailed with what is wrong.
core::Result<std::vector<VerifiedBundle>> VerifyFolder(const std::filesystem::path& folder);

}  // namespace kernel_audit::cli
