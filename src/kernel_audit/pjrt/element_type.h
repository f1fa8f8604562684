// core::DType in the three numberings that XLA uses. kIndex and the semaphores have no counterpart; complex numbers, tokens and types of
// less than a byte or of eight-bit floats have no core::DType.
#pragma once

#include <cstdint>
#include <optional>

#include "kernel_audit/core/dtype.h"
#include "pjrt_c_api.h"

namespace kernel_audit::pjrt {

std::optional<PJRT_Buffer_Type> ToBufferType(core::DType dtype);
// `type` is the number of a PJRT_Buffer_Type.
std::optional<core::DType> FromBufferType(std::int64_t type);

// `type` is a PrimitiveType of xla_data.proto; XLA_FFI_DataType has the same numbers.
std::optional<core::DType> FromPrimitiveType(std::int64_t type);

}  // namespace kernel_audit::pjrt
