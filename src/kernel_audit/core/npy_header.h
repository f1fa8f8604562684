// The part of a .npy file before its elements.
#pragma once

#include <cstddef>
#include <span>

#include "kernel_audit/core/error.h"
#include "kernel_audit/core/host_array.h"

namespace kernel_audit::core {

struct NpyLayout {
  ArrayType type;
  bool fortran_order = false;
  std::size_t data_offset = 0;  // bytes before the first element
};

// Reads the layout from a file's first bytes; `prefix` need not hold more than kMaxNpyHeaderBytes + 12 of them. type.byte_size() is at
// most kMaxNpyDataBytes.
Result<NpyLayout> ParseNpyLayout(std::span<const std::byte> prefix);

}  // namespace kernel_audit::core
