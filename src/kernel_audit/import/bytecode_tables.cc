#include "kernel_audit/import/bytecode_tables.h"

#include "kernel_audit/import/attribute_parser.h"

namespace kernel_audit::import {
namespace {

// Text entries are one attribute or one type.
template <typename Parse>
auto ParseWhole(std::string_view text, std::string& error, Parse parse) {
  TextCursor cursor(text, "text");
  AttributeParser parser(cursor);
  auto value = parse(parser);
  if (cursor.ok() && !cursor.AtEnd()) cursor.Fail("something stands behind it");
  if (!cursor.ok()) error = "'" + std::string(text.substr(0, 80)) + "': " + cursor.error().message;
  return cursor.ok() ? value : nullptr;
}

}  // namespace

void BytecodeTables::Fail(std::string message) {
  if (error_.empty()) error_ = std::move(message);
}

bool BytecodeTables::ReadStrings(Bytes section) {
  ByteReader reader(section);
  std::vector<std::uint64_t> sizes(reader.Count());
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) *size = reader.VarInt();
  for (const std::uint64_t size : sizes) {
    const Bytes bytes = reader.Take(size);
    if (!reader.ok() || bytes.empty() || bytes.back() != 0) break;
    strings_.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size() - 1);
  }
  if (strings_.size() != sizes.size() || !reader.ok() || !reader.AtEnd()) Fail("its strings are damaged");
  return ok();
}

bool BytecodeTables::ReadDialects(Bytes section) {
  ByteReader reader(section);
  dialects_.resize(reader.Count());
  for (std::string_view& dialect : dialects_) dialect = StringAt(reader.VarInt());
  while (reader.ok() && ok() && !reader.AtEnd()) {
    const std::uint64_t dialect = reader.VarInt();
    const std::size_t count = reader.Count();
    if (dialect >= dialects_.size()) Fail("it names a dialect that it does not have");
    for (std::size_t i = 0; i < count && ok(); ++i) {
      operation_names_.push_back(std::string(dialects_[dialect]) + "." + std::string(StringAt(reader.VarInt())));
    }
  }
  if (!reader.ok()) Fail(reader.error());
  return ok();
}

template <typename T>
bool BytecodeTables::ReadEntries(ByteReader& offsets, ByteReader& values, std::vector<Entry<T>>& entries) {
  for (std::size_t read = 0; read < entries.size() && ok();) {
    const std::uint64_t dialect = offsets.VarInt();
    const std::size_t count = offsets.Count();
    if (dialect >= dialects_.size() || count > entries.size() - read || count == 0) Fail("its table of attributes and types is damaged");
    for (std::size_t i = 0; i < count && ok(); ++i) {
      Entry<T>& entry = entries[read++];
      entry.bytes = values.Take(offsets.VarIntWithFlag(entry.custom));
      if (entry.custom && dialects_[dialect] != "builtin") {
        Fail("dialect '" + std::string(dialects_[dialect]) + "' has an encoding of its own, which is not known");
      }
    }
    if (!offsets.ok() || !values.ok()) Fail("its table of attributes and types is damaged");
  }
  return ok();
}

bool BytecodeTables::ReadOffsets(Bytes offsets, Bytes values) {
  ByteReader offset_reader(offsets), value_reader(values);
  attributes_.resize(offset_reader.Count());
  types_.resize(offset_reader.Count());
  return ReadEntries(offset_reader, value_reader, attributes_) && ReadEntries(offset_reader, value_reader, types_);
}

template <typename T, typename Parse>
T BytecodeTables::Resolve(std::vector<Entry<T>>& entries, std::uint64_t number, const char* kind, Parse parse) {
  if (!ok()) return nullptr;
  if (number >= entries.size()) Fail(std::string("it names ") + kind + " " + std::to_string(number) + ", which it does not have");
  if (!ok()) return nullptr;
  Entry<T>& entry = entries[number];
  if (entry.value != nullptr) return entry.value;
  if (entry.reading || depth_ > 256) Fail(std::string(kind) + " " + std::to_string(number) + " contains itself or nests too deep");
  if (!ok()) return nullptr;
  entry.reading = true;
  ++depth_;
  entry.value = parse(entry);
  --depth_;
  entry.reading = false;
  if (entry.value == nullptr) Fail(std::string(kind) + " " + std::to_string(number) + " is damaged");
  return ok() ? entry.value : nullptr;
}

AttributePtr BytecodeTables::AttributeAt(std::uint64_t number) {
  return Resolve(attributes_, number, "attribute", [this](const Entry<AttributePtr>& entry) {
    ByteReader reader(entry.bytes);
    if (entry.custom) return ReadBuiltinAttribute(reader);
    std::string error;
    auto value = ParseWhole(reader.CString(), error, [](AttributeParser& parser) { return parser.ParseAttribute(); });
    if (value == nullptr) Fail(error);
    return value;
  });
}

TypePtr BytecodeTables::TypeAt(std::uint64_t number) {
  return Resolve(types_, number, "type", [this](const Entry<TypePtr>& entry) {
    ByteReader reader(entry.bytes);
    if (entry.custom) return ReadBuiltinType(reader);
    std::string error;
    auto value = ParseWhole(reader.CString(), error, [](AttributeParser& parser) { return parser.ParseType(); });
    if (value == nullptr) Fail(error);
    return value;
  });
}

std::string BytecodeTables::OperationName(std::uint64_t number) {
  if (number < operation_names_.size()) return operation_names_[number];
  Fail("it names an operation that it does not have");
  return {};
}

std::string_view BytecodeTables::StringAt(std::uint64_t number) {
  if (number < strings_.size()) return strings_[number];
  Fail("it names a string that it does not have");
  return {};
}

}  // namespace kernel_audit::import
