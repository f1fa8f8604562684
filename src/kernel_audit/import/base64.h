// Base64 with the standard alphabet and padding (RFC 4648) -> bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kernel_audit::import {

// Nothing: a character outside the alphabet, white space included, a length that is no multiple of 4, or misplaced padding.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace kernel_audit::import
