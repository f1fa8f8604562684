#include "kernel_audit/import/literal.h"

#include <bit>
#include <charconv>

namespace kernel_audit::import {
namespace {

// Rounds a double's magnitude to a format with `mantissa` stored bits and `exponent` exponent bits: one rounding, subnormals included.
std::uint64_t Narrow(double value, int exponent, int mantissa) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t sign = (bits >> 63) << (exponent + mantissa);
  const std::uint64_t infinity = ((std::uint64_t{1} << exponent) - 1) << mantissa;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const int biased = static_cast<int>(bits >> 52 & 0x7ff);
  if (biased == 0x7ff) return sign | infinity | (fraction != 0 ? std::uint64_t{1} << (mantissa - 1) : 0);
  const int bias = (1 << (exponent - 1)) - 1;
  const int target = biased - 1023 + bias;
  if (biased == 0) return sign;
  if (target >= (1 << exponent) - 1) return sign | infinity;
  const std::uint64_t significand = fraction | std::uint64_t{1} << 52;
  const int dropped = 52 - mantissa + (target > 0 ? 0 : 1 - target);
  if (dropped > 54) return sign;
  std::uint64_t kept = significand >> dropped;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << dropped) - 1), half = std::uint64_t{1} << (dropped - 1);
  if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  // A carry out of the significand runs into the exponent, as it must.
  return sign | (target > 0 ? kept + (static_cast<std::uint64_t>(target - 1) << mantissa) : kept);
}

std::uint64_t FloatBits(double value, core::DType dtype) {
  switch (dtype) {
    case core::DType::kBFloat16: return Narrow(value, 8, 7);
    case core::DType::kFloat16: return Narrow(value, 5, 10);
    case core::DType::kFloat32: return Narrow(value, 8, 23);
    default: return std::bit_cast<std::uint64_t>(value);
  }
}

}  // namespace

std::optional<std::int64_t> ParseInteger(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (negative && value > std::uint64_t{1} << 63) return std::nullopt;
  return static_cast<std::int64_t>(negative ? ~value + 1 : value);
}

bool FitsWidth(std::int64_t value, int width) {
  if (width >= 64) return true;
  return value >= -(std::int64_t{1} << (width - 1)) && value < std::int64_t{1} << width;
}

void AppendInteger(std::int64_t value, core::DType dtype, std::vector<std::uint8_t>& bytes) {
  if (dtype == core::DType::kBool) value &= 1;
  for (std::size_t i = 0; i < core::ByteSize(dtype); ++i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

bool AppendFloat(std::string_view text, core::DType dtype, std::vector<std::uint8_t>& bytes) {
  std::int64_t bits = 0;
  if (text.starts_with("0x")) {
    const auto value = ParseInteger(text);
    const int width = 8 * static_cast<int>(core::ByteSize(dtype));
    if (!value || (width < 64 && (*value < 0 || *value >> width != 0))) return false;
    bits = *value;
  } else {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) return false;
    bits = static_cast<std::int64_t>(FloatBits(value, dtype));
  }
  AppendInteger(bits, dtype, bytes);
  return true;
}

}  // namespace kernel_audit::import
