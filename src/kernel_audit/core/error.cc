#include "kernel_audit/core/error.h"

namespace kernel_audit::core {

std::string Error::ToString() const { return location.known() ? location.ToString() + ": " + message : message; }

}  // namespace kernel_audit::core
