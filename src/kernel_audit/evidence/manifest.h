// The list of a bundle's files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_audit/core/error.h"

namespace kernel_audit::evidence {

inline constexpr const char* kManifestFile = "manifest.json";

// What a file of a bundle is. Each role has its folder, so that no document can stand in another's place.
enum class Role {
  kCandidate,    // candidate/: the person's source
  kModule,       // modules/: what was simulated, compiled or executed
  kEnvironment,  // environment.json
  kEstimate,     // estimate/: documents of the four tiers
  kSimulated,    // simulated/
  kCompiled,     // compiled/
  kExecuted,     // executed/: receipts
  kArray,        // arrays/: inputs, results, the oracle's values
  kPicture,      // pictures/
  kDifference,   // difference/: between a failure and its repair
};

// "simulated".
std::string_view Name(Role role);
std::optional<Role> RoleFromName(std::string_view name);

// Whether files of this role may have this path: relative, in the role's folder, no `.` or `..`, nothing that a terminal would not print.
bool IsPathOf(Role role, std::string_view path);

struct FileEntry {
  std::string path;
  Role role = Role::kArray;
  std::uint64_t size = 0;
  std::string sha256;
  friend bool operator==(const FileEntry&, const FileEntry&) = default;
};

struct Manifest {
  std::string version;               // of kernel-audit
  std::vector<std::string> command;  // as it was given
  std::vector<FileEntry> files;      // by path
  std::string repairs;               // the digest of the failure's bundle that this one repairs; empty: none

  // SHA-256 of all the rest: the bundle's identity.
  std::string Digest() const;
  // Canonical JSON and a newline; "sha256" is the digest.
  std::string Text() const;
};

// kBadInput, in words that go after "manifest.json: ", for everything that Text() would not have written.
core::Result<Manifest> ParseManifest(const std::string& text);

}  // namespace kernel_audit::evidence
