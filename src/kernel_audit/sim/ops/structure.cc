#include "kernel_audit/sim/ops/structure.h"

#include <cstring>

#include "kernel_audit/core/error.h"
#include "kernel_audit/sim/ops/elementwise.h"
#include "kernel_audit/sim/ops/strided_copy.h"

namespace kernel_audit::sim::ops {
namespace {

using Strides = std::array<std::int64_t, kMaxRank>;

Strides DenseStrides(const Shape& shape) {
  Require(shape.size() <= kMaxRank, "a shape has more dimensions than sim/ops takes");
  Strides strides{};
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

// A shape seen from one of its dimensions: how many slabs, the extent, bytes to the next element along the dimension.
struct Along {
  std::size_t outer = 1, extent = 0, inner = 1;
};

Along AlongOf(const Shape& shape, std::int64_t dimension, std::size_t element_size) {
  Require(dimension >= 0 && static_cast<std::size_t>(dimension) < shape.size(), "no such dimension");
  const std::size_t axis = static_cast<std::size_t>(dimension);
  Along along{1, static_cast<std::size_t>(shape[axis]), element_size};
  for (std::size_t i = 0; i < axis; ++i) along.outer *= static_cast<std::size_t>(shape[i]);
  for (std::size_t i = axis + 1; i < shape.size(); ++i) along.inner *= static_cast<std::size_t>(shape[i]);
  return along;
}

void CopyBytes(char* to, const char* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

}  // namespace

void Broadcast(void* dst, const Shape& to, const void* src, const Shape& from, std::size_t element_size) {
  Require(from.size() <= to.size(), "broadcast to fewer dimensions");
  const Strides strides = DenseStrides(from);
  const std::size_t added = to.size() - from.size();
  StridedSource source;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const bool repeated = i < added || (from[i - added] == 1 && to[i] != 1);
    Require(repeated || from[i - added] == to[i], "broadcast of an extent other than 1");
    source.Append(to[i], repeated ? 0 : strides[i - added]);
  }
  CopyStrided(dst, src, source, element_size);
}

void Transpose(void* dst, const void* src, const Shape& from, std::span<const std::int64_t> permutation, std::size_t element_size) {
  Require(permutation.size() == from.size(), "permutation of another rank");
  const Strides strides = DenseStrides(from);
  StridedSource source;
  unsigned seen = 0;
  for (const std::int64_t dimension : permutation) {
    const std::size_t d = static_cast<std::size_t>(dimension);
    Require(d < from.size() && (seen >> d & 1u) == 0, "not a permutation");
    seen |= 1u << d;
    source.Append(from[d], strides[d]);
  }
  CopyStrided(dst, src, source, element_size);
}

void ExtractSlice(void* dst, const void* src, const Shape& from, std::span<const std::int64_t> offsets, std::span<const std::int64_t> sizes,
                  std::size_t element_size) {
  Require(offsets.size() == sizes.size() && sizes.size() <= from.size(), "slice of another rank");
  const Strides strides = DenseStrides(from);
  StridedSource source;
  std::int64_t start = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::int64_t offset = i < offsets.size() ? offsets[i] : 0;
    const std::int64_t size = i < sizes.size() ? sizes[i] : from[i];
    Require(offset >= 0 && size >= 0 && size <= from[i] && offset <= from[i] - size, "slice outside its source");
    start += offset * strides[i];
    source.Append(size, strides[i]);
  }
  CopyStrided(dst, static_cast<const char*>(src) + start * static_cast<std::int64_t>(element_size), source, element_size);
}

void Concatenate(void* dst, const Shape& to, std::span<const Part> parts, std::int64_t dimension, std::size_t element_size) {
  const Along along = AlongOf(to, dimension, element_size);
  std::size_t begin = 0;
  for (const Part& part : parts) {
    const std::size_t bytes = static_cast<std::size_t>(part.extent) * along.inner;
    Require(part.extent >= 0 && begin + bytes <= along.extent * along.inner, "parts are longer than their concatenation");
    for (std::size_t i = 0; i < along.outer; ++i) {
      CopyBytes(static_cast<char*>(dst) + i * along.extent * along.inner + begin, static_cast<const char*>(part.data) + i * bytes, bytes);
    }
    begin += bytes;
  }
  Require(begin == along.extent * along.inner, "parts are shorter than their concatenation");
}

void Rotate(void* dst, const void* src, const Shape& shape, std::int64_t dimension, std::int64_t amount, std::size_t element_size) {
  const Along along = AlongOf(shape, dimension, element_size);
  if (along.extent == 0) return;
  const std::int64_t extent = static_cast<std::int64_t>(along.extent);
  const std::size_t shift = static_cast<std::size_t>((amount % extent + extent) % extent) * along.inner;
  const std::size_t slab = along.extent * along.inner;
  for (std::size_t i = 0; i < along.outer; ++i) {
    char* to = static_cast<char*>(dst) + i * slab;
    const char* from = static_cast<const char*>(src) + i * slab;
    CopyBytes(to + shift, from, slab - shift);
    CopyBytes(to, from + (slab - shift), shift);
  }
}

void RotateStaggered(void* dst, const void* src, const Shape& shape, const Staggered& how, std::size_t element_size) {
  const Strides strides = DenseStrides(shape);
  const std::int64_t extent = shape[static_cast<std::size_t>(how.dimension)], step = strides[static_cast<std::size_t>(how.dimension)];
  const std::int64_t rows = shape[static_cast<std::size_t>(how.stride_dimension)], row_step = strides[static_cast<std::size_t>(how.stride_dimension)];
  const std::int64_t count = core::NumElements(shape);
  for (std::int64_t e = 0; e < count; ++e) {
    const std::int64_t shift = (how.amount % extent + e / row_step % rows * (how.stride % extent)) % extent;
    const std::int64_t at = e / step % extent, to = ((at + shift) % extent + extent) % extent;
    CopyBytes(static_cast<char*>(dst) + (e + (to - at) * step) * static_cast<std::int64_t>(element_size),
              static_cast<const char*>(src) + e * static_cast<std::int64_t>(element_size), element_size);
  }
}

namespace {

// (outer, rows, columns) with the dimensions before the second-last in `outer`.
Shape Split(const Shape& narrow, std::int64_t ratio) {
  Require(narrow.size() >= 2 && ratio > 0 && narrow[narrow.size() - 2] % ratio == 0, "elements do not fill wider ones");
  const std::int64_t columns = narrow.back();
  return {columns == 0 ? 0 : core::NumElements(narrow) / (ratio * columns), ratio, columns};
}

}  // namespace

void Widen(void* dst, const void* src, const Shape& narrow, std::int64_t ratio, std::size_t element_size) {
  Transpose(dst, src, Split(narrow, ratio), std::array<std::int64_t, 3>{0, 2, 1}, element_size);
}

void Narrow(void* dst, const void* src, const Shape& narrow, std::int64_t ratio, std::size_t element_size) {
  const Shape split = Split(narrow, ratio);
  Transpose(dst, src, {split[0], split[2], split[1]}, std::array<std::int64_t, 3>{0, 2, 1}, element_size);
}

std::int64_t Gather(void* dst, const void* src, const std::int32_t* indices, const Shape& shape, std::int64_t dimension, std::size_t element_size) {
  const Along along = AlongOf(shape, dimension, 1);
  const auto extent = static_cast<std::int64_t>(along.extent), step = static_cast<std::int64_t>(along.inner), count = core::NumElements(shape);
  std::int64_t outside = -1;
  for (std::int64_t e = 0; e < count; ++e) {
    const std::int64_t from = indices[e];
    if (from < 0 || from >= extent) {
      outside = outside < 0 ? e : outside;
      continue;
    }
    const std::int64_t source = e + (from - e / step % extent) * step;
    CopyBytes(static_cast<char*>(dst) + e * static_cast<std::int64_t>(element_size),
              static_cast<const char*>(src) + source * static_cast<std::int64_t>(element_size), element_size);
  }
  return outside;
}

void ReduceIndex(std::int32_t* dst, const float* src, const Shape& shape, std::int64_t dimension, bool smallest) {
  const Along along = AlongOf(shape, dimension, 1);
  for (std::size_t outer = 0; outer < along.outer; ++outer) {
    for (std::size_t inner = 0; inner < along.inner; ++inner) {
      const float* first = src + outer * along.extent * along.inner + inner;
      std::size_t best = 0;
      for (std::size_t i = 1; i < along.extent; ++i) {
        const float known = first[best * along.inner], next = first[i * along.inner];
        if (known == known && (next != next || (smallest ? next < known : next > known))) best = i;
      }
      *dst++ = static_cast<std::int32_t>(best);
    }
  }
}

void Iota(void* dst, DType dtype, const Shape& shape, std::int64_t dimension) {
  const std::size_t size = core::ByteSize(dtype);
  const Along along = AlongOf(shape, dimension, size);
  const UnaryFn convert = core::IsFloat(dtype)     ? FindUnary(OpCode::kSIToFP, DType::kInt64, dtype)
                          : size == 8              ? FindUnary(OpCode::kBitcast, DType::kInt64, dtype)
                          : dtype == DType::kBool  ? nullptr
                                                   : FindUnary(OpCode::kTruncI, DType::kInt64, dtype);
  Require(convert != nullptr && !core::IsSemaphore(dtype), "iota of a type that does not count");
  const std::size_t run = along.inner / size, slab = along.extent * along.inner;
  if (along.outer * slab == 0) return;
  for (std::size_t i = 0; i < along.extent; ++i) {
    const std::int64_t index = static_cast<std::int64_t>(i);
    alignas(8) unsigned char element[8];
    convert(element, &index, 1);
    Fill(static_cast<char*>(dst) + i * along.inner, element, size, run);
  }
  for (std::size_t i = 1; i < along.outer; ++i) CopyBytes(static_cast<char*>(dst) + i * slab, static_cast<const char*>(dst), slab);
}

}  // namespace kernel_audit::sim::ops
