#include "kernel_audit/sim/ops/strided_copy.h"

#include <algorithm>
#include <cstring>

#include "kernel_audit/core/error.h"
#include "kernel_audit/sim/ops/elementwise.h"

namespace kernel_audit::sim::ops {
namespace {

using Extents = std::array<std::int64_t, kMaxRank>;

// Without dimensions of extent 1, neighbours merged where the source allows it.
StridedSource Merged(const StridedSource& source) {
  StridedSource merged;
  for (std::size_t i = 0; i < source.rank; ++i) {
    const std::int64_t extent = source.extents[i], stride = source.strides[i];
    if (extent == 1) continue;
    if (merged.rank > 0 && merged.strides[merged.rank - 1] == stride * extent) {
      merged.extents[merged.rank - 1] *= extent;
      merged.strides[merged.rank - 1] = stride;
    } else {
      merged.Append(extent, stride);
    }
  }
  if (merged.rank == 0) merged.Append(1, 1);
  return merged;
}

Extents DenseStrides(const StridedSource& source) {
  Extents strides{};
  std::int64_t stride = 1;
  for (std::size_t i = source.rank; i-- > 0;) {
    strides[i] = stride;
    stride *= source.extents[i];
  }
  return strides;
}

// Calls visit(destination offset, source offset) for all indices of the dimensions but `inner` and `other`.
template <class Visit>
void ForOuter(const StridedSource& source, std::size_t inner, std::size_t other, const Visit& visit) {
  const Extents dense = DenseStrides(source);
  Extents index{};
  std::int64_t to = 0, from = 0;
  while (true) {
    visit(to, from);
    std::size_t i = source.rank;
    while (true) {
      if (i-- == 0) return;
      if (i == inner || i == other) continue;
      to += dense[i];
      from += source.strides[i];
      if (++index[i] < source.extents[i]) break;
      to -= dense[i] * source.extents[i];
      from -= source.strides[i] * source.extents[i];
      index[i] = 0;
    }
  }
}

// Reads run along `rows` (source stride 1), writes along the innermost dimension; tiles keep both within the first cache.
template <class T>
void CopyTiles(T* dst, const T* src, const StridedSource& source, std::size_t rows) {
  constexpr std::int64_t kTile = 16;
  const std::size_t columns = source.rank - 1;
  const std::int64_t row_count = source.extents[rows], column_count = source.extents[columns];
  const std::int64_t row_step = DenseStrides(source)[rows], column_step = source.strides[columns];
  ForOuter(source, columns, rows, [&](std::int64_t to, std::int64_t from) {
    for (std::int64_t row = 0; row < row_count; row += kTile) {
      const std::int64_t row_end = std::min(row + kTile, row_count);
      for (std::int64_t column = 0; column < column_count; column += kTile) {
        const std::int64_t column_end = std::min(column + kTile, column_count);
        for (std::int64_t r = row; r < row_end; ++r) {
          for (std::int64_t c = column; c < column_end; ++c) dst[to + r * row_step + c] = src[from + r + c * column_step];
        }
      }
    }
  });
}

template <class T>
void CopyRuns(T* dst, const T* src, const StridedSource& source) {
  const std::size_t inner = source.rank - 1;
  const std::int64_t count = source.extents[inner], stride = source.strides[inner];
  ForOuter(source, inner, inner, [&](std::int64_t to, std::int64_t from) {
    if (stride == 1) {
      std::memcpy(dst + to, src + from, static_cast<std::size_t>(count) * sizeof(T));
    } else if (stride == 0) {
      std::fill_n(dst + to, count, src[from]);
    } else {
      for (std::int64_t i = 0; i < count; ++i) dst[to + i] = src[from + i * stride];
    }
  });
}

template <class T>
void Copy(void* dst, const void* src, const StridedSource& source) {
  const std::size_t inner = source.rank - 1;
  if (source.strides[inner] > 1) {
    for (std::size_t i = 0; i < inner; ++i) {
      if (source.strides[i] == 1) return CopyTiles(static_cast<T*>(dst), static_cast<const T*>(src), source, i);
    }
  }
  CopyRuns(static_cast<T*>(dst), static_cast<const T*>(src), source);
}

}  // namespace

void Require(bool holds, const char* message) {
  if (!holds) throw core::InternalError(message);
}

void StridedSource::Append(std::int64_t extent, std::int64_t stride) {
  Require(rank < kMaxRank, "a shape has more dimensions than sim/ops takes");
  extents[rank] = extent;
  strides[rank] = stride;
  ++rank;
}

void CopyStrided(void* dst, const void* src, const StridedSource& source, std::size_t element_size) {
  for (std::size_t i = 0; i < source.rank; ++i) {
    if (source.extents[i] == 0) return;
  }
  const StridedSource merged = Merged(source);
  switch (element_size) {
    case 1: return Copy<std::uint8_t>(dst, src, merged);
    case 2: return Copy<std::uint16_t>(dst, src, merged);
    case 4: return Copy<std::uint32_t>(dst, src, merged);
    case 8: return Copy<std::uint64_t>(dst, src, merged);
    default: throw core::InternalError("no element has " + std::to_string(element_size) + " bytes");
  }
}

}  // namespace kernel_audit::sim::ops
