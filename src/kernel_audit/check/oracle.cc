#include "kernel_audit/check/oracle.h"

#include <cmath>
#include <cstring>

#include "kernel_audit/core/error.h"

namespace kernel_audit::check {
namespace {

using core::DType;

// A sum of two float32 in double precision is exact or rounded so late (53 bits for 24) that rounding it once more gives the sum's own
// float32.
float Rounded(double value) { return static_cast<float>(value); }

void SetElement(core::HostArray& array, std::size_t element, float value) {
  if (array.dtype() == DType::kFloat32) {
    array.elements<float>()[element] = value;
  } else {
    array.elements<std::uint16_t>()[element] = OracleBFloat16(value);
  }
}

}  // namespace

double ElementValue(const core::HostArray& array, std::size_t element) {
  if (array.dtype() == DType::kFloat32) return array.elements<float>()[element];
  if (array.dtype() != DType::kBFloat16) throw core::InternalError("oracle for " + core::ToString(array.type()));
  // sign, 8 bits of exponent, 7 bits of fraction
  const unsigned bits = array.elements<std::uint16_t>()[element];
  const int exponent = static_cast<int>(bits >> 7 & 0xff);
  const double fraction = bits & 0x7f;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 255) return fraction != 0 ? std::nan("") : sign * INFINITY;
  return sign * (exponent == 0 ? std::ldexp(fraction, -133) : std::ldexp(128 + fraction, exponent - 134));
}

std::uint16_t OracleBFloat16(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const auto sign = static_cast<std::uint16_t>(bits >> 31 << 15);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7fc0);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  std::uint32_t upper = magnitude / 65536;
  const std::uint32_t rest = magnitude % 65536;
  if (rest > 32768 || (rest == 32768 && upper % 2 == 1)) ++upper;
  return static_cast<std::uint16_t>(sign | upper);
}

core::HostArray AxpyOracle(const core::HostArray& x, const core::HostArray& y) {
  core::HostArray z(x.type());
  const auto count = static_cast<std::size_t>(core::NumElements(x.shape()));
  for (std::size_t i = 0; i < count; ++i) {
    const double doubled = Rounded(2.0 * ElementValue(x, i));
    SetElement(z, i, Rounded(doubled + ElementValue(y, i)));
  }
  return z;
}

core::HostArray BiasReluOracle(const core::HostArray& x, const core::HostArray& bias) {
  core::HostArray z(x.type());
  const auto count = static_cast<std::size_t>(core::NumElements(x.shape()));
  const auto columns = static_cast<std::size_t>(x.shape()[1]);
  for (std::size_t i = 0; i < count; ++i) {
    const float sum = Rounded(ElementValue(x, i) + ElementValue(bias, i % columns));
    SetElement(z, i, std::isnan(sum) || sum > 0 ? sum : 0.0f);
  }
  return z;
}

}  // namespace kernel_audit::check
