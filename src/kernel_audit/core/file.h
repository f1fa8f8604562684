// Whole files: read with a bound, written so that nobody ever sees half of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "kernel_audit/core/error.h"

namespace kernel_audit::core {

// A regular file open for reading. Devices, pipes and folders are refused without waiting for them.
class InputFile {
 public:
  static Result<InputFile> Open(const std::filesystem::path& path);

  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  // Bytes, as of Open.
  std::uint64_t size() const { return size_; }

  // Fills `bytes` from `offset`; kIo when the file has become shorter.
  Result<void> ReadAt(std::uint64_t offset, std::span<std::byte> bytes) const;

 private:
  InputFile(std::filesystem::path path, int descriptor, std::uint64_t size);

  std::filesystem::path path_;
  int descriptor_;
  std::uint64_t size_;
};

// The file's bytes; kBadInput when it holds more than `limit`.
Result<std::string> ReadFile(const std::filesystem::path& path, std::uint64_t limit);

// Writes the parts, one after the other, to a temporary file in `path`'s folder, makes it durable and renames it to `path`. After a
// failure `path` is what it was before. The file's mode follows the umask.
Result<void> WriteFile(const std::filesystem::path& path, std::initializer_list<std::span<const std::byte>> parts);
Result<void> WriteFile(const std::filesystem::path& path, std::string_view text);

inline std::span<const std::byte> AsBytes(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

}  // namespace kernel_audit::core
