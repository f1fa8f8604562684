// A place in a user's source file.
#pragma once

#include <string>

namespace kernel_audit::core {

struct SourceLocation {
  std::string file;  // as the module spells it; empty: unknown
  int line = 0;      // from 1; 0: unknown

  bool known() const { return !file.empty(); }
  // "FILE:LINE", or "" when unknown.
  std::string ToString() const { return known() ? file + ":" + std::to_string(line) : std::string(); }
  bool operator==(const SourceLocation&) const = default;
};

}  // namespace kernel_audit::core
