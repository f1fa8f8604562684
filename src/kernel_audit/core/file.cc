#include "kernel_audit/core/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

namespace kernel_audit::core {
namespace {

tl::unexpected<Error> IoFailure(std::string_view verb, const std::filesystem::path& path) {
  const int number = errno;
  return Fail(ErrorCode::kIo, "cannot " + std::string(verb) + " " + path.string() + ": " + std::generic_category().message(number));
}

Result<void> WriteAll(int descriptor, std::span<const std::byte> bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return IoFailure("write", path);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

std::filesystem::path FolderOf(const std::filesystem::path& path) { return path.has_parent_path() ? path.parent_path() : "."; }

// Unlinks its file unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& target) {
    static std::atomic<unsigned> counter = 0;
    do {
      path_ = FolderOf(target) / ("." + target.filename().string() + "." + std::to_string(::getpid()) + "." + std::to_string(counter++));
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    if (!renamed_) ::unlink(path_.c_str());
  }

  int descriptor() const { return descriptor_; }

  bool RenameTo(const std::filesystem::path& target) {
    renamed_ = ::rename(path_.c_str(), target.c_str()) == 0;
    return renamed_;
  }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  bool renamed_ = false;
};

Result<void> SyncFolder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return IoFailure("open", folder);
  // Some file systems have nothing to do here and say EINVAL.
  const bool failed = ::fsync(descriptor) != 0 && errno != EINVAL;
  const int number = errno;
  ::close(descriptor);
  errno = number;
  if (failed) return IoFailure("make durable", folder);
  return {};
}

}  // namespace

InputFile::InputFile(std::filesystem::path path, int descriptor, std::uint64_t size)
    : path_(std::move(path)), descriptor_(descriptor), size_(size) {}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<InputFile> InputFile::Open(const std::filesystem::path& path) {
  // O_NONBLOCK: a pipe without a writer must not hang us before we can refuse it.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return IoFailure("open", path);
  InputFile file(path, descriptor, 0);
  struct stat status;
  if (::fstat(descriptor, &status) != 0) return IoFailure("open", path);
  if (!S_ISREG(status.st_mode)) return Fail(ErrorCode::kBadInput, path.string() + " is not a regular file");
  file.size_ = static_cast<std::uint64_t>(status.st_size);
  return file;
}

Result<void> InputFile::ReadAt(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return IoFailure("read", path_);
    if (count == 0) return Fail(ErrorCode::kIo, path_.string() + " became shorter while it was read");
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

Result<std::string> ReadFile(const std::filesystem::path& path, std::uint64_t limit) {
  Result<InputFile> file = InputFile::Open(path);
  if (!file) return tl::unexpected(file.error());
  if (file->size() > limit) {
    return Fail(ErrorCode::kBadInput, path.string() + " has " + std::to_string(file->size()) + " bytes; the limit is " + std::to_string(limit));
  }
  std::string text(file->size(), '\0');
  if (Result<void> read = file->ReadAt(0, std::as_writable_bytes(std::span(text))); !read) return tl::unexpected(read.error());
  return text;
}

Result<void> WriteFile(const std::filesystem::path& path, std::initializer_list<std::span<const std::byte>> parts) {
  if (!path.has_filename()) return Fail(ErrorCode::kBadInput, "\"" + path.string() + "\" names no file to write");
  TemporaryFile temporary(path);
  if (temporary.descriptor() < 0) return IoFailure("create a file beside", path);
  for (std::span<const std::byte> part : parts) {
    if (Result<void> written = WriteAll(temporary.descriptor(), part, path); !written) return written;
  }
  if (::fsync(temporary.descriptor()) != 0) return IoFailure("make durable", path);
  if (!temporary.RenameTo(path)) return IoFailure("write", path);
  return SyncFolder(FolderOf(path));
}

Result<void> WriteFile(const std::filesystem::path& path, std::string_view text) { return WriteFile(path, {AsBytes(text)}); }

}  // namespace kernel_audit::core
