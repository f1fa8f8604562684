// The tables of a bytecode file: strings, attributes, types and operation names, by number.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel_audit/import/byte_reader.h"
#include "kernel_audit/import/mlir.h"

namespace kernel_audit::import {

class BytecodeTables {
 public:
  // Each reads one section; false: `error()` says why. In this order.
  bool ReadStrings(Bytes section);
  bool ReadDialects(Bytes section);
  bool ReadOffsets(Bytes offsets, Bytes values);

  // The thing with a number, read when it is first asked for; null, or an empty name, after a failure.
  AttributePtr AttributeAt(std::uint64_t number);
  TypePtr TypeAt(std::uint64_t number);
  std::string OperationName(std::uint64_t number);
  std::string_view StringAt(std::uint64_t number);

  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  void Fail(std::string message);

 private:
  template <typename T>
  struct Entry {
    Bytes bytes;
    bool custom = false;  // the builtin dialect's encoding; else text
    bool reading = false;
    T value;
  };

  template <typename T>
  bool ReadEntries(ByteReader& offsets, ByteReader& values, std::vector<Entry<T>>& entries);
  template <typename T, typename Parse>
  T Resolve(std::vector<Entry<T>>& entries, std::uint64_t number, const char* kind, Parse parse);

  // bytecode_builtin.cc
  AttributePtr ReadBuiltinAttribute(ByteReader& reader);
  TypePtr ReadBuiltinType(ByteReader& reader);
  void ReadContainer(ByteReader& reader, std::uint64_t code, Attribute& attribute);
  void ReadNumber(ByteReader& reader, std::uint64_t code, Attribute& attribute);
  void ReadLocation(ByteReader& reader, std::uint64_t code, Attribute& attribute);
  void ReadDenseArray(ByteReader& reader, Attribute& attribute);
  void ReadDense(ByteReader& reader, Attribute& attribute);
  AttributePtr ReadAttributeNumber(ByteReader& reader);
  TypePtr ReadTypeNumber(ByteReader& reader);
  std::string ReadStringAttribute(ByteReader& reader);
  core::SourceLocation ReadLocationNumber(ByteReader& reader);
  std::vector<TypePtr> ReadTypes(ByteReader& reader);

  std::vector<std::string_view> strings_;
  std::vector<std::string_view> dialects_;
  std::vector<std::string> operation_names_;
  std::vector<Entry<AttributePtr>> attributes_;
  std::vector<Entry<TypePtr>> types_;
  int depth_ = 0;
  std::string error_;
};

}  // namespace kernel_audit::import
