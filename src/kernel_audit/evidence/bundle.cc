#include "kernel_audit/evidence/bundle.h"

#include "kernel_audit/core/sha256.h"

namespace kernel_audit::evidence {

void Bundle::Add(Role role, const std::string& path, std::string bytes) {
  for (const Tier tier : kTiers) {
    if (role == RoleOf(tier)) throw core::InternalError("a document of a tier is added as a claim");
  }
  Put(role, path, std::move(bytes));
}

void Bundle::Put(Role role, const std::string& path, std::string bytes) {
  if (!IsPathOf(role, path)) throw core::InternalError(path + " is no path of a file of the role " + std::string(kernel_audit::evidence::Name(role)));
  if (!files_.try_emplace(path, BundleFile{role, std::move(bytes)}).second) throw core::InternalError(path + " is in the bundle already");
}

Manifest Bundle::Manifest() const {
  evidence::Manifest manifest{version_, command_, {}, repairs_};
  for (const auto& [path, file] : files_) manifest.files.push_back({path, file.role, file.bytes.size(), core::Sha256(file.bytes)});
  return manifest;
}

}  // namespace kernel_audit::evidence
