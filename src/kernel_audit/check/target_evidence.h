// The receipt of a measurement: a document of tier "executed", the only one with times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kernel_audit/check/target_check.h"
#include "kernel_audit/evidence/bundle.h"

namespace kernel_audit::check {

// The library that was measured through and its devices, as they reported themselves.
struct TargetLibrary {
  std::string path, sha256, pjrt_api, platform_version;
  std::size_t devices = 0;
  std::int64_t bytes_per_second = 0;  // of one device's memory, at most
};

// Throws InternalError for a receipt that is not of a measurement on a TPU.
evidence::ExecutedClaim ReceiptClaim(const TargetOptions& options, const TargetReceipt& receipt, const TargetLibrary& library);

// The receipt, the candidate's source and its module: executed/target.json, candidate/, modules/.
void AddReceipt(const TargetReceipt& receipt, const evidence::ExecutedClaim& claim, evidence::Bundle& bundle);

}  // namespace kernel_audit::check
