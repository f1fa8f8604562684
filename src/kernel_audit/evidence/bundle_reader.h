// Bundles from a disk, judged as untrusted bytes.
#pragma once

#include <filesystem>

#include "kernel_audit/core/error.h"
#include "kernel_audit/evidence/bundle.h"

namespace kernel_audit::evidence {

inline constexpr std::uint64_t kMostManifestBytes = std::uint64_t{16} << 20;
inline constexpr std::uint64_t kMostBundleBytes = std::uint64_t{8} << 30;

// The bundle in `folder`, when it is exactly what its manifest lists: nothing missing, extra, changed, cut, listed twice or out of order, no
// link, nothing in another tier's place. kFailed, with the file and what is wrong with it, otherwise; kIo when it cannot be read.
core::Result<Bundle> ReadBundle(const std::filesystem::path& folder);

// Whether the folder holds no bundle itself but a failure's and its repair's.
bool IsPair(const std::filesystem::path& folder);
inline constexpr const char* kFailureFolder = "failure";
inline constexpr const char* kRepairFolder = "repair";

}  // namespace kernel_audit::evidence
