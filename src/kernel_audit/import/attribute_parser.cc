#include "kernel_audit/import/attribute_parser.h"

#include "kernel_audit/import/attribute_nesting.h"
#include "kernel_audit/import/literal.h"

namespace kernel_audit::import {
namespace {

std::shared_ptr<Attribute> New(Attribute::Kind kind, TypePtr type = nullptr) {
  auto attribute = std::make_shared<Attribute>();
  attribute->kind = kind;
  attribute->type = std::move(type);
  return attribute;
}

bool StartsType(std::string_view word) {
  return word == "vector" || word == "memref" || word == "tensor" || word == "tuple" || word == "none" || word == "complex";
}

// i32, si8, ui1, bf16, f32, f8E4M3FN, tf32, index
bool IsScalarName(std::string_view word) {
  if (word == "index") return true;
  const std::size_t digit = word.find_first_of("0123456789");
  if (digit == std::string_view::npos) return false;
  const std::string_view head = word.substr(0, digit);
  return head == "i" || head == "si" || head == "ui" || head == "f" || head == "bf" || head == "tf";
}

}  // namespace

void AttributeParser::FindAliases() {
  const std::string_view text = cursor_.text();
  for (std::size_t line = 0; line < text.size();) {
    const std::size_t end = std::min(text.find('\n', line), text.size());
    if (text[line] == '#' || text[line] == '!') {
      std::size_t name = line + 1;
      while (name < end && IsWordCharacter(text[name])) ++name;
      const std::size_t equals = text.find_first_not_of(' ', name);
      if (equals < end && text[equals] == '=') aliases_.emplace(text.substr(line, name - line), equals + 1);
    }
    line = end + 1;
  }
}

AttributePtr AttributeParser::ParseAttribute() {
  const Nesting nesting(*this);
  if (!cursor_.ok()) return nullptr;
  const char c = cursor_.Peek();
  if (c == '"') {
    auto attribute = New(Attribute::Kind::kString);
    attribute->text = cursor_.String();
    if (cursor_.Accept(":")) attribute->type = ParseType();
    return cursor_.ok() ? attribute : nullptr;
  }
  if (c == '[') return ParseArray();
  if (c == '{') return ParseDictionary();
  if (c == '@') return ParseSymbol();
  if (c == '#') return ParseHash();
  if (c == '-' || (c >= '0' && c <= '9')) return ParseNumber();
  if (cursor_.Accept("true")) return ParseBoolean(true);
  if (cursor_.Accept("false")) return ParseBoolean(false);
  if (cursor_.Accept("unit")) return New(Attribute::Kind::kUnit);
  if (cursor_.Accept("dense")) return ParseDense();
  if (cursor_.Accept("array")) return ParseDenseArray();
  const std::size_t begin = cursor_.position();
  const std::string_view word = cursor_.Word();
  cursor_.set_position(begin);
  if (word == "loc") {
    auto attribute = New(Attribute::Kind::kLocation);
    attribute->location = ParseLocation();
    return cursor_.ok() ? attribute : nullptr;
  }
  if (c == '(' || c == '!' || StartsType(word) || IsScalarName(word)) {
    TypePtr type = ParseType();
    return cursor_.ok() ? New(Attribute::Kind::kType, std::move(type)) : nullptr;
  }
  if (word == "affine_map" || word == "affine_set" || word == "strided") {
    cursor_.Word();
    auto attribute = New(Attribute::Kind::kOpaque);
    attribute->text = std::string(word) + std::string(cursor_.Balanced());
    return cursor_.ok() ? attribute : nullptr;
  }
  cursor_.Fail(core::ErrorCode::kUnsupported, "an attribute begins with something that is not known: '" + std::string(word.substr(0, 40)) + "'");
  return nullptr;
}

AttributePtr AttributeParser::ParseBoolean(bool value) {
  auto attribute = New(Attribute::Kind::kInteger, ScalarType("i1"));
  attribute->integer = value ? 1 : 0;
  return attribute;
}

std::string_view AttributeParser::NumberToken() {
  cursor_.SkipSpace();
  const std::size_t begin = cursor_.position();
  cursor_.AcceptRaw('-');
  while (true) {
    const char c = cursor_.PeekRaw();
    const bool exponent_sign = (c == '+' || c == '-') && cursor_.position() > begin + 1 && !cursor_.Since(begin).starts_with("0x") &&
                               (cursor_.Since(begin).back() == 'e' || cursor_.Since(begin).back() == 'E');
    if (!(IsWordCharacter(c) && c != '_' && c != '$') && !exponent_sign) break;
    cursor_.AcceptRaw(c);
  }
  return cursor_.Since(begin);
}

AttributePtr AttributeParser::ParseNumber() {
  const std::string_view token = NumberToken();
  const bool fraction = !token.starts_with("0x") && token.find_first_of(".eE") != std::string_view::npos;
  TypePtr type = cursor_.Accept(":") ? ParseType() : ScalarType(fraction ? "f64" : "i64");
  if (!cursor_.ok()) return nullptr;
  if (type->bits() > 0) {
    const auto value = ParseInteger(token);
    if (!value || !FitsWidth(*value, type->bits())) {
      cursor_.Fail("'" + std::string(token.substr(0, 40)) + "' is not an integer of type " + type->text);
      return nullptr;
    }
    const int unused = 64 - std::min(type->bits(), 64);
    auto attribute = New(Attribute::Kind::kInteger, std::move(type));
    attribute->integer = static_cast<std::int64_t>(static_cast<std::uint64_t>(*value) << unused) >> unused;
    return attribute;
  }
  auto attribute = New(Attribute::Kind::kFloat, type);
  if (!type->dtype || !core::IsFloat(*type->dtype)) {
    cursor_.Fail(core::ErrorCode::kUnsupported, "a number of type '" + type->text + "'");
  } else if (!AppendFloat(token, *type->dtype, attribute->bytes)) {
    cursor_.Fail("'" + std::string(token.substr(0, 40)) + "' is not a number of type " + type->text);
  }
  return cursor_.ok() ? attribute : nullptr;
}

AttributePtr AttributeParser::ParseArray() {
  auto attribute = New(Attribute::Kind::kArray);
  cursor_.Expect("[");
  if (!cursor_.Accept("]")) {
    do attribute->elements.push_back(ParseAttribute());
    while (cursor_.Accept(","));
    cursor_.Expect("]");
  }
  return cursor_.ok() ? attribute : nullptr;
}

std::string AttributeParser::ParseEntryName() {
  if (cursor_.Peek() == '"') return cursor_.String();
  std::string name(cursor_.Word());
  if (name.empty()) cursor_.Fail("expected an attribute's name");
  return name;
}

AttributePtr AttributeParser::ParseDictionary() {
  const Nesting nesting(*this);
  auto attribute = New(Attribute::Kind::kDictionary);
  cursor_.Expect("{");
  if (!cursor_.Accept("}")) {
    do {
      std::string name = ParseEntryName();
      AttributePtr value = cursor_.Accept("=") ? ParseAttribute() : New(Attribute::Kind::kUnit);
      if (attribute->Find(name) != nullptr) cursor_.Fail("attribute '" + name + "' occurs twice");
      attribute->entries.emplace_back(std::move(name), std::move(value));
    } while (cursor_.Accept(","));
    cursor_.Expect("}");
  }
  return cursor_.ok() ? attribute : nullptr;
}

AttributePtr AttributeParser::ParseSymbol() {
  auto attribute = New(Attribute::Kind::kSymbol);
  cursor_.Expect("@");
  attribute->text = cursor_.PeekRaw() == '"' ? cursor_.String() : std::string(cursor_.Word());
  if (attribute->text.empty()) cursor_.Fail("a symbol has no name");
  if (cursor_.Accept("::")) cursor_.Fail(core::ErrorCode::kUnsupported, "a nested symbol reference");
  return cursor_.ok() ? attribute : nullptr;
}

AttributePtr AttributeParser::ParseHash() {
  const std::size_t begin = cursor_.position();
  cursor_.Expect("#");
  cursor_.Word();
  const std::string name(cursor_.Since(begin));
  if (cursor_.PeekRaw() != '<' && aliases_.contains(name)) {
    return AtAlias(name, known_attributes_, [this] { return ParseAttribute(); });
  }
  if (cursor_.PeekRaw() == '<') cursor_.Balanced();
  auto attribute = New(Attribute::Kind::kOpaque);
  attribute->text = cursor_.Since(begin);
  return cursor_.ok() ? attribute : nullptr;
}

AttributePtr AttributeParser::ParseDenseArray() {
  auto attribute = New(Attribute::Kind::kDenseArray);
  cursor_.Expect("<");
  const TypePtr element = ParseType();
  if (cursor_.ok() && element->bits() == 0) cursor_.Fail(core::ErrorCode::kUnsupported, "an array of something that is not integers");
  if (cursor_.Accept(":")) {
    do {
      if (cursor_.Accept("true")) {
        attribute->integers.push_back(1);
      } else if (cursor_.Accept("false")) {
        attribute->integers.push_back(0);
      } else {
        const auto value = ParseInteger(NumberToken());
        if (!value || !FitsWidth(*value, element->bits())) cursor_.Fail("an array holds something that is not an integer of its type");
        attribute->integers.push_back(value.value_or(0));
      }
    } while (cursor_.Accept(","));
  }
  cursor_.Expect(">");
  return cursor_.ok() ? attribute : nullptr;
}

}  // namespace kernel_audit::import
