#include "kernel_audit/cli/command.h"

namespace kernel_audit::cli {

std::span<const AddCommand> Commands() { return {}; }

}  // namespace kernel_audit::cli
