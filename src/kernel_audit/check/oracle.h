// What a kernel must compute, worked out from the represented inputs (after their dtype's rounding). Shares no code with the tracer, the
// simulator or core/bfloat16: arithmetic in double precision, rounded to float32 after each operation, and a cast of its own.
#pragma once

#include "kernel_audit/core/host_array.h"

namespace kernel_audit::check {

// An element as the float it stands for; float32 and bfloat16 arrays.
double ElementValue(const core::HostArray& array, std::size_t element);

// The bfloat16 next to a float32, ties to even.
std::uint16_t OracleBFloat16(float value);

// 2 x + y for matrices of one dtype and shape.
core::HostArray AxpyOracle(const core::HostArray& x, const core::HostArray& y);

// max(x + bias[column], 0): NaN stays NaN.
core::HostArray BiasReluOracle(const core::HostArray& x, const core::HostArray& bias);

}  // namespace kernel_audit::check
