// Operations that move elements and compute nothing. All blocks are dense and row-major; a destination never overlaps a source.
// Element sizes are 1, 2, 4 or 8 bytes; shapes have up to kMaxRank dimensions. Arguments that break a promise are a bug of the caller:
// InternalError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernel_audit/core/dtype.h"
#include "kernel_audit/core/shape.h"

namespace kernel_audit::sim::ops {

using core::DType;
using core::Shape;

inline constexpr std::size_t kMaxRank = 8;

// `from` aligned with `to` at the innermost dimension; extents of `from` are 1 or those of `to`.
void Broadcast(void* dst, const Shape& to, const void* src, const Shape& from, std::size_t element_size);

// Dimension i of the result is dimension permutation[i] of `from`.
void Transpose(void* dst, const void* src, const Shape& from, std::span<const std::int64_t> permutation, std::size_t element_size);

// The part of shape `sizes` that starts at `offsets`. Both may be shorter than `from`: what is missing is taken whole.
void ExtractSlice(void* dst, const void* src, const Shape& from, std::span<const std::int64_t> offsets, std::span<const std::int64_t> sizes,
                  std::size_t element_size);

// An operand of Concatenate and its extent along the dimension.
struct Part {
  const void* data;
  std::int64_t extent;
};

// `to` is the result's shape: along `dimension` the sum of the parts' extents.
void Concatenate(void* dst, const Shape& to, std::span<const Part> parts, std::int64_t dimension, std::size_t element_size);

// Element i moves to (i + amount) mod extent along `dimension`; any amount.
void Rotate(void* dst, const void* src, const Shape& shape, std::int64_t dimension, std::int64_t amount, std::size_t element_size);

// The same, but `amount` grows by `stride` from index to index of another dimension, `stride_dimension`.
struct Staggered {
  std::int64_t dimension, amount, stride, stride_dimension;
};
void RotateStaggered(void* dst, const void* src, const Shape& shape, const Staggered& how, std::size_t element_size);

// Elements of one width as elements of another: `ratio` narrow ones that stand below each other in the second-last dimension make a wide
// one, the first in its low bits. `narrow` is the narrow block's shape, `element_size` the narrow element's.
void Widen(void* dst, const void* src, const Shape& narrow, std::int64_t ratio, std::size_t element_size);
void Narrow(void* dst, const void* src, const Shape& narrow, std::int64_t ratio, std::size_t element_size);

// dst = src at `indices` along `dimension`, all of one shape. What lies outside is left as it is; the first such index's position, or -1.
std::int64_t Gather(void* dst, const void* src, const std::int32_t* indices, const Shape& shape, std::int64_t dimension, std::size_t element_size);

// The index along `dimension` of the largest (or smallest) float32: the first of equal ones; the first NaN if there is one.
void ReduceIndex(std::int32_t* dst, const float* src, const Shape& shape, std::int64_t dimension, bool smallest);

// Each element its index along `dimension`. Integers of 8 to 64 bits (modulo 2^bits), kIndex, kFloat32, kBFloat16 (rounded once).
void Iota(void* dst, DType dtype, const Shape& shape, std::int64_t dimension);

}  // namespace kernel_audit::sim::ops
