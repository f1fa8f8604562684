// NumPy's .npy files. Source of the format: NumPy's own description, versions 1.0, 2.0 and 3.0.
// bfloat16, which NumPy has no word for, is stored as uint16 bit patterns: read it with Reinterpret(array, DType::kBFloat16).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "kernel_audit/core/error.h"
#include "kernel_audit/core/host_array.h"

namespace kernel_audit::core {

// Bounds on what a file may ask for.
inline constexpr std::size_t kMaxNpyHeaderBytes = std::size_t{1} << 20;
inline constexpr std::uint64_t kMaxNpyDataBytes = std::uint64_t{1} << 33;
inline constexpr std::size_t kMaxNpyRank = 32;

// The array in a file's bytes. Element types: bool, int8..64, uint8..64, float16/32/64, little-endian; a Fortran-order array is laid out
// anew in C order. kUnsupported for big-endian, structured, object (pickled), text and other types; kBadInput for a header that is
// wrong or too long, a shape that is negative or too large, more or fewer bytes than the shape asks for, a bool that is not 0 or 1.
Result<HostArray> ParseNpy(std::span<const std::byte> bytes);

// The same for a file; every message begins with its path. The shape is held against the file's size before memory is taken.
Result<HostArray> ReadNpy(const std::filesystem::path& path);

// Writes version 1.0 in C order, whole or not at all. bfloat16 is written as uint16, index as int64; semaphores are kUnsupported.
Result<void> WriteNpy(const std::filesystem::path& path, const HostArray& array);

// What WriteNpy puts before the elements: magic, version, length and dictionary, a multiple of 64 bytes.
Result<std::string> NpyHeader(const ArrayType& type);

}  // namespace kernel_audit::core
