#include "kernel_audit/import/base64.h"

#include <openssl/evp.h>

#include <climits>

namespace kernel_audit::import {

std::optional<std::string> DecodeBase64(std::string_view text) {
  if (text.empty()) return std::string();
  const std::size_t last = text.find_last_not_of('=');
  const std::size_t padding = last == std::string_view::npos ? text.size() : text.size() - last - 1;
  const bool alphabet = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") >= text.size() - padding;
  if (text.size() % 4 != 0 || padding > 2 || !alphabet || text.size() > INT_MAX) return std::nullopt;
  std::string bytes(text.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  if (size != static_cast<int>(bytes.size())) return std::nullopt;
  bytes.resize(bytes.size() - padding);
  return bytes;
}

}  // namespace kernel_audit::import
