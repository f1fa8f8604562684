// TPU chips that a simulation can stand in for: the figures that decide what fits and how memory is laid out.
// Source: JAX 0.9.2, jax/_src/pallas/mosaic/tpu_info.py, whose figures are of one TensorCore; scoped limits as libtpu 0.0.37 names them when
// it refuses a kernel (CompileTimeScopedVmemOom).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kernel_audit/core/dtype.h"
#include "kernel_audit/core/error.h"

namespace kernel_audit::core {

struct Chip {
  std::string_view name;  // "v5e"
  int generation;
  int cores;        // TensorCores on the chip
  bool megacore;    // its cores run one program together
  int matrix_unit;  // rows and columns of the MXU

  // Of one TensorCore. Bandwidth: HBM bytes a second; operations: bfloat16 a second. Peaks, for bounds, never a measurement.
  std::int64_t vmem_bytes;
  std::int64_t smem_bytes;
  std::int64_t hbm_bytes;
  std::int64_t hbm_bytes_per_second;
  std::int64_t bfloat16_per_second;

  std::int64_t scoped_vmem_bytes;  // what the compiler gives one kernel that asks for nothing else; 0: not known

  static constexpr int kLanes = 128;
  static constexpr int kSublanes = 8;
};

// Rows of a full tile: 8 for 32 bits; narrower types pack more rows, 16 bits from generation 7 on.
std::int64_t SublaneTile(const Chip& chip, DType dtype);

// All of them, oldest first.
std::span<const Chip> AllChips();

// The chip of this name; kBadInput, with the names there are.
Result<const Chip*> FindChip(std::string_view name);

// v5e.
const Chip& DefaultChip();

}  // namespace kernel_audit::core
