// The parameter types of a compiled program, read from its serialized HLO: XLA:CPU itself compares byte counts only, so that a program
// on float32 would take int32 bits. Source of the field numbers: xla/service/hlo.proto and xla/xla_data.proto.
#pragma once

#include <string_view>

#include "kernel_audit/core/error.h"
#include "kernel_audit/pjrt/executable.h"

namespace kernel_audit::pjrt {

// `format` is what PJRT_Executable_OptimizedProgram reports: "hlo" or "hlo_with_config". kPlugin for bytes that are no such message
// and for any other format.
core::Result<ParameterTypes> ParseParameterTypes(std::string_view bytes, std::string_view format);

}  // namespace kernel_audit::pjrt
