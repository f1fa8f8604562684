#include "kernel_audit/check/compare.h"

#include <cmath>
#include <cstdio>
#include <cstring>

#include "kernel_audit/check/oracle.h"
#include "kernel_audit/core/error.h"

namespace kernel_audit::check {
namespace {

std::uint32_t Bits(const core::HostArray& array, std::size_t element) {
  if (array.dtype() == core::DType::kBFloat16) return array.elements<std::uint16_t>()[element];
  std::uint32_t bits;
  std::memcpy(&bits, array.data() + 4 * element, sizeof bits);
  return bits;
}

bool Agree(const core::HostArray& a, const core::HostArray& b, std::size_t element, Zeros zeros) {
  if (Bits(a, element) == Bits(b, element)) return true;
  const double left = ElementValue(a, element), right = ElementValue(b, element);
  return (std::isnan(left) && std::isnan(right)) || (zeros == Zeros::kUnsigned && left == 0 && right == 0);
}

std::string Text(const core::HostArray& array, std::size_t element) {
  char text[64];
  const int digits = array.dtype() == core::DType::kBFloat16 ? 4 : 8;
  std::snprintf(text, sizeof text, "%.9g (0x%0*x)", ElementValue(array, element), digits, Bits(array, element));
  return text;
}

core::Shape IndexOf(std::size_t element, const core::Shape& shape) {
  core::Shape index(shape.size());
  auto rest = static_cast<std::int64_t>(element);
  for (std::size_t d = shape.size(); d-- > 0;) {
    index[d] = rest % shape[d];
    rest /= shape[d];
  }
  return index;
}

}  // namespace

std::optional<Difference> FirstDifference(const core::HostArray& expected, const core::HostArray& got, Zeros zeros) {
  if (expected.type() != got.type()) throw core::InternalError("arrays of two types are compared");
  const auto count = static_cast<std::size_t>(core::NumElements(expected.shape()));
  std::optional<Difference> difference;
  for (std::size_t i = 0; i < count; ++i) {
    if (Agree(expected, got, i, zeros)) continue;
    if (!difference) difference = Difference{i, IndexOf(i, expected.shape()), 0, Text(expected, i), Text(got, i)};
    ++difference->count;
  }
  return difference;
}

}  // namespace kernel_audit::check
