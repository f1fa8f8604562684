// Operations that look at an element's bits.
#include <bit>
#include <cstring>
#include <type_traits>

#include "kernel_audit/sim/ops/families.h"

namespace kernel_audit::sim::ops {
namespace {

template <class From, class To, To (*kFunction)(From)>
void Map(void* dst, const void* a, std::size_t n) {
  auto* to = static_cast<To*>(dst);
  const auto* from = static_cast<const From*>(a);
  for (std::size_t i = 0; i < n; ++i) to[i] = kFunction(from[i]);
}

template <class T>
T Magnitude(T value) { return static_cast<T>(value >> (8 * sizeof(T) - 1) != 0 ? 0 - value : value); }
template <class T>
T LeadingZeros(T value) { return static_cast<T>(std::countl_zero(value)); }
template <class T>
T Ones(T value) { return static_cast<T>(std::popcount(value)); }

// All bits of the exponent are one.
std::uint8_t IsWeird32(std::uint32_t bits) { return (bits & 0x7f800000u) == 0x7f800000u ? 1 : 0; }
std::uint8_t IsWeird16(std::uint16_t bits) { return (bits & 0x7f80u) == 0x7f80u ? 1 : 0; }

template <class T>
UnaryFn IntOf(OpCode code) {
  switch (code) {
    case OpCode::kAbsI: return Map<T, T, Magnitude<T>>;
    case OpCode::kCtlz: return Map<T, T, LeadingZeros<T>>;
    case OpCode::kCtpop: return Map<T, T, Ones<T>>;
    default: return nullptr;
  }
}

void StochasticConvert(void* dst, const void* a, const void* b, std::size_t n) {
  auto* to = static_cast<std::uint16_t*>(dst);
  const auto* from = static_cast<const std::uint32_t*>(a);
  const auto* random = static_cast<const std::uint32_t*>(b);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t bits = from[i];
    const auto upper = static_cast<std::uint16_t>(bits >> 16);
    if (IsWeird32(bits) == 0) {
      to[i] = static_cast<std::uint16_t>((bits + (random[i] & 0xffffu)) >> 16);
    } else {
      to[i] = static_cast<std::uint16_t>((bits & 0x7fffffu) == 0 ? upper : (upper & 0x8000u) | 0x7fc0u);
    }
  }
}

}  // namespace

UnaryFn FindBits(OpCode code, DType from, DType to) {
  if (code == OpCode::kWeird) return from == DType::kFloat32 ? Map<std::uint32_t, std::uint8_t, IsWeird32> : from == DType::kBFloat16 ? Map<std::uint16_t, std::uint8_t, IsWeird16> : nullptr;
  if (from != to) return nullptr;
  switch (from) {
    case DType::kInt8: return IntOf<std::uint8_t>(code);
    case DType::kInt16: return IntOf<std::uint16_t>(code);
    case DType::kInt32: return IntOf<std::uint32_t>(code);
    case DType::kInt64: return IntOf<std::uint64_t>(code);
    default: return nullptr;
  }
}

BinaryFn FindStochasticConvert(OpCode code, DType dtype) {
  return code == OpCode::kStochasticConvert && dtype == DType::kFloat32 ? StochasticConvert : nullptr;
}

}  // namespace kernel_audit::sim::ops
