// A plugin's description of devices that need not be there, to compile for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernel_audit/core/error.h"
#include "kernel_audit/pjrt/handle.h"
#include "kernel_audit/pjrt/plugin.h"

namespace kernel_audit::pjrt {

// What a plugin says of a program that it compiled and no device has. Bytes; -1 where it does not say.
struct CompiledProgram {
  std::int64_t code_bytes = -1;
  std::int64_t argument_bytes = -1, output_bytes = -1, temporary_bytes = -1;
  std::string optimized;  // the plugin's own form of it; empty where it keeps it to itself
};

class Topology {
 public:
  // `name` as the plugin spells it ("v5e:2x2"). kPlugin when it knows no such topology.
  static core::Result<Topology> Create(const Plugin& plugin, const std::string& name);

  const std::string& platform_version() const { return platform_version_; }
  // As the plugin says; a topology's name does not tell.
  std::size_t device_count() const { return device_count_; }

  // Compiles a StableHLO module for one device of the topology. kPlugin with the plugin's whole words when it refuses.
  core::Result<CompiledProgram> Compile(std::string_view stablehlo) const;

 private:
  explicit Topology(TopologyHandle handle) : handle_(std::move(handle)) {}

  TopologyHandle handle_;
  std::string platform_version_;
  std::size_t device_count_ = 0;
};

}  // namespace kernel_audit::pjrt
