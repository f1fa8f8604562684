// A module as a person reads it.
#pragma once

#include <string>

namespace front_end_tests {

inline std::string DecodeBase64(const std::string& text) {
  static const std::string kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned value = 0;
  int bits = 0;
  for (const char c : text.substr(0, text.find('='))) {
    value = (value << 6 | static_cast<unsigned>(kDigits.find(c))) & 0xffffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(value >> bits & 0xff);
  }
  return bytes;
}

// The module with its kernel's body taken out and put below it as text.
inline std::string Readable(std::string module) {
  const std::string begin = "body\\22: \\22", end = "\\22, \\22serialization_format";
  const std::size_t at = module.find(begin);
  if (at == std::string::npos) return module;
  const std::size_t from = at + begin.size(), size = module.find(end, from) - from;
  const std::string body = DecodeBase64(module.substr(from, size));
  return module.replace(from, size, "BODY") + body;
}

}  // namespace front_end_tests
