#include "kernel_audit/import/mlir.h"

#include <charconv>

namespace kernel_audit::import {

int MlirType::bits() const {
  if (kind != Kind::kScalar) return 0;
  if (text == "index") return 64;
  const std::size_t digits = text.find_first_of("0123456789");
  if (digits == std::string::npos) return 0;
  const std::string_view sign = std::string_view(text).substr(0, digits);
  if (sign != "i" && sign != "si" && sign != "ui") return 0;
  int bits = 0;
  std::from_chars(text.data() + digits, text.data() + text.size(), bits);
  return bits;
}

const Attribute* Attribute::Find(std::string_view name) const {
  for (const auto& [key, value] : entries) {
    if (key == name) return value.get();
  }
  return nullptr;
}

TypePtr ScalarType(std::string_view text) {
  auto type = std::make_shared<MlirType>();
  type->kind = MlirType::Kind::kScalar;
  type->text = text;
  type->dtype = core::DTypeFromMlirName(text);
  return type;
}

}  // namespace kernel_audit::import
