// Reads an operation's attributes by name, and remembers which ones were read: what nobody asked for is refused, so that nothing that changes
// an operation's meaning is passed over in silence. The first failure sticks.
#pragma once

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_audit/core/error.h"
#include "kernel_audit/import/mlir.h"

namespace kernel_audit::import {

class AttributeReader {
 public:
  // `name` is the operation's, for messages.
  AttributeReader(const Operation& operation, std::string name) : operation_(operation), name_(std::move(name)) {}

  const Attribute* Find(std::string_view name);
  const Attribute* Require(std::string_view name);

  std::int64_t Integer(std::string_view name);
  std::int64_t Integer(std::string_view name, std::int64_t otherwise);
  bool Boolean(std::string_view name, bool otherwise);
  std::string String(std::string_view name);
  // array<i32: ...> or [1, 2].
  std::vector<std::int64_t> Integers(std::string_view name);
  // `vmem` of #tpu.memory_space<vmem>; nothing when the attribute is missing.
  std::optional<std::string> Opaque(std::string_view name, std::string_view prefix);

  // These may be there, with any value.
  void Ignore(std::initializer_list<std::string_view> names);
  // This may be there, but only as false or zero.
  void OnlyFalse(std::string_view name);

  void Fail(core::ErrorCode code, const std::string& message);
  void Unsupported(const std::string& message) { Fail(core::ErrorCode::kUnsupported, message); }
  void Bad(const std::string& message) { Fail(core::ErrorCode::kBadInput, message); }

  bool ok() const { return !error_; }
  // The first failure, or the name of an attribute that nobody read.
  core::Result<void> Finish();

 private:
  const Operation& operation_;
  std::string name_;
  std::set<std::string, std::less<>> read_;
  std::optional<core::Error> error_;
};

}  // namespace kernel_audit::import
