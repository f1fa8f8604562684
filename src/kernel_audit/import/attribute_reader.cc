#include "kernel_audit/import/attribute_reader.h"

#include "kernel_audit/import/kernel_types.h"

namespace kernel_audit::import {

void AttributeReader::Fail(core::ErrorCode code, const std::string& message) {
  if (!error_) error_ = core::Error{code, name_ + ": " + message, operation_.location};
}

const Attribute* AttributeReader::Find(std::string_view name) {
  const Attribute* attribute = operation_.attributes->Find(name);
  if (attribute != nullptr) read_.emplace(name);
  return attribute;
}

const Attribute* AttributeReader::Require(std::string_view name) {
  const Attribute* attribute = Find(name);
  if (attribute == nullptr) Bad("attribute '" + std::string(name) + "' is missing");
  return attribute;
}

std::int64_t AttributeReader::Integer(std::string_view name) {
  const Attribute* attribute = Require(name);
  if (attribute == nullptr) return 0;
  if (attribute->kind != Attribute::Kind::kInteger) Bad("attribute '" + std::string(name) + "' is not an integer");
  return attribute->integer;
}

std::int64_t AttributeReader::Integer(std::string_view name, std::int64_t otherwise) {
  return Find(name) == nullptr ? otherwise : Integer(name);
}

bool AttributeReader::Boolean(std::string_view name, bool otherwise) { return Integer(name, otherwise ? 1 : 0) != 0; }

std::string AttributeReader::String(std::string_view name) {
  const Attribute* attribute = Require(name);
  if (attribute == nullptr) return {};
  if (attribute->kind != Attribute::Kind::kString) Bad("attribute '" + std::string(name) + "' is not a string");
  return attribute->text;
}

std::vector<std::int64_t> AttributeReader::Integers(std::string_view name) {
  const Attribute* attribute = Require(name);
  if (attribute == nullptr) return {};
  if (attribute->kind == Attribute::Kind::kDenseArray) return attribute->integers;
  std::vector<std::int64_t> values;
  if (attribute->kind != Attribute::Kind::kArray) Bad("attribute '" + std::string(name) + "' is not a list of integers");
  for (const AttributePtr& element : attribute->elements) {
    if (element->kind != Attribute::Kind::kInteger) Bad("attribute '" + std::string(name) + "' is not a list of integers");
    values.push_back(element->integer);
  }
  return values;
}

std::optional<std::string> AttributeReader::Opaque(std::string_view name, std::string_view prefix) {
  const Attribute* attribute = Find(name);
  if (attribute == nullptr) return std::nullopt;
  auto body = OpaqueBody(*attribute, prefix);
  if (!body) Bad("attribute '" + std::string(name) + "' is not " + std::string(prefix) + "<...>");
  return body;
}

void AttributeReader::Ignore(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) Find(name);
}

void AttributeReader::OnlyFalse(std::string_view name) {
  if (Boolean(name, false)) Unsupported("attribute '" + std::string(name) + "' is set, which is not supported");
}

core::Result<void> AttributeReader::Finish() {
  for (const auto& [name, value] : operation_.attributes->entries) {
    if (!read_.contains(name)) Unsupported("attribute '" + name + "' is not supported");
  }
  if (error_) return tl::unexpected(*error_);
  return {};
}

}  // namespace kernel_audit::import
