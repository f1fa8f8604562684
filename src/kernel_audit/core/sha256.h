// SHA-256, as 64 lowercase hexadecimal digits.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "kernel_audit/core/error.h"

namespace kernel_audit::core {

std::string Sha256(std::span<const std::byte> bytes);
std::string Sha256(std::string_view text);

// The digest of a regular file's bytes, read in pieces.
Result<std::string> Sha256OfFile(const std::filesystem::path& path);

}  // namespace kernel_audit::core
