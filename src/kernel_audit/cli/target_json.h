// The receipt of a measurement: a document of tier "executed", the only one with times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kernel_audit/check/target_check.h"

namespace kernel_audit::cli {

// The library that was measured through and its devices, as they reported themselves.
struct TargetLibrary {
  std::string path, sha256, pjrt_api, platform_version;
  std::size_t devices = 0;
  std::int64_t bytes_per_second = 0;  // of one device's memory, at most
};

// Canonical JSON, no newline at its end.
std::string ReceiptJson(const check::TargetOptions& options, const check::TargetReceipt& receipt, const TargetLibrary& library);

}  // namespace kernel_audit::cli
