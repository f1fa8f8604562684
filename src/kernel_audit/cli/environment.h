// What a run depended on, for evidence and for `doctor`.
#pragma once

#include <string>
#include <vector>

#include "kernel_audit/core/error.h"
#include "kernel_audit/evidence/bundle.h"
#include "kernel_audit/pjrt/client.h"
#include "kernel_audit/worker/toolchain.h"

namespace kernel_audit::cli {

// "kernel-audit" and this process's arguments.
std::vector<std::string> CommandWords();

// The first line of what the compiler says of its version.
std::string VersionOf(const worker::Toolchain& toolchain);

// The XLA:CPU plugin: its hash and what it says of itself. kIo when it cannot be read.
core::Result<core::Json> PluginJson(const pjrt::Client& client);

// A bundle for this process's command, with environment.json: this program, the C++ compiler where there is one, the plugin, the processor,
// the kernel and how candidates are confined.
core::Result<evidence::Bundle> NewBundle();

}  // namespace kernel_audit::cli
