// Numbers as MLIR writes them -> the bytes they have in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "kernel_audit/core/dtype.h"

namespace kernel_audit::import {

// A decimal or hexadecimal integer with an optional minus, at most 64 bits; unsigned values above INT64_MAX wrap.
std::optional<std::int64_t> ParseInteger(std::string_view text);

// `bits` of an integer fit a type of `width` bits, read as signed or as unsigned.
bool FitsWidth(std::int64_t value, int width);

// The low bytes of `value`, little endian, as an element of `dtype`; kBool becomes 0 or 1.
void AppendInteger(std::int64_t value, core::DType dtype, std::vector<std::uint8_t>& bytes);

// One element of a float `dtype`: decimal text (rounded to nearest even, once, from the double it denotes, as MLIR does), or 0x and the
// bit pattern. False: not such a literal.
bool AppendFloat(std::string_view text, core::DType dtype, std::vector<std::uint8_t>& bytes);

}  // namespace kernel_audit::import
