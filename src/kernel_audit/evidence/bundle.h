// A bundle in memory: files with their roles, and who made them by which command.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernel_audit/evidence/claim.h"
#include "kernel_audit/evidence/manifest.h"

namespace kernel_audit::evidence {

struct BundleFile {
  Role role = Role::kArray;
  std::string bytes;
};

class Bundle {
 public:
  Bundle(std::string version, std::vector<std::string> command) : version_(std::move(version)), command_(std::move(command)) {}

  // A document goes to its own tier's folder: a simulated "check" is simulated/check.json.
  template <Tier tier>
  void Add(const std::string& name, const Claim<tier>& claim) {
    Put(RoleOf(tier), std::string(kernel_audit::evidence::Name(tier)) + "/" + name + ".json", claim.text());
  }

  // Any other file. Throws InternalError for a role that only a Claim may have, a path that is not the role's, or one that is taken.
  void Add(Role role, const std::string& path, std::string bytes);

  // That this bundle repairs what the other one, which has this digest, shows.
  void SetRepairs(std::string digest) { repairs_ = std::move(digest); }

  const std::map<std::string, BundleFile>& files() const { return files_; }
  evidence::Manifest Manifest() const;

  static constexpr Role RoleOf(Tier tier) {
    switch (tier) {
      case Tier::kEstimate: return Role::kEstimate;
      case Tier::kSimulated: return Role::kSimulated;
      case Tier::kCompiled: return Role::kCompiled;
      case Tier::kExecuted: return Role::kExecuted;
    }
    return Role::kEstimate;
  }

 private:
  friend core::Result<Bundle> ReadBundle(const std::filesystem::path& folder);
  void Put(Role role, const std::string& path, std::string bytes);

  std::string version_;
  std::vector<std::string> command_;
  std::map<std::string, BundleFile> files_;
  std::string repairs_;
};

}  // namespace kernel_audit::evidence
