// Shapes: extents per dimension, outermost first. Arrays are dense and row-major everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kernel_audit::core {

using Shape = std::vector<std::int64_t>;

// An extent known only when the program runs (MLIR's `?`).
inline constexpr std::int64_t kDynamicExtent = INT64_MIN;

// Product of the extents (1 for rank 0). Throws InternalError on a dynamic or negative extent; callers that read untrusted
// bytes use CheckedNumElements.
std::int64_t NumElements(const Shape& shape);

// The same, or -1 when an extent is negative or the product exceeds 2^48.
std::int64_t CheckedNumElements(const Shape& shape);

// Elements between neighbours along each dimension of a dense row-major array.
Shape RowMajorStrides(const Shape& shape);

// "(8, 128)", "(8,)", "()": as Python prints a shape.
std::string ToString(const Shape& shape);

}  // namespace kernel_audit::core
