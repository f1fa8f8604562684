// Types and locations.
#include "kernel_audit/import/attribute_nesting.h"
#include "kernel_audit/import/attribute_parser.h"

namespace kernel_audit::import {

TypePtr AttributeParser::ParseType() {
  const Nesting nesting(*this);
  if (!cursor_.ok()) return nullptr;
  const char c = cursor_.Peek();
  if (c == '(') return ParseFunction();
  if (c == '!') return ParseOther();
  const std::string_view word = cursor_.Word();
  if (word == "vector") return ParseShaped(MlirType::Kind::kVector);
  if (word == "memref") return ParseShaped(MlirType::Kind::kMemRef);
  if (word == "tensor") return ParseShaped(MlirType::Kind::kTensor);
  if (word.empty()) {
    cursor_.Fail("expected a type");
    return nullptr;
  }
  auto type = std::make_shared<MlirType>(*ScalarType(word));
  if (cursor_.PeekRaw() == '<') type->text += cursor_.Balanced();
  return cursor_.ok() ? type : nullptr;
}

TypePtr AttributeParser::ParseOther() {
  const std::size_t begin = cursor_.position();
  cursor_.Expect("!");
  cursor_.Word();
  const std::string name(cursor_.Since(begin));
  if (cursor_.PeekRaw() != '<' && aliases_.contains(name)) {
    return AtAlias(name, known_types_, [this] { return ParseType(); });
  }
  if (cursor_.PeekRaw() == '<') cursor_.Balanced();
  return cursor_.ok() ? ScalarType(cursor_.Since(begin)) : nullptr;
}

TypePtr AttributeParser::ParseFunction() {
  auto type = std::make_shared<MlirType>();
  type->kind = MlirType::Kind::kFunction;
  const auto list = [this](std::vector<TypePtr>& types) {
    cursor_.Expect("(");
    if (cursor_.Accept(")")) return;
    do types.push_back(ParseType());
    while (cursor_.Accept(","));
    cursor_.Expect(")");
  };
  list(type->inputs);
  cursor_.Expect("->");
  if (cursor_.Peek() == '(') {
    list(type->results);
  } else {
    type->results.push_back(ParseType());
  }
  return cursor_.ok() ? type : nullptr;
}

// `8x?x` up to the element type.
void AttributeParser::ParseExtents(core::Shape& shape) {
  cursor_.SkipSpace();
  while (cursor_.ok()) {
    const std::size_t begin = cursor_.position();
    std::int64_t extent = core::kDynamicExtent;
    if (!cursor_.AcceptRaw('?')) {
      const auto digits = cursor_.Digits();
      if (!digits) {
        if (cursor_.position() != begin) cursor_.Fail("an extent is too large");
        return;
      }
      extent = *digits;
    }
    if (!cursor_.AcceptRaw('x')) {
      cursor_.Fail("expected 'x' after an extent");
      return;
    }
    shape.push_back(extent);
    if (shape.size() > 16) cursor_.Fail(core::ErrorCode::kUnsupported, "a type of more than 16 dimensions");
  }
}

TypePtr AttributeParser::ParseShaped(MlirType::Kind kind) {
  auto type = std::make_shared<MlirType>();
  type->kind = kind;
  cursor_.Expect("<");
  if (cursor_.Peek() == '*' || cursor_.Peek() == '[') cursor_.Fail(core::ErrorCode::kUnsupported, "an unranked or scalable type");
  ParseExtents(type->shape);
  type->element = ParseType();
  while (cursor_.Accept(",")) {
    AttributePtr attribute = ParseAttribute();
    if (attribute == nullptr) return nullptr;
    const bool layout = attribute->kind == Attribute::Kind::kOpaque && !attribute->text.starts_with("#tpu.memory_space");
    (kind == MlirType::Kind::kMemRef && !layout ? type->space : type->layout) = std::move(attribute);
  }
  cursor_.Expect(">");
  return cursor_.ok() ? type : nullptr;
}

core::SourceLocation AttributeParser::ParseLocation() {
  const Nesting nesting(*this);
  if (cursor_.Peek() == '#') return ParseLocationBody();
  cursor_.Expect("loc");
  cursor_.Expect("(");
  core::SourceLocation location = ParseLocationBody();
  cursor_.Expect(")");
  return location;
}

core::SourceLocation AttributeParser::ParseLocationBody() {
  const Nesting nesting(*this);
  if (!cursor_.ok()) return {};
  const char c = cursor_.Peek();
  if (c == '"') return ParseFileOrName();
  if (c == '#') {
    const std::size_t begin = cursor_.position();
    cursor_.Expect("#");
    cursor_.Word();
    return AtAlias(std::string(cursor_.Since(begin)), known_locations_, [this] { return ParseLocation(); });
  }
  if (cursor_.Accept("unknown")) return {};
  if (cursor_.Accept("loc")) {
    cursor_.Expect("(");
    core::SourceLocation location = ParseLocationBody();
    cursor_.Expect(")");
    return location;
  }
  if (cursor_.Accept("fused")) return ParseFused();
  if (cursor_.Accept("callsite")) {
    cursor_.Expect("(");
    core::SourceLocation callee = ParseLocationBody();
    cursor_.Expect("at");
    core::SourceLocation caller = ParseLocationBody();
    cursor_.Expect(")");
    return callee.known() ? callee : caller;
  }
  cursor_.Fail("expected a location");
  return {};
}

core::SourceLocation AttributeParser::ParseFused() {
  core::SourceLocation location;
  if (cursor_.Peek() == '<') cursor_.Balanced();
  cursor_.Expect("[");
  do {
    core::SourceLocation part = ParseLocationBody();
    if (!location.known()) location = std::move(part);
  } while (cursor_.Accept(","));
  cursor_.Expect("]");
  return location;
}

// "file":line:column [to [line]:column], or "name" [(location)].
core::SourceLocation AttributeParser::ParseFileOrName() {
  core::SourceLocation location;
  location.file = cursor_.String();
  if (cursor_.Accept("(")) {
    location = ParseLocationBody();
    cursor_.Expect(")");
    return location;
  }
  if (!cursor_.Accept(":")) return {};
  const auto line = cursor_.Digits();
  if (!line || *line > INT32_MAX) cursor_.Fail("a location's line is not a number");
  location.line = static_cast<int>(line.value_or(0));
  if (cursor_.Accept(":") && !cursor_.Digits()) cursor_.Fail("a location's column is not a number");
  if (cursor_.Accept("to")) SkipRange();
  return location;
}

void AttributeParser::SkipRange() {
  cursor_.SkipSpace();
  cursor_.Digits();
  if (cursor_.Accept(":") && !cursor_.Digits()) cursor_.Fail("a location's column is not a number");
}

}  // namespace kernel_audit::import
