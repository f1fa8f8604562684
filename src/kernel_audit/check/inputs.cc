#include "kernel_audit/check/inputs.h"

#include <sys/random.h>

#include <array>
#include <cmath>
#include <limits>

#include "kernel_audit/check/oracle.h"
#include "kernel_audit/core/bfloat16.h"
#include "kernel_audit/core/error.h"

namespace kernel_audit::check {
namespace {

void Set(core::HostArray& array, std::size_t element, float value) {
  if (array.dtype() == core::DType::kFloat32) {
    array.elements<float>()[element] = value;
  } else {
    array.elements<std::uint16_t>()[element] = core::FloatToBFloat16(value);
  }
}

std::size_t Count(const core::HostArray& array) { return static_cast<std::size_t>(core::NumElements(array.shape())); }

// The neighbour of a represented value.
float Neighbour(const core::HostArray& array, float value, int direction) {
  if (array.dtype() == core::DType::kFloat32) return std::nextafter(value, direction * std::numeric_limits<float>::infinity());
  const int step = (value < 0) == (direction > 0) ? -1 : 1;
  return core::BFloat16ToFloat(static_cast<std::uint16_t>(core::FloatToBFloat16(value) + step));
}

}  // namespace

std::uint64_t FreshSeed() {
  std::uint64_t seed = 0;
  if (getrandom(&seed, sizeof seed, 0) != sizeof seed) throw core::InternalError("the system gives no random numbers");
  return seed >> 1;  // so that it is a JSON integer for everybody
}

float InputSource::Number() {
  const double mantissa = std::uniform_real_distribution<double>(-2, 2)(random_);
  const int exponent = std::uniform_int_distribution<int>(-6, 6)(random_);
  return static_cast<float>(std::ldexp(mantissa, exponent));
}

core::HostArray InputSource::Matrix(const core::ArrayType& type) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::array<float, 12> special = {std::nanf(""), kInfinity, -kInfinity, 0.0f, -0.0f, 1e-40f, -1e-40f, 3e38f, -3e38f, 1.0f, -1.0f, 1.00390625f};
  core::HostArray array(type);
  for (std::size_t i = 0; i < Count(array); ++i) {
    const bool plain = random_() % 8 != 0;
    Set(array, i, plain ? Number() : special[random_() % special.size()]);
  }
  return array;
}

void InputSource::PlantRoundings(core::HostArray& x, core::HostArray& y) {
  const std::size_t last = Count(x) - 1;
  Set(x, last, 0.5f);
  Set(y, last, 0x1p-8f + 0x1p-15f);
  Set(x, 0, 0x1p-8f);
  Set(y, 0, 1.0f);
}

core::HostArray InputSource::Bias(const core::ArrayType& type) {
  core::HostArray bias(type);
  for (std::size_t i = 0; i < Count(bias); ++i) {
    const float magnitude = 1 + static_cast<float>(i) / 64 + static_cast<float>(random_() % 128) * 64;
    Set(bias, i, i % 2 == 0 ? magnitude : -magnitude);
  }
  return bias;
}

void InputSource::PlantCancellations(core::HostArray& x, const core::HostArray& bias) {
  for (std::size_t i = 0; i < Count(x); ++i) {
    if (random_() % 3 != 0) continue;
    const float exact = -static_cast<float>(ElementValue(bias, i % Count(bias)));
    const int side = static_cast<int>(random_() % 3) - 1;
    Set(x, i, side == 0 ? exact : Neighbour(x, exact, side));
  }
}

void InputSource::PlantSpecials(core::HostArray& x) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::array<float, 4> special = {std::nanf(""), kInfinity, -kInfinity, -0.0f};
  if (Count(x) < 2 * special.size()) return;
  for (std::size_t i = 0; i < special.size(); ++i) Set(x, Count(x) - 1 - i, special[i]);
}

core::HostArray ArrayOf(const core::ArrayType& type, const std::vector<float>& values) {
  core::HostArray array(type);
  if (values.size() != Count(array)) throw core::InternalError("ArrayOf: as many values as elements");
  for (std::size_t i = 0; i < values.size(); ++i) Set(array, i, values[i]);
  return array;
}

}  // namespace kernel_audit::check
