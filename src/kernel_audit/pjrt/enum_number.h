// Numbers of C enumerations that a plugin filled in. A newer plugin knows more values than the header here, and reading such a value as
// the enumeration is undefined.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace kernel_audit::pjrt {

template <typename Enum>
std::int64_t EnumNumber(const Enum& value) {
  std::underlying_type_t<Enum> number;
  std::memcpy(&number, &value, sizeof(number));
  return number;
}

}  // namespace kernel_audit::pjrt
