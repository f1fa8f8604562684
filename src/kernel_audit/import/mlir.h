// MLIR as a tree of plain data, whether it was read from text or from bytecode. Nothing here knows what an operation means.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel_audit/core/dtype.h"
#include "kernel_audit/core/shape.h"
#include "kernel_audit/core/source_location.h"

namespace kernel_audit::import {

struct Attribute;
struct MlirType;
// Shared, because one attribute or type serves many operations. Never null in a tree that was read successfully, but for the members
// that say otherwise.
using AttributePtr = std::shared_ptr<const Attribute>;
using TypePtr = std::shared_ptr<const MlirType>;

struct MlirType {
  enum class Kind { kScalar, kVector, kMemRef, kTensor, kFunction, kOther };

  Kind kind = Kind::kOther;
  std::optional<core::DType> dtype;  // kScalar; nothing: a scalar that core::DType has no word for
  std::string text;                  // kScalar, kOther: as MLIR spells it
  core::Shape shape;                 // kVector, kMemRef, kTensor
  TypePtr element;                   // kVector, kMemRef, kTensor
  AttributePtr layout, space;        // kMemRef; null: none was given
  std::vector<TypePtr> inputs, results;  // kFunction

  int bits() const;  // of an integer or index type; 0: not one
};

struct Attribute {
  enum class Kind { kUnit, kInteger, kFloat, kString, kArray, kDictionary, kSymbol, kType, kDenseArray, kDense, kOpaque, kLocation };

  Kind kind = Kind::kUnit;
  TypePtr type;                        // kInteger, kFloat, kDense, kType
  std::int64_t integer = 0;            // kInteger, sign extended (an i1 is 0 or 1)
  std::string text;                    // kString, kSymbol (without @), kOpaque ("#tpu.memory_space<vmem>")
  std::vector<AttributePtr> elements;  // kArray
  std::vector<std::pair<std::string, AttributePtr>> entries;  // kDictionary
  std::vector<std::int64_t> integers;  // kDenseArray
  std::vector<std::uint8_t> bytes;     // kFloat: one element; kDense: one (splat) or all, as ir::Constant holds them
  bool splat = false;                  // kDense
  core::SourceLocation location;       // kLocation

  // The entry of a dictionary, or null.
  const Attribute* Find(std::string_view name) const;
};

struct Operation;

struct Block {
  std::vector<int> arguments;  // value numbers
  std::vector<Operation> operations;
};

struct MlirRegion {
  std::vector<Block> blocks;
};

struct Operation {
  std::string name;
  std::vector<int> operands, results;  // value numbers
  std::vector<MlirRegion> regions;
  AttributePtr attributes;  // a dictionary
  core::SourceLocation location;
};

// A top-level operation and all that is inside it. A value number that an operand names may have no definition, or a later one.
struct MlirModule {
  Operation top;
  std::vector<TypePtr> value_types;  // by value number; null: never defined
};

// `i32`, `bf16`, ... ; kOther never.
TypePtr ScalarType(std::string_view text);

}  // namespace kernel_audit::import
