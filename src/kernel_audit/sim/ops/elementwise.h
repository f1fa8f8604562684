// Elementwise operations over blocks of elements, as pure functions. A caller finds a function once and runs it many times.
//
// Elements lie as in memory: kBool one byte 0 or 1, kBFloat16 its 16 bits, kIndex 64 bits. Pointers are aligned to the element's size.
// The destination may be exactly one of the sources where the element sizes are equal; otherwise blocks must not overlap.
// kFloat16, kFloat64, the unsigned host types and semaphores are not supported.
//
// Numerics: float32 arithmetic is IEEE, rounded once, subnormals kept. bfloat16 is computed in float32 and rounded once. A NaN that
// arithmetic, maximum, minimum or math.* gives is 0x7fc00000 (bfloat16: 0x7fc0); negf, absf, select, bitcast and extf keep a NaN's bits.
// math.* is evaluated in double precision and rounded to float32: within 0.501 units in the last place. The results are the same
// bytes on every instruction set; those of exp2, log1p, cos, tan, erf, powf and atan2 come from the C library's double functions, and so
// may depend on it where they lie next to the middle between two numbers.
//
// i1 is an integer of one bit: signed, true is -1, as sitofp, extsi, the signed comparisons and maxsi see it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel_audit/core/dtype.h"
#include "kernel_audit/ir/op.h"

namespace kernel_audit::sim::ops {

using core::DType;
using ir::OpCode;

// dst[i] = op(a[i]).
using UnaryFn = void (*)(void* dst, const void* a, std::size_t n);
// dst[i] = op(a[i], b[i]); the comparisons write bytes 0 and 1.
using BinaryFn = void (*)(void* dst, const void* a, const void* b, std::size_t n);
// dst[i] = cond[i] != 0 ? a[i] : b[i].
using SelectFn = void (*)(void* dst, const std::uint8_t* cond, const void* a, const void* b, std::size_t n);

// Casts, bitcasts, negf, absf, reciprocal, weird and math.*. Null where the operation does not take `from` to `to`.
UnaryFn FindUnary(OpCode code, DType from, DType to);

// Arithmetic, logic, cmpf, cmpi, powf, atan2, and stochastic_convert (float32 and int32 to bfloat16; dtype is float32). `predicate` is ops.def's, for the comparisons only. Null where unsupported.
BinaryFn FindBinary(OpCode code, DType dtype, std::int64_t predicate = 0);

// Null for types that are not supported.
SelectFn FindSelect(DType dtype);

// n copies of one element; element_size is 1, 2, 4 or 8, and dst is aligned to it.
void Fill(void* dst, const void* element, std::size_t element_size, std::size_t n);

}  // namespace kernel_audit::sim::ops
