// Bounds the recursion of AttributeParser, whose input may be hostile.
#pragma once

#include "kernel_audit/import/attribute_parser.h"

namespace kernel_audit::import {

struct AttributeParser::Nesting {
  explicit Nesting(AttributeParser& parser) : parser(parser) {
    constexpr int kLimit = 256;
    if (++parser.depth_ > kLimit) parser.cursor_.Fail("attributes, types or locations are nested more than 256 deep");
  }
  ~Nesting() { --parser.depth_; }
  AttributeParser& parser;
};

template <typename T, typename Parse>
T AttributeParser::AtAlias(const std::string& name, std::map<std::string, T>& known, Parse parse) {
  if (const auto found = known.find(name); found != known.end()) return found->second;
  const auto alias = aliases_.find(name);
  if (alias == aliases_.end()) {
    cursor_.Fail("'" + name + "' is not defined");
    return {};
  }
  const std::size_t back = cursor_.position();
  cursor_.set_position(alias->second);
  T value = parse();
  if (!cursor_.ok()) return {};
  cursor_.set_position(back);
  return known.emplace(name, std::move(value)).first->second;
}

}  // namespace kernel_audit::import
