#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel_audit/sim/ops/compare_select.cc"
#include "kernel_audit/sim/ops/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <array>

#include "kernel_audit/sim/ops/families.h"
#include "kernel_audit/sim/ops/loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernel_audit::sim::ops {
namespace HWY_NAMESPACE {

enum Relation : unsigned { kEqual = 1, kGreater = 2, kLess = 4, kUnordered = 8 };

// The relations for which cmpf's predicate holds.
constexpr std::array<unsigned, 16> kFloatRelations = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 8, 15};

// Of two values, whether one of `kRelations` holds.
template <unsigned kRelations>
struct Compare {
  template <class T>
  static HWY_INLINE std::uint8_t Of(T a, T b) {
    bool holds = false;
    if constexpr ((kRelations & kEqual) != 0) holds |= a == b;
    if constexpr ((kRelations & kGreater) != 0) holds |= a > b;
    if constexpr ((kRelations & kLess) != 0) holds |= a < b;
    if constexpr ((kRelations & kUnordered) != 0) holds |= !((a == a) & (b == b));
    return holds;
  }
};

// An i1's signed value.
struct SignedBool {
  using Stored = std::uint8_t;
  static HWY_INLINE std::int8_t Load(std::uint8_t value) { return static_cast<std::int8_t>(-static_cast<int>(value & 1)); }
};

template <class Element>
using CompareTable = std::array<BinaryFn, 16>;

template <class Element, unsigned... kMask>
constexpr CompareTable<Element> TableOf(std::integer_sequence<unsigned, kMask...>) {
  return {MapBinary<Element, Int<std::uint8_t>, Compare<kMask>>...};
}

template <class Element>
BinaryFn FloatCompareOf(std::int64_t predicate) {
  static constexpr CompareTable<Element> table = TableOf<Element>(std::make_integer_sequence<unsigned, 16>());
  if (predicate < 0 || predicate >= 16) return nullptr;
  return table[kFloatRelations[static_cast<std::size_t>(predicate)]];
}

template <class Signed, class Unsigned>
BinaryFn IntCompareOf(std::int64_t predicate) {
  using To = Int<std::uint8_t>;
  switch (predicate) {
    case 0: return MapBinary<Signed, To, Compare<kEqual>>;
    case 1: return MapBinary<Signed, To, Compare<kLess | kGreater>>;
    case 2: return MapBinary<Signed, To, Compare<kLess>>;
    case 3: return MapBinary<Signed, To, Compare<kLess | kEqual>>;
    case 4: return MapBinary<Signed, To, Compare<kGreater>>;
    case 5: return MapBinary<Signed, To, Compare<kGreater | kEqual>>;
    case 6: return MapBinary<Unsigned, To, Compare<kLess>>;
    case 7: return MapBinary<Unsigned, To, Compare<kLess | kEqual>>;
    case 8: return MapBinary<Unsigned, To, Compare<kGreater>>;
    case 9: return MapBinary<Unsigned, To, Compare<kGreater | kEqual>>;
    default: return nullptr;
  }
}

BinaryFn FloatCompare(DType dtype, std::int64_t predicate) {
  switch (dtype) {
    case DType::kFloat32: return FloatCompareOf<Float32>(predicate);
    case DType::kBFloat16: return FloatCompareOf<BFloat16>(predicate);
    default: return nullptr;
  }
}

BinaryFn IntCompare(DType dtype, std::int64_t predicate) {
  switch (dtype) {
    case DType::kBool: return IntCompareOf<SignedBool, Int<std::uint8_t>>(predicate);
    case DType::kInt8: return IntCompareOf<Int<std::int8_t>, Int<std::uint8_t>>(predicate);
    case DType::kInt16: return IntCompareOf<Int<std::int16_t>, Int<std::uint16_t>>(predicate);
    case DType::kInt32: return IntCompareOf<Int<std::int32_t>, Int<std::uint32_t>>(predicate);
    case DType::kInt64:
    case DType::kIndex: return IntCompareOf<Int<std::int64_t>, Int<std::uint64_t>>(predicate);
    default: return nullptr;
  }
}

template <class T>
void SelectOf(void* dst, const std::uint8_t* cond, const void* a, const void* b, std::size_t n) {
  auto* to = static_cast<T*>(dst);
  const auto* left = static_cast<const T*>(a);
  const auto* right = static_cast<const T*>(b);
  KA_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    const T when_true = left[i], when_false = right[i];
    to[i] = cond[i] != 0 ? when_true : when_false;
  }
}

SelectFn Select(DType dtype) {
  switch (core::ByteSize(dtype)) {
    case 1: return SelectOf<std::uint8_t>;
    case 2: return SelectOf<std::uint16_t>;
    case 4: return SelectOf<std::uint32_t>;
    default: return SelectOf<std::uint64_t>;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kernel_audit::sim::ops
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernel_audit::sim::ops {

HWY_EXPORT(FloatCompare);
HWY_EXPORT(IntCompare);
HWY_EXPORT(Select);

BinaryFn FindCompare(OpCode code, DType dtype, std::int64_t predicate) {
  switch (code) {
    case OpCode::kCmpF: return HWY_DYNAMIC_DISPATCH(FloatCompare)(dtype, predicate);
    case OpCode::kCmpI: return HWY_DYNAMIC_DISPATCH(IntCompare)(dtype, predicate);
    default: return nullptr;
  }
}

SelectFn FindSelect(DType dtype) { return core::IsSemaphore(dtype) ? nullptr : HWY_DYNAMIC_DISPATCH(Select)(dtype); }

}  // namespace kernel_audit::sim::ops
#endif
