// A PJRT plugin: a shared library that exports GetPjrtApi. Source of the C API: xla/pjrt/c/pjrt_c_api.h, version 0.81; what a plugin
// with another minor version lacks is found out call by call (call.h).
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "kernel_audit/core/error.h"
#include "pjrt_c_api.h"

namespace kernel_audit::pjrt {

struct ApiVersion {
  int major_version = 0;
  int minor_version = 0;

  // "0.115".
  std::string ToString() const;
  bool operator==(const ApiVersion&) const = default;
};

// A cheap handle; copies name the same plugin. A library stays in the process once it is loaded.
class Plugin {
 public:
  // Loads the library, or finds it if this process already has it, and initialises it once. Environment variables that the library
  // reads must be set before. Errors, each naming the path: kIo, no such file or not a loadable library; kBadInput, a library without
  // GetPjrtApi; kUnsupported, another major version or an entry missing that no plugin may lack; kPlugin, it refused to initialise.
  static core::Result<Plugin> Load(const std::filesystem::path& path);

  // The same checks and initialisation for a function table that is already there. The table must outlive every copy of the result.
  static core::Result<Plugin> FromTable(const PJRT_Api* table, std::string path);

  // Canonical.
  const std::string& path() const { return state_->path; }
  ApiVersion api_version() const;
  const PJRT_Api& table() const { return *state_->table; }

  // The extension of that type, or null. Its struct_size says how much of it is there.
  const PJRT_Extension_Base* FindExtension(PJRT_Extension_Type type) const;

 private:
  struct State {
    std::string path;
    const PJRT_Api* table;
  };
  explicit Plugin(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

}  // namespace kernel_audit::pjrt
