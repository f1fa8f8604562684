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

  // At the first element, rounding too early shows: the sum 2 x + y of 2^-8 and 1 is 1.0078125, but 1 when a partial sum is rounded to
  // bfloat16. At the last of several, rounding twice: 1 + 2^-8 + 2^-15 rounds to 1.0078125, but to 1 by way of any format between
  // bfloat16's 8 bits and 15.
  static void PlantRoundings(core::HostArray& x, core::HostArray& y);

  // Distinct ordinary numbers, one a column.
  core::HostArray Bias(const core::ArrayType& type);

  // The last elements of a matrix of 8 and more: NaN, both infinities, -0.
  static void PlantSpecials(core::HostArray& x);

  // Makes some elements of x cancel with their column's bias, exactly and by one unit in the last place to either side.
  void PlantCancellations(core::HostArray& x, const core::HostArray& bias);

 private:
  float Number();
  std::mt19937_64 random_;
};

// An array of `type` with these values, each rounded to the dtype.
core::HostArray ArrayOf(const core::ArrayType& type, const std::vector<float>& values);

}  // namespace kernel_audit::check
