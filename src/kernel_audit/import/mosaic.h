// Mosaic -> ir::Kernel.
#pragma once

#include <memory>

#include "kernel_audit/core/error.h"
#include "kernel_audit/import/kernel_call.h"
#include "kernel_audit/ir/kernel.h"

namespace kernel_audit::import {

// The newest `stable_mosaic.version` that is read.
inline constexpr int kNewestMosaicVersion = 14;

// Reads the call's body, bytecode or generic text, and joins it to the call's arrays. Operation names may carry the prefix
// `stable_mosaic.` or none. The kernel is complete but not verified: ir::Verify comes next.
// kBadInput: damaged; kUnsupported: an operation, attribute, type or version that is not known, by name and with its source location.
core::Result<std::unique_ptr<ir::Kernel>> ReadMosaic(const KernelCall& call);

}  // namespace kernel_audit::import
