// MLIR attributes, types and locations as text -> the tree of mlir.h. What has no meaning here (affine maps, attributes and types of other
// dialects) is kept as its text, so that whoever needs its value can say that it does not know it.
#pragma once

#include <map>
#include <string>

#include "kernel_audit/import/mlir.h"
#include "kernel_audit/import/text_cursor.h"

namespace kernel_audit::import {

class AttributeParser {
 public:
  explicit AttributeParser(TextCursor& cursor) : cursor_(cursor) {}

  // Where the cursor's text defines `#name` and `!name` at the start of a line. Call before the first use of an alias.
  void FindAliases();

  // Each moves the cursor over what it reads and returns it; null after a failure, which the cursor holds.
  AttributePtr ParseAttribute();
  AttributePtr ParseDictionary();  // `{name = value, unit_name}`
  TypePtr ParseType();
  // `loc(...)`: the file location that is innermost: a name's child, a call site's callee, a fused location's first. Unknown where the text
  // names no file.
  core::SourceLocation ParseLocation();

 private:
  struct Nesting;

  AttributePtr ParseNumber();
  AttributePtr ParseArray();
  AttributePtr ParseDense();
  AttributePtr ParseDenseArray();
  AttributePtr ParseSymbol();
  AttributePtr ParseHash();
  AttributePtr ParseBoolean(bool value);
  void ParseDenseElements(Attribute& attribute, core::DType dtype, std::size_t& count, std::vector<std::int64_t>& shape, int depth);
  std::string ParseEntryName();

  TypePtr ParseShaped(MlirType::Kind kind);
  TypePtr ParseFunction();
  TypePtr ParseOther();
  void ParseExtents(core::Shape& shape);

  core::SourceLocation ParseLocationBody();
  core::SourceLocation ParseFileOrName();
  core::SourceLocation ParseFused();
  void SkipRange();

  std::string_view NumberToken();
  // What `parse` reads where `name` is defined. Read once and kept in `known`, so that aliases of aliases cost no more than they are long.
  template <typename T, typename Parse>
  T AtAlias(const std::string& name, std::map<std::string, T>& known, Parse parse);

  TextCursor& cursor_;
  std::map<std::string, std::size_t, std::less<>> aliases_;  // "#loc3" -> the position behind `=`
  std::map<std::string, AttributePtr> known_attributes_;
  std::map<std::string, TypePtr> known_types_;
  std::map<std::string, core::SourceLocation> known_locations_;
  int depth_ = 0;
};

}  // namespace kernel_audit::import
