#include "kernel_audit/evidence/bundle_reader.h"

#include <algorithm>
#include <set>

#include "kernel_audit/core/file.h"
#include "kernel_audit/core/printable.h"
#include "kernel_audit/core/sha256.h"

namespace kernel_audit::evidence {
namespace {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;

tl::unexpected<core::Error> Wrong(const fs::path& where, const std::string& what) {
  return Fail(ErrorCode::kFailed, core::Printable(where.string()) + " " + what);
}

// Everything in the folder that is no folder, relative to it.
core::Result<std::set<std::string>> FilesIn(const fs::path& folder, const Manifest& manifest) {
  std::set<std::string> files, wanted_folders;
  for (const FileEntry& entry : manifest.files) {
    if (const fs::path parent = fs::path(entry.path).parent_path(); !parent.empty()) wanted_folders.insert(parent.string());
  }
  std::error_code error;
  fs::recursive_directory_iterator each(folder, error), end;
  for (; !error && each != end; each.increment(error)) {
    const std::string path = each->path().lexically_relative(folder).string();
    const fs::file_type type = each->symlink_status(error).type();
    if (type == fs::file_type::symlink) return Wrong(each->path(), "is a symbolic link: a bundle holds its files itself");
    if (type == fs::file_type::directory && !wanted_folders.contains(path)) return Wrong(each->path(), "is a folder that the manifest does not name");
    if (type == fs::file_type::directory) continue;
    if (type != fs::file_type::regular) return Wrong(each->path(), "is no regular file");
    files.insert(path);
  }
  if (error) return Fail(ErrorCode::kIo, "cannot read " + core::Printable(folder.string()) + ": " + error.message());
  return files;
}

core::Result<void> RequireSameNames(const fs::path& folder, const Manifest& manifest) {
  auto files = FilesIn(folder, manifest);
  if (!files) return tl::unexpected(std::move(files.error()));
  files->erase(kManifestFile);
  for (const FileEntry& entry : manifest.files) {
    if (files->erase(entry.path) == 0) return Wrong(folder / entry.path, "is missing");
  }
  if (!files->empty()) return Wrong(folder / *files->begin(), "is not in the manifest");
  return {};
}

core::Result<std::string> ReadEntryBytes(const fs::path& folder, const FileEntry& entry) {
  const fs::path path = folder / entry.path;
  auto bytes = core::ReadFile(path, kMostBundleBytes);
  if (!bytes) return bytes;
  if (bytes->size() != entry.size) {
    return Wrong(path, std::string(bytes->size() < entry.size ? "was cut: it" : "was lengthened: it") + " has " + std::to_string(bytes->size()) + " bytes, the manifest says " +
                           std::to_string(entry.size));
  }
  if (const std::string sha256 = core::Sha256(*bytes); sha256 != entry.sha256) {
    return Wrong(path, "is not the file that was recorded: its SHA-256 is " + sha256 + ", the manifest says " + entry.sha256);
  }
  return bytes;
}

// A document stands in its own tier's place.
core::Result<void> RequireTier(const fs::path& path, Role role, const std::string& bytes) {
  for (const Tier tier : kTiers) {
    if (role != Bundle::RoleOf(tier)) continue;
    const auto document = ReadDocument(tier, bytes);
    if (!document) return Wrong(path, document.error().message);
  }
  return {};
}

core::Result<Manifest> ReadManifest(const fs::path& folder) {
  std::error_code error;
  const fs::path path = folder / kManifestFile;
  if (!fs::is_directory(folder, error)) return Fail(ErrorCode::kBadInput, core::Printable(folder.string()) + " is no folder");
  const fs::file_type type = fs::symlink_status(path, error).type();
  if (type == fs::file_type::not_found) return Wrong(folder, "is no bundle: it has no manifest.json, which is written last");
  if (type == fs::file_type::symlink) return Wrong(path, "is a symbolic link: a bundle holds its files itself");
  const auto text = core::ReadFile(path, kMostManifestBytes);
  if (!text) return tl::unexpected(text.error());
  auto manifest = ParseManifest(*text);
  if (!manifest) return Wrong(path, manifest.error().message);
  return manifest;
}

}  // namespace

core::Result<Bundle> ReadBundle(const fs::path& folder) {
  const auto manifest = ReadManifest(folder);
  if (!manifest) return tl::unexpected(manifest.error());
  if (auto same = RequireSameNames(folder, *manifest); !same) return tl::unexpected(same.error());
  Bundle bundle(manifest->version, manifest->command);
  bundle.SetRepairs(manifest->repairs);
  std::uint64_t total = 0;
  for (const FileEntry& entry : manifest->files) {
    total += std::min(entry.size, kMostBundleBytes);
    if (total > kMostBundleBytes) return Wrong(folder, "lists more than " + std::to_string(kMostBundleBytes) + " bytes");
    auto bytes = ReadEntryBytes(folder, entry);
    if (!bytes) return tl::unexpected(std::move(bytes.error()));
    if (auto right = RequireTier(folder / entry.path, entry.role, *bytes); !right) return tl::unexpected(right.error());
    bundle.Put(entry.role, entry.path, std::move(*bytes));
  }
  return bundle;
}

bool IsPair(const fs::path& folder) {
  std::error_code error;
  return !fs::exists(folder / kManifestFile, error) && fs::is_directory(folder / kFailureFolder, error) && fs::is_directory(folder / kRepairFolder, error);
}

}  // namespace kernel_audit::evidence
