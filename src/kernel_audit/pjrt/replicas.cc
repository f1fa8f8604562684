// One program on all of a client's devices at once.
#include <utility>

#include "kernel_audit/pjrt/call.h"
#include "kernel_audit/pjrt/client.h"

namespace kernel_audit::pjrt {
namespace {

using core::ErrorCode;
using core::Fail;
using core::HostArray;

std::string Varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) bytes += static_cast<char>((value & 127) | 128);
  return bytes + static_cast<char>(value);
}

// A CompileOptionsProto: field 3 (build options) = {device_ordinal (1) = -1, num_replicas (4), num_partitions (5) = 1}.
std::string CompileOptions(std::size_t replicas) {
  const std::string build = std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x20", 12) + Varint(replicas) + std::string("\x28\x01", 2);
  return "\x1a" + Varint(build.size()) + build;
}

core::Result<LoadedExecutableHandle> CompileFor(const ClientHandle& client, std::string_view stablehlo, std::size_t replicas) {
  constexpr std::string_view kMlir = "mlir";
  const std::string compile_options = CompileOptions(replicas);
  PJRT_Program program{};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  program.code = const_cast<char*>(stablehlo.data());  // only read
  program.code_size = stablehlo.size();
  program.format = kMlir.data();
  program.format_size = kMlir.size();
  PJRT_Client_Compile_Args args{};
  args.client = client.get();
  args.program = &program;
  args.compile_options = compile_options.data();
  args.compile_options_size = compile_options.size();
  if (auto compiled = Call(client.plugin(), KA_PJRT_ENTRY(PJRT_Client_Compile), args); !compiled) return tl::unexpected(std::move(compiled.error()));
  return LoadedExecutableHandle(client.plugin(), args.executable);
}

// One argument and one result a replica.
core::Result<std::vector<Buffer>> RunAll(const LoadedExecutableHandle& executable, const std::shared_ptr<const ClientState>& client,
                                         const std::vector<Buffer>& inputs) {
  const std::size_t count = inputs.size();
  const Plugin& plugin = executable.plugin();
  PJRT_ExecuteOptions options{};
  options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
  std::vector<PJRT_Buffer*> raw_inputs, raw_outputs(count);
  for (const Buffer& input : inputs) raw_inputs.push_back(input.raw());
  std::vector<PJRT_Buffer* const*> argument_lists;
  std::vector<PJRT_Buffer**> output_lists;
  for (std::size_t i = 0; i < count; ++i) {
    argument_lists.push_back(&raw_inputs[i]);
    output_lists.push_back(&raw_outputs[i]);
  }
  std::vector<PJRT_Event*> complete(count);
  PJRT_LoadedExecutable_Execute_Args args{};
  args.executable = executable.get();
  args.options = &options;
  args.argument_lists = argument_lists.data();
  args.num_devices = count;
  args.num_args = 1;
  args.output_lists = output_lists.data();
  args.device_complete_events = complete.data();
  if (auto started = Call(plugin, KA_PJRT_ENTRY(PJRT_LoadedExecutable_Execute), args); !started) return tl::unexpected(std::move(started.error()));
  std::vector<Buffer> outputs;
  for (PJRT_Buffer* raw : raw_outputs) outputs.emplace_back(client, BufferHandle(plugin, raw));
  // All are awaited before any is reported: a device still at work must not lose its arguments.
  core::Result<void> finished;
  for (PJRT_Event* event : complete) {
    if (auto one = Await(EventHandle(plugin, event)); !one && finished) finished = tl::unexpected(std::move(one.error()));
  }
  if (!finished) return tl::unexpected(std::move(finished.error()));
  return outputs;
}

}  // namespace

core::Result<std::vector<HostArray>> Client::RunReplicas(std::string_view stablehlo, std::string_view name, std::span<const HostArray> inputs) const {
  if (inputs.size() != devices().size() || inputs.empty()) {
    return Fail(ErrorCode::kBadInput, std::string(name) + ": " + std::to_string(inputs.size()) + " inputs for " + std::to_string(devices().size()) + " devices");
  }
  const auto named = [&](core::Error error) {
    error.message = std::string(name) + ": " + error.message;
    return tl::unexpected(std::move(error));
  };
  auto executable = CompileFor(state_->handle, stablehlo, inputs.size());
  if (!executable) return named(std::move(executable.error()));
  std::vector<Buffer> arguments;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto buffer = FromHost(inputs[i], i);
    if (!buffer) return named(std::move(buffer.error()));
    arguments.push_back(std::move(*buffer));
  }
  auto outputs = RunAll(*executable, state_, arguments);
  if (!outputs) return named(std::move(outputs.error()));
  std::vector<HostArray> results;
  for (const Buffer& output : *outputs) {
    auto array = output.ToHost();
    if (!array) return named(std::move(array.error()));
    results.push_back(std::move(*array));
  }
  return results;
}

}  // namespace kernel_audit::pjrt
