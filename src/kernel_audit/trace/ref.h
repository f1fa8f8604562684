// References: memory that a kernel reads and writes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "kernel_audit/ir/type.h"
#include "kernel_audit/trace/value.h"

namespace kernel_audit::pallas {

using ir::MemorySpace;
inline constexpr MemorySpace any = MemorySpace::kAny;
inline constexpr MemorySpace vmem = MemorySpace::kVmem;
inline constexpr MemorySpace smem = MemorySpace::kSmem;

struct All {};
// A whole dimension, as `:` in Python.
inline constexpr All all;

struct Slice {
  Operand start;
  std::int64_t size;
};
// `size` elements from `start` on; the start may be a value.
inline Slice ds(const Operand& start, std::int64_t size) { return {start, size}; }

// What one dimension is indexed with: pl::all, pl::ds(start, size), or one index, which drops the dimension.
struct DimIndex {
  enum class Kind { kAll, kSlice, kPoint };
  DimIndex(All) : kind(Kind::kAll), start(0), size(0) {}
  DimIndex(const Slice& slice) : kind(Kind::kSlice), start(slice.start), size(slice.size) {}
  DimIndex(const Value& point, Here here = Here::Current()) : kind(Kind::kPoint), start(point, here), size(1) {}
  DimIndex(int point, Here here = Here::Current()) : kind(Kind::kPoint), start(point, here), size(1) {}

  Kind kind;
  Operand start;
  std::int64_t size;
};

// One index a dimension; dimensions without one are taken whole.
class Indexer {
 public:
  Indexer() = default;
  Indexer(std::initializer_list<DimIndex> dims) : dims_(dims) {}
  explicit Indexer(std::vector<DimIndex> dims) : dims_(std::move(dims)) {}
  const std::vector<DimIndex>& dims() const { return dims_; }

 private:
  std::vector<DimIndex> dims_;
};

class Ref {
 public:
  // `kept`: the dimensions of the memory that the kernel sees; a squeezed block dimension is left out.
  Ref(trace::Node* node, std::vector<int> kept);

  DType dtype(Here here = Here::Current()) const;
  // Without squeezed dimensions.
  const Shape& shape() const { return shape_; }
  MemorySpace space(Here here = Here::Current()) const;

  // The elements: a vector from VMEM; one element, as a scalar, from SMEM. Throws TraceError when a start that is known is out of
  // bounds, or when the memory can't be read directly (HBM).
  Value load(const Indexer& index = {}, Here here = Here::Current()) const;

  // Writes a value of the reference's dtype, repeated to the indexed shape where it broadcasts.
  void store(const Operand& value, const Indexer& index = {}) const;

  // A reference to a part of the same memory: what DMAs copy and semaphores are chosen with.
  Ref at(const Indexer& index, Here here = Here::Current()) const;

  // For the front end itself.
  trace::Node* NodeFor(const char* what, Here here) const;

 private:

  trace::Node* node_;
  std::uint64_t trace_number_;
  std::vector<int> kept_;
  Shape shape_;
};

}  // namespace kernel_audit::pallas
