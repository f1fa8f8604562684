// dense<...> : type. The type stands behind the elements, so they are read twice: skipped first, then parsed.
#include "kernel_audit/import/attribute_nesting.h"
#include "kernel_audit/import/attribute_parser.h"
#include "kernel_audit/import/literal.h"

namespace kernel_audit::import {
namespace {

int HexValue(char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; }

bool AppendHexBytes(std::string_view hex, std::vector<std::uint8_t>& bytes) {
  if (!hex.starts_with("0x") || hex.size() % 2 != 0) return false;
  if (hex.substr(2).find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) return false;
  for (std::size_t i = 2; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(HexValue(hex[i]) * 16 + HexValue(hex[i + 1])));
  }
  return true;
}

}  // namespace

// One element, or a bracketed list of equal parts; `shape` gets the extents that the brackets have.
void AttributeParser::ParseDenseElements(Attribute& attribute, core::DType dtype, std::size_t& count, std::vector<std::int64_t>& shape,
                                         int depth) {
  const Nesting nesting(*this);
  if (cursor_.Accept("[")) {
    std::int64_t extent = 0;
    if (!cursor_.Accept("]")) {
      do {
        ParseDenseElements(attribute, dtype, count, shape, depth + 1);
        ++extent;
      } while (cursor_.Accept(","));
      cursor_.Expect("]");
    }
    if (static_cast<int>(shape.size()) <= depth) shape.resize(static_cast<std::size_t>(depth) + 1, -1);
    std::int64_t& known = shape[static_cast<std::size_t>(depth)];
    if (known >= 0 && known != extent) cursor_.Fail("a dense constant has rows of different lengths");
    known = extent;
    return;
  }
  if (!cursor_.ok()) return;
  ++count;
  if (cursor_.Accept("true")) return AppendInteger(1, dtype, attribute.bytes);
  if (cursor_.Accept("false")) return AppendInteger(0, dtype, attribute.bytes);
  const std::string_view token = NumberToken();
  if (core::IsFloat(dtype)) {
    if (!AppendFloat(token, dtype, attribute.bytes)) cursor_.Fail("a dense constant holds something that is not a number of its type");
    return;
  }
  const auto value = ParseInteger(token);
  const int width = dtype == core::DType::kBool ? 1 : 8 * static_cast<int>(core::ByteSize(dtype));
  if (!value || !FitsWidth(*value, width)) cursor_.Fail("a dense constant holds something that is not an integer of its type");
  AppendInteger(value.value_or(0), dtype, attribute.bytes);
}

AttributePtr AttributeParser::ParseDense() {
  auto attribute = std::make_shared<Attribute>();
  attribute->kind = Attribute::Kind::kDense;
  const std::size_t open = cursor_.position();
  cursor_.Balanced();
  cursor_.Expect(":");
  attribute->type = ParseType();
  if (!cursor_.ok()) return nullptr;
  const std::size_t end = cursor_.position();
  const MlirType& type = *attribute->type;
  const bool shaped = type.kind == MlirType::Kind::kVector || type.kind == MlirType::Kind::kTensor;
  const std::int64_t elements = shaped ? core::CheckedNumElements(type.shape) : -1;
  if (elements < 0 || !type.element->dtype) {
    cursor_.Fail(core::ErrorCode::kUnsupported, "a dense constant of this type");
    return nullptr;
  }
  const core::DType dtype = *type.element->dtype;
  cursor_.set_position(open);
  cursor_.Expect("<");
  std::size_t count = 0;
  std::vector<std::int64_t> shape;
  if (cursor_.Peek() == '"') {
    if (!AppendHexBytes(cursor_.String(), attribute->bytes)) cursor_.Fail("a dense constant's bytes are not hexadecimal");
    count = attribute->bytes.size() / core::ByteSize(dtype);
    shape = count == 1 ? core::Shape{} : type.shape;
    if (dtype == core::DType::kBool) cursor_.Fail(core::ErrorCode::kUnsupported, "a dense i1 constant as bytes");
  } else if (cursor_.Peek() != '>') {
    ParseDenseElements(*attribute, dtype, count, shape, 0);
  }
  cursor_.Expect(">");
  attribute->splat = count == 1 && shape.empty();
  const bool fits = attribute->splat || (static_cast<std::int64_t>(count) == elements && (shape == type.shape || elements == 0));
  if (cursor_.ok() && (!fits || attribute->bytes.size() != count * core::ByteSize(dtype))) {
    cursor_.Fail("a dense constant does not have the elements of its type");
  }
  if (!cursor_.ok()) return nullptr;
  cursor_.set_position(end);
  return attribute;
}

}  // namespace kernel_audit::import
