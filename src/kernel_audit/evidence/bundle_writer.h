// Bundles on a disk: whole, or not there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernel_audit/core/error.h"
#include "kernel_audit/evidence/bundle.h"

namespace kernel_audit::evidence {

// Makes the parents of a folder that a bundle is to be written into: kBadInput when something of its name exists, or a parent is no folder.
// To be asked before long work.
core::Result<void> RequireNewFolder(const std::filesystem::path& folder);

// A bundle and the name of its folder inside the new one; without a name it is the new folder itself.
struct NamedBundle {
  std::string name;
  const Bundle* bundle;
};

// Everything goes into a temporary folder beside `folder`: each file is made durable, the manifest comes last, the folder is read back and
// verified, moved to its name (never onto something that exists), its parent made durable, and it is verified once more. When this ends in
// an error, is killed, or the disk is full, `folder` does not exist or is whole. The temporary folder, whose name begins with a dot and
// ends in ".partial", is removed unless the process was killed.
core::Result<void> WriteBundles(const std::filesystem::path& folder, const std::vector<NamedBundle>& bundles);
core::Result<void> WriteBundle(const std::filesystem::path& folder, const Bundle& bundle);

}  // namespace kernel_audit::evidence
