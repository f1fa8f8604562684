// Functions that are rare enough for the C library: computed in double precision, rounded once.
#include <bit>
#include <cmath>

#include "kernel_audit/core/bfloat16.h"
#include "kernel_audit/sim/ops/families.h"

namespace kernel_audit::sim::ops {
namespace {

float Canonical(float value) { return value == value ? value : std::bit_cast<float>(0x7fc00000u); }

float Load(float value) { return value; }
float Load(std::uint16_t bits) { return core::BFloat16ToFloat(bits); }
void Store(float& to, float value) { to = Canonical(value); }
void Store(std::uint16_t& to, float value) { to = core::FloatToBFloat16(Canonical(value)); }

template <class T, double (*kFunction)(double)>
void MapUnary(void* dst, const void* a, std::size_t n) {
  auto* to = static_cast<T*>(dst);
  const auto* from = static_cast<const T*>(a);
  for (std::size_t i = 0; i < n; ++i) Store(to[i], static_cast<float>(kFunction(static_cast<double>(Load(from[i])))));
}

template <class T, double (*kFunction)(double, double)>
void MapBinary(void* dst, const void* a, const void* b, std::size_t n) {
  auto* to = static_cast<T*>(dst);
  const auto* left = static_cast<const T*>(a);
  const auto* right = static_cast<const T*>(b);
  for (std::size_t i = 0; i < n; ++i) {
    Store(to[i], static_cast<float>(kFunction(static_cast<double>(Load(left[i])), static_cast<double>(Load(right[i])))));
  }
}

template <class T>
UnaryFn UnaryOf(OpCode code) {
  switch (code) {
    case OpCode::kExp2: return MapUnary<T, std::exp2>;
    case OpCode::kLog1p: return MapUnary<T, std::log1p>;
    case OpCode::kCos: return MapUnary<T, std::cos>;
    case OpCode::kTan: return MapUnary<T, std::tan>;
    case OpCode::kErf: return MapUnary<T, std::erf>;
    default: return nullptr;
  }
}

// Of two float32 the double remainder is a float32, so fmod rounds nothing.
template <class T>
BinaryFn BinaryOf(OpCode code) {
  switch (code) {
    case OpCode::kPowF: return MapBinary<T, std::pow>;
    case OpCode::kAtan2: return MapBinary<T, std::atan2>;
    case OpCode::kRemF: return MapBinary<T, std::fmod>;
    default: return nullptr;
  }
}

}  // namespace

UnaryFn FindLibraryUnary(OpCode code, DType dtype) {
  if (dtype == DType::kFloat32) return UnaryOf<float>(code);
  return dtype == DType::kBFloat16 ? UnaryOf<std::uint16_t>(code) : nullptr;
}

BinaryFn FindLibraryBinary(OpCode code, DType dtype) {
  if (dtype == DType::kFloat32) return BinaryOf<float>(code);
  return dtype == DType::kBFloat16 ? BinaryOf<std::uint16_t>(code) : nullptr;
}

}  // namespace kernel_audit::sim::ops
