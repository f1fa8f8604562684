// bfloat16: the upper half of a float32. Values travel as their 16 bits.
#pragma once

#include <bit>
#include <cstdint>

namespace kernel_audit::core {

// The nearest bfloat16, ties to even; too large a value becomes an infinity, subnormals are kept, a NaN becomes the quiet NaN of its
// sign (0x7fc0 or 0xffc0). A value that is not a float32 must not come here through float32: it would be rounded twice.
inline std::uint16_t FloatToBFloat16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const std::uint32_t quiet_nan = ((bits >> 16) & 0x8000u) | 0x7fc0u;
  return static_cast<std::uint16_t>(value == value ? rounded : quiet_nan);
}

// Exact; a NaN keeps its bits.
inline float BFloat16ToFloat(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

}  // namespace kernel_audit::core
