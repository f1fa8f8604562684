// Base64 with the standard alphabet and padding (RFC 4648).
#pragma once

#include <string>
#include <string_view>

namespace kernel_audit::core {

std::string Base64(std::string_view bytes);

}  // namespace kernel_audit::core
