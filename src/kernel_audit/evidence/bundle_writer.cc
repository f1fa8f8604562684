#include "kernel_audit/evidence/bundle_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <set>
#include <system_error>

#include "kernel_audit/core/printable.h"
#include "kernel_audit/evidence/bundle_reader.h"

namespace kernel_audit::evidence {
namespace {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;

tl::unexpected<core::Error> IoFailure(const std::string& what, const fs::path& path) {
  const int number = errno;
  return Fail(ErrorCode::kIo, "cannot " + what + " " + core::Printable(path.string()) + ": " + std::generic_category().message(number));
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }
  // Some file systems tell of a failed write only here.
  bool Close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

core::Result<void> WriteDurably(const fs::path& path, std::string_view bytes) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.number() < 0) return IoFailure("create", path);
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.number(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return IoFailure("write", path);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::fsync(file.number()) != 0) return IoFailure("make durable", path);
  if (!file.Close()) return IoFailure("write", path);
  return {};
}

core::Result<void> SyncFolder(const fs::path& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.number() < 0) return IoFailure("open", folder);
  // Some file systems have nothing to do for a folder and say EINVAL.
  if (::fsync(descriptor.number()) != 0 && errno != EINVAL) return IoFailure("make durable", folder);
  return {};
}

core::Result<void> MakeFolder(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0777) != 0) return IoFailure("create", folder);
  return {};
}

// Its files, its folders, and the manifest when all the rest is durable.
core::Result<void> WriteInto(const fs::path& folder, const Bundle& bundle) {
  std::set<fs::path> folders;
  for (const auto& [path, file] : bundle.files()) {
    const fs::path parent = (folder / path).parent_path();
    if (parent != folder && folders.insert(parent).second) {
      if (auto made = MakeFolder(parent); !made) return made;
    }
    if (auto written = WriteDurably(folder / path, file.bytes); !written) return written;
  }
  for (const fs::path& each : folders) {
    if (auto synced = SyncFolder(each); !synced) return synced;
  }
  if (auto written = WriteDurably(folder / kManifestFile, bundle.Manifest().Text()); !written) return written;
  return SyncFolder(folder);
}

core::Result<void> VerifyIn(const fs::path& folder, const std::vector<NamedBundle>& bundles) {
  for (const NamedBundle& each : bundles) {
    const auto read = ReadBundle(each.name.empty() ? folder : folder / each.name);
    if (!read) return tl::unexpected(read.error());
    if (read->Manifest().Digest() != each.bundle->Manifest().Digest()) return Fail(ErrorCode::kIo, folder.string() + " does not read back as it was written");
  }
  return {};
}

// Removes its folder unless that got its name.
class PartialFolder {
 public:
  explicit PartialFolder(const fs::path& target) : target_(target), parent_(target.has_parent_path() ? target.parent_path() : fs::path(".")) {
    path_ = parent_ / ("." + target.filename().string() + "." + std::to_string(::getpid()) + ".partial");
  }
  PartialFolder(const PartialFolder&) = delete;
  ~PartialFolder() {
    std::error_code error;
    if (made_ && !moved_) fs::remove_all(path_, error);
  }

  const fs::path& path() const { return path_; }
  const fs::path& parent() const { return parent_; }

  core::Result<void> Make() {
    std::error_code error;
    fs::remove_all(path_, error);  // of a process that was killed and had our number
    auto made = MakeFolder(path_);
    made_ = made.has_value();
    return made;
  }

  core::Result<void> Move() {
    if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE) != 0) return IoFailure("move the finished bundle to", target_);
    moved_ = true;
    return {};
  }

 private:
  fs::path target_, parent_, path_;
  bool made_ = false, moved_ = false;
};

core::Result<void> WriteAll(const fs::path& folder, const std::vector<NamedBundle>& bundles) {
  for (const NamedBundle& each : bundles) {
    const fs::path to = each.name.empty() ? folder : folder / each.name;
    if (!each.name.empty()) {
      if (auto made = MakeFolder(to); !made) return made;
    }
    if (auto written = WriteInto(to, *each.bundle); !written) return written;
  }
  return SyncFolder(folder);
}

// "runs/today/" names the folder today.
fs::path WithoutSlash(const fs::path& folder) { return folder.has_filename() ? folder : folder.parent_path(); }

}  // namespace

core::Result<void> RequireNewFolder(const fs::path& folder) {
  const fs::path target = WithoutSlash(folder);
  std::error_code error;
  if (!target.has_filename() || target.filename() == "." || target.filename() == "..") return Fail(ErrorCode::kBadInput, core::Printable(folder.string()) + " names no new folder");
  if (fs::symlink_status(target, error).type() != fs::file_type::not_found) {
    return Fail(ErrorCode::kBadInput, core::Printable(folder.string()) + " exists already; a bundle is written into a new folder and never over another");
  }
  const fs::path parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
  fs::create_directories(parent, error);
  if (!fs::is_directory(parent, error)) return Fail(ErrorCode::kBadInput, core::Printable(parent.string()) + " is no folder that a bundle could be written into");
  return {};
}

core::Result<void> WriteBundles(const fs::path& folder, const std::vector<NamedBundle>& bundles) {
  if (auto free = RequireNewFolder(folder); !free) return free;
  PartialFolder partial(WithoutSlash(folder));
  if (auto made = partial.Make(); !made) return made;
  if (auto written = WriteAll(partial.path(), bundles); !written) return written;
  if (auto whole = VerifyIn(partial.path(), bundles); !whole) return whole;
  if (auto moved = partial.Move(); !moved) return moved;
  if (auto synced = SyncFolder(partial.parent()); !synced) return synced;
  return VerifyIn(WithoutSlash(folder), bundles);
}

core::Result<void> WriteBundle(const fs::path& folder, const Bundle& bundle) { return WriteBundles(folder, {{"", &bundle}}); }

}  // namespace kernel_audit::evidence
