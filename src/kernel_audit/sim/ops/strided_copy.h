// The one loop behind Broadcast, Transpose and ExtractSlice: a dense destination filled from a source with any strides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernel_audit/sim/ops/structure.h"

namespace kernel_audit::sim::ops {

// The destination's extents, outermost first, and the source elements between neighbours along each (0: repeated).
struct StridedSource {
  std::size_t rank = 0;
  std::array<std::int64_t, kMaxRank> extents{};
  std::array<std::int64_t, kMaxRank> strides{};

  void Append(std::int64_t extent, std::int64_t stride);
};

void CopyStrided(void* dst, const void* src, const StridedSource& source, std::size_t element_size);

// Throws InternalError(`message`) unless `holds`.
void Require(bool holds, const char* message);

}  // namespace kernel_audit::sim::ops
