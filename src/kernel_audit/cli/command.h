// The subcommands of kernel-audit, one file each.
#pragma once

#include <span>

namespace CLI {
class App;
}

namespace kernel_audit::cli {

// What the process ends with; every subcommand keeps to it.
enum ExitStatus {
  kPassed = 0,    // everything passed
  kFound = 1,     // a check failed or a finding was made
  kRefused = 2,   // no TPU, an unmet guard
  kBadInput = 3,  // bad usage or bad input
  kBug = 4,       // a bug of this project
};

// Adds one subcommand to `app`. Its callback, called when the user chose it, sets `status`.
using AddCommand = void (*)(CLI::App& app, int& status);

// All of them, in the order --help shows.
std::span<const AddCommand> Commands();

}  // namespace kernel_audit::cli
