#include "kernel_audit/sim/ops/elementwise.h"

#include <algorithm>
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
  std::fill_n(static_cast<T*>(dst), n, value);
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
