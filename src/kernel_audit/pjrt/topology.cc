#include "kernel_audit/pjrt/topology.h"

#include <utility>

#include "kernel_audit/pjrt/call.h"
#include "kernel_audit/pjrt/compile_program.h"

namespace kernel_audit::pjrt {
namespace {

// Each figure by itself: a plugin may lack any of these calls.
void ReadCodeSize(const ExecutableHandle& executable, CompiledProgram& program) {
  PJRT_Executable_SizeOfGeneratedCodeInBytes_Args args{};
  args.executable = executable.get();
  if (Call(executable.plugin(), KA_PJRT_ENTRY(PJRT_Executable_SizeOfGeneratedCodeInBytes), args)) program.code_bytes = args.size_in_bytes;
}

void ReadMemory(const ExecutableHandle& executable, CompiledProgram& program) {
  PJRT_Executable_GetCompiledMemoryStats_Args args{};
  args.executable = executable.get();
  if (!Call(executable.plugin(), KA_PJRT_ENTRY(PJRT_Executable_GetCompiledMemoryStats), args)) return;
  program.argument_bytes = args.argument_size_in_bytes;
  program.output_bytes = args.output_size_in_bytes;
  program.temporary_bytes = args.temp_size_in_bytes;
}

}  // namespace

core::Result<Topology> Topology::Create(const Plugin& plugin, const std::string& name) {
  PJRT_TopologyDescription_Create_Args args{};
  args.topology_name = name.data();
  args.topology_name_size = name.size();
  if (auto made = Call(plugin, KA_PJRT_ENTRY(PJRT_TopologyDescription_Create), args); !made) return tl::unexpected(std::move(made.error()));
  Topology topology{TopologyHandle(plugin, args.topology)};
  PJRT_TopologyDescription_PlatformVersion_Args version{};
  version.topology = topology.handle_.get();
  if (auto asked = Call(plugin, KA_PJRT_ENTRY(PJRT_TopologyDescription_PlatformVersion), version); !asked) return tl::unexpected(std::move(asked.error()));
  topology.platform_version_.assign(version.platform_version, version.platform_version_size);
  PJRT_TopologyDescription_GetDeviceDescriptions_Args devices{};
  devices.topology = topology.handle_.get();
  if (auto asked = Call(plugin, KA_PJRT_ENTRY(PJRT_TopologyDescription_GetDeviceDescriptions), devices); !asked) return tl::unexpected(std::move(asked.error()));
  topology.device_count_ = devices.num_descriptions;
  return topology;
}

core::Result<CompiledProgram> Topology::Compile(std::string_view stablehlo) const {
  const PJRT_Program program = MlirProgram(stablehlo);
  PJRT_Compile_Args args{};
  args.topology = handle_.get();
  args.program = &program;
  args.compile_options = kOneDevice.data();
  args.compile_options_size = kOneDevice.size();
  if (auto compiled = Call(handle_.plugin(), KA_PJRT_ENTRY(PJRT_Compile), args); !compiled) return tl::unexpected(std::move(compiled.error()));
  const ExecutableHandle executable(handle_.plugin(), args.executable);
  CompiledProgram result;
  ReadCodeSize(executable, result);
  ReadMemory(executable, result);
  if (auto optimized = ReadOptimized(executable)) result.optimized = std::move(optimized->code);
  return result;
}

}  // namespace kernel_audit::pjrt
