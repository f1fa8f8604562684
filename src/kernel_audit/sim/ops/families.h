// Where FindUnary and FindBinary look: one function a source file, each of which knows one family of operations. Null: not of the family.
#pragma once

#include "kernel_audit/sim/ops/elementwise.h"

namespace kernel_audit::sim::ops {

UnaryFn FindFloatUnary(OpCode code, DType dtype);    // negf, absf, sqrt, reciprocal, ceil, floor, round, roundeven
UnaryFn FindMath(OpCode code, DType dtype);          // exp, log, tanh, sin, rsqrt
UnaryFn FindLibraryUnary(OpCode code, DType dtype);  // exp2, log1p, cos, tan, erf
BinaryFn FindLibraryBinary(OpCode code, DType dtype);  // powf, atan2, remf
UnaryFn FindBits(OpCode code, DType from, DType to);  // absi, ctlz, ctpop, weird
BinaryFn FindStochasticConvert(OpCode code, DType dtype);
UnaryFn FindFloatCast(OpCode code, DType from, DType to);
UnaryFn FindIntCast(OpCode code, DType from, DType to);
BinaryFn FindFloatBinary(OpCode code, DType dtype);
BinaryFn FindIntBinary(OpCode code, DType dtype);
BinaryFn FindCompare(OpCode code, DType dtype, std::int64_t predicate);

// sin(x) for finite |x| > 2^20 and, as IEEE has it, for infinities and NaN.
float SinOfLarge(float x);

}  // namespace kernel_audit::sim::ops
