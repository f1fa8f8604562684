// Where in the user's source a call was written. Compilers without std::source_location (clang 14) have these two builtins.
#pragma once

namespace kernel_audit::trace {

struct Here {
  const char* file = nullptr;
  int line = 0;

  static constexpr Here Current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }
};

}  // namespace kernel_audit::trace
