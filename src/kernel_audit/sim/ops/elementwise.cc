#include "kernel_audit/sim/ops/elementwise.h"

#include <emmintrin.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernel_audit/core/error.h"
#include "kernel_audit/sim/ops/families.h"

namespace kernel_audit::sim::ops {
namespace {

template <std::size_t kSize>
void Copy(void* dst, const void* a, std::size_t n) {
  if (n > 0) std::memmove(dst, a, n * kSize);
}

UnaryFn FindBitcast(DType from, DType to) {
  if (core::IsSemaphore(from) || core::IsSemaphore(to) || core::ByteSize(from) != core::ByteSize(to)) return nullptr;
  if ((from == DType::kBool) != (to == DType::kBool)) return nullptr;  // 1 bit and 8 bits
  switch (core::ByteSize(from)) {
    case 1: return Copy<1>;
    case 2: return Copy<2>;
    case 4: return Copy<4>;
    default: return Copy<8>;
  }
}

template <class T>
void FillWith(void* dst, const void* element, std::size_t n) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  auto* to = static_cast<T*>(dst);
  // More than a cache holds goes past it: whoever writes there next has not read it before.
  constexpr std::size_t kStreamBytes = std::size_t{1} << 22, kUnit = sizeof(__m128i);
  if (n * sizeof(T) >= kStreamBytes && reinterpret_cast<std::uintptr_t>(to) % sizeof(T) == 0) {
    T unit[kUnit / sizeof(T)];
    std::fill_n(unit, kUnit / sizeof(T), value);
    const __m128i pattern = _mm_loadu_si128(reinterpret_cast<const __m128i*>(unit));
    for (; reinterpret_cast<std::uintptr_t>(to) % kUnit != 0; --n) *to++ = value;
    for (; n * sizeof(T) >= kUnit; n -= kUnit / sizeof(T), to += kUnit / sizeof(T)) _mm_stream_si128(reinterpret_cast<__m128i*>(to), pattern);
    _mm_sfence();
  }
  std::fill_n(to, n, value);
}

}  // namespace

UnaryFn FindUnary(OpCode code, DType from, DType to) {
  if (code == OpCode::kBitcast || code == OpCode::kArithBitcast) return FindBitcast(from, to);
  if (UnaryFn cast = FindFloatCast(code, from, to)) return cast;
  if (UnaryFn cast = FindIntCast(code, from, to)) return cast;
  if (UnaryFn bits = FindBits(code, from, to)) return bits;
  if (from != to) return nullptr;
  if (UnaryFn simple = FindFloatUnary(code, from)) return simple;
  if (UnaryFn library = FindLibraryUnary(code, from)) return library;
  return FindMath(code, from);
}

BinaryFn FindBinary(OpCode code, DType dtype, std::int64_t predicate) {
  if (BinaryFn compare = FindCompare(code, dtype, predicate)) return compare;
  if (BinaryFn arithmetic = FindFloatBinary(code, dtype)) return arithmetic;
  if (BinaryFn library = FindLibraryBinary(code, dtype)) return library;
  if (BinaryFn convert = FindStochasticConvert(code, dtype)) return convert;
  return FindIntBinary(code, dtype);
}

void Fill(void* dst, const void* element, std::size_t element_size, std::size_t n) {
  switch (element_size) {
    case 1: return FillWith<std::uint8_t>(dst, element, n);
    case 2: return FillWith<std::uint16_t>(dst, element, n);
    case 4: return FillWith<std::uint32_t>(dst, element, n);
    case 8: return FillWith<std::uint64_t>(dst, element, n);
    default: throw core::InternalError("Fill: no element has " + std::to_string(element_size) + " bytes");
  }
}

}  // namespace kernel_audit::sim::ops
