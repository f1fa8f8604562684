// Reductions in an order that no instruction set and no block size changes.
//
// The elements that fold into one result form a sequence e0, e1, ... in row-major order of the reduced dimensions. Sixteen partial
// results take every sixteenth element each: p[l] = (e[l] . e[l+16]) . e[l+32] ... They are combined in four steps, of distance 8, 4, 2
// and 1: p[l] = p[l] . p[l+distance]. Partial results without elements take no part. Last, the result is init . p[0]; without
// elements it is init.
//
// float32 adds and multiplies in float32, bfloat16 too and is rounded once, after the initial value. Maxima and minima are exact: a NaN
// anywhere gives NaN, and +0 is larger than -0. Integers wrap; i1 is an integer of one bit.
#pragma once

#include <cstdint>
#include <span>

#include "kernel_audit/ir/op.h"
#include "kernel_audit/sim/ops/structure.h"

namespace kernel_audit::sim::ops {

// kAdd, kMul, kMinimumF, kMaximumF of kFloat32 and kBFloat16; kAdd, kMul, kMinSI, kMaxSI, kAnd, kOr of kBool, kInt8 .. kInt64, kIndex.
bool CanReduce(ir::ReductionKind kind, DType dtype);

// `dims` are different dimensions of `from`. dst and init have the shape of `from` without them; dst may be init, not src.
// InternalError unless CanReduce.
void Reduce(ir::ReductionKind kind, DType dtype, void* dst, const void* src, const Shape& from, std::span<const std::int64_t> dims,
            const void* init);

}  // namespace kernel_audit::sim::ops
