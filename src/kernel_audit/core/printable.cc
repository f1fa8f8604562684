#include "kernel_audit/core/printable.h"

#include <cstdint>
#include <cstdio>

namespace kernel_audit::core {
namespace {

// The length of the character at the start of a text; 0 for a control character and for what is no UTF-8. Direction marks and other
// characters that show nothing count as control characters.
std::size_t CharacterLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = first & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  const bool hidden = code < 0xa0 || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0x200e || code == 0x200f;
  return code < kLeast[length] || code > 0x10ffff || surrogate || hidden ? 0 : length;
}

}  // namespace

std::string Printable(std::string_view text, std::size_t most) {
  std::string printable;
  while (!text.empty()) {
    const std::size_t length = CharacterLength(text);
    if (printable.size() + length > most) return printable + "...";
    if (length == 0) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(text[0])));
      printable += escape;
    }
    printable += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return printable;
}

}  // namespace kernel_audit::core
