// The line that stands for a place in the user's source.
//
// Compilers disagree about the line of a call that spans several lines: g++ gives the line of its closing part, clang that of its
// beginning. A module's bytes must not depend on the compiler, so every line is mapped to the first line of the statement it lies in.
// Statements inside the body of a lambda are statements of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel_audit/core/source_location.h"
#include "kernel_audit/trace/here.h"

namespace kernel_audit::trace {

// For each line of C++ source (index 0 unused), the first line of the outermost statement with a token on it; a line without tokens
// maps to itself.
std::vector<int> StatementLines(std::string_view source);

// `here` with its canonical line. The file is relative to the working directory when it lies below it, else its name alone. A source
// that can't be read keeps its lines.
core::SourceLocation CanonicalLocation(Here here);

}  // namespace kernel_audit::trace
