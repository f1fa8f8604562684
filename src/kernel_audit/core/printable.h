// Text from somebody who is not trusted, made fit for a terminal, a line of a report and JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kernel_audit::core {

// The text with control characters (new lines too) and bytes that are no UTF-8 spelled as \xNN, and cut, with "..." for the rest, once it has
// `most` bytes.
std::string Printable(std::string_view text, std::size_t most = 1000);

}  // namespace kernel_audit::core
