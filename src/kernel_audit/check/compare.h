// Every element of two arrays, bit for bit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernel_audit/core/host_array.h"

namespace kernel_audit::check {

enum class Zeros {
  kSigned,    // +0 and -0 differ
  kUnsigned,  // they don't: max(+0, -0) may be either
};

struct Difference {
  std::size_t element = 0;   // the first that differs, row-major
  core::Shape index;
  std::int64_t count = 0;    // how many differ
  std::string expected, got;  // "1.0078125 (0x3f81)"
};

// Nothing when all elements agree. Any NaN agrees with any NaN. The arrays have one type, float32 or bfloat16.
std::optional<Difference> FirstDifference(const core::HostArray& expected, const core::HostArray& got, Zeros zeros);

}  // namespace kernel_audit::check
