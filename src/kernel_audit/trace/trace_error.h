// A misuse of the front end.
#pragma once

#include <stdexcept>
#include <string>

#include "kernel_audit/core/source_location.h"
#include "kernel_audit/trace/here.h"

namespace kernel_audit::pallas {

// what(): "model.cpp:12: [dot] ..."
class TraceError : public std::runtime_error {
 public:
  TraceError(const std::string& message, core::SourceLocation location);
  const core::SourceLocation& location() const { return location_; }

 private:
  core::SourceLocation location_;
};

}  // namespace kernel_audit::pallas

namespace kernel_audit::trace {

// Throws TraceError("[operation] message") at `here`.
[[noreturn]] void Misuse(const char* operation, const std::string& message, Here here);

}  // namespace kernel_audit::trace
