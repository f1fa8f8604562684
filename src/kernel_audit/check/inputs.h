// Input data, drawn after the candidate was built.
#pragma once

#include <cstdint>
#include <random>

#include "kernel_audit/core/host_array.h"

namespace kernel_audit::check {

// A seed from the system's random numbers.
std::uint64_t FreshSeed();

// Draws the inputs of one check; everything follows from the seed.
class InputSource {
 public:
  explicit InputSource(std::uint64_t seed) : random_(seed) {}

  // Ordinary numbers of mixed magnitude and sign, and some special ones: NaN, infinities, both zeros, subnormals, numbers near the
  // largest. float32 or bfloat16.
  core::HostArray Matrix(const core::ArrayType& type);

  // The (x, y) at whose first element rounding too early shows: 2^-8 and 1, whose sum 2 x + y is 1.0078125, but 1 when a partial sum is
  // rounded to bfloat16.
  static void PlantEarlyRounding(core::HostArray& x, core::HostArray& y);

  // Distinct ordinary numbers, one a column.
  core::HostArray Bias(const core::ArrayType& type);

  // Makes some elements of x cancel with their column's bias, exactly and by one unit in the last place to either side.
  void PlantCancellations(core::HostArray& x, const core::HostArray& bias);

 private:
  float Number();
  std::mt19937_64 random_;
};

// An array of `type` with these values, each rounded to the dtype.
core::HostArray ArrayOf(const core::ArrayType& type, const std::vector<float>& values);

}  // namespace kernel_audit::check
