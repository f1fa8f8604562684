// A failure and its repair, as two bundles that name each other.
#pragma once

#include <filesystem>

#include "kernel_audit/check/check_report.h"
#include "kernel_audit/core/error.h"
#include "kernel_audit/evidence/bundle.h"

namespace kernel_audit::cli {

// Writes FOLDER/failure and FOLDER/repair, both or neither. The repair names the failure's digest and has difference/source.diff (unified)
// and difference/checks.json: the checks whose verdict changed.
core::Result<void> WriteRepair(const check::CheckReport& failure, const check::CheckReport& repair, const std::filesystem::path& folder);

// Holds a repair's bundle against its failure's: the link, the same seed and stages, one failed and one passed, and both differences made
// again. kFailed with what does not hold.
core::Result<void> VerifyRepair(const evidence::Bundle& failure, const evidence::Bundle& repair);

}  // namespace kernel_audit::cli
