// Types of kernel values: scalars, vectors and references (MLIR memrefs).
#pragma once

#include <string>

#include "kernel_audit/core/dtype.h"
#include "kernel_audit/core/shape.h"

namespace kernel_audit::ir {

using core::DType;
using core::Shape;

// Where a reference's elements live. `kAny` is wherever the caller's array is: HBM on a chip.
enum class MemorySpace { kAny, kHbm, kVmem, kSmem, kSemaphore };

// "vmem", as Mosaic spells it.
const char* Name(MemorySpace space);

struct Type {
  enum class Kind { kScalar, kVector, kRef };

  Kind kind = Kind::kScalar;
  DType dtype = DType::kInt32;
  Shape shape;                            // vector and reference; a reference may have dynamic extents
  MemorySpace space = MemorySpace::kAny;  // reference only

  static Type Scalar(DType dtype) { return {Kind::kScalar, dtype, {}, MemorySpace::kAny}; }
  static Type Vector(DType dtype, Shape shape) { return {Kind::kVector, dtype, std::move(shape), MemorySpace::kAny}; }
  static Type Ref(DType dtype, Shape shape, MemorySpace space) { return {Kind::kRef, dtype, std::move(shape), space}; }

  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_vector() const { return kind == Kind::kVector; }
  bool is_ref() const { return kind == Kind::kRef; }
  bool operator==(const Type&) const = default;
};

// The type as Mosaic writes it: `memref<8x128xf32, #tpu.memory_space<vmem>>`.
std::string ToString(const Type& type);

}  // namespace kernel_audit::ir
