#include "kernel_audit/trace/trace_error.h"

#include "kernel_audit/trace/session.h"
#include "kernel_audit/trace/source_lines.h"

namespace kernel_audit::pallas {

TraceError::TraceError(const std::string& message, core::SourceLocation location)
    : std::runtime_error(location.known() ? location.ToString() + ": " + message : message), location_(std::move(location)) {}

}  // namespace kernel_audit::pallas

namespace kernel_audit::trace {

void Misuse(const char* operation, const std::string& message, Here here) {
  throw pallas::TraceError("[" + std::string(operation) + "] " + message, CanonicalLocation(PlacedAt(here)));
}

}  // namespace kernel_audit::trace
