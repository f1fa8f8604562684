#include "kernel_audit/pjrt/executable.h"

#include <cstdint>
#include <numeric>
#include <utility>

#include "kernel_audit/pjrt/call.h"
#include "kernel_audit/pjrt/client.h"
#include "kernel_audit/pjrt/compile_program.h"
#include "kernel_audit/pjrt/hlo_signature.h"

namespace kernel_audit::pjrt {
namespace {

using core::ErrorCode;
using core::Fail;

core::Result<LoadedExecutableHandle> CompileHandle(const ClientHandle& client, std::string_view stablehlo) {
  PJRT_Program program = MlirProgram(stablehlo);
  PJRT_Client_Compile_Args args{};
  args.client = client.get();
  args.program = &program;
  args.compile_options = kOneDevice.data();
  args.compile_options_size = kOneDevice.size();
  if (auto compiled = Call(client.plugin(), KA_PJRT_ENTRY(PJRT_Client_Compile), args); !compiled) {
    return tl::unexpected(std::move(compiled.error()));
  }
  return LoadedExecutableHandle(client.plugin(), args.executable);
}

core::Result<ExecutableHandle> GetExecutable(const LoadedExecutableHandle& loaded) {
  PJRT_LoadedExecutable_GetExecutable_Args args{};
  args.loaded_executable = loaded.get();
  if (auto asked = Call(loaded.plugin(), KA_PJRT_ENTRY(PJRT_LoadedExecutable_GetExecutable), args); !asked) {
    return tl::unexpected(std::move(asked.error()));
  }
  return ExecutableHandle(loaded.plugin(), args.executable);
}

// Nothing where the plugin keeps its program to itself: then its own checks of the arguments must do.
std::optional<ParameterTypes> ReadParameters(const ExecutableHandle& executable) {
  const auto program = ReadOptimized(executable);
  if (!program) return std::nullopt;
  auto types = ParseParameterTypes(program->code, program->format);
  if (!types) return std::nullopt;
  return std::move(*types);
}

core::Result<std::vector<Buffer>> Run(const LoadedExecutableHandle& executable, const std::shared_ptr<const ClientState>& client,
                                      std::vector<PJRT_Buffer*>& arguments, std::size_t num_outputs, bool wait) {
  // The caller's arrays are const: nothing may be donated.
  std::vector<std::int64_t> kept(arguments.size());
  std::iota(kept.begin(), kept.end(), 0);
  PJRT_ExecuteOptions options{};
  options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
  options.non_donatable_input_indices = kept.data();
  options.num_non_donatable_input_indices = kept.size();

  std::vector<PJRT_Buffer*> raw_outputs(num_outputs);
  PJRT_Buffer* const* argument_list = arguments.data();
  PJRT_Buffer** output_list = raw_outputs.data();
  PJRT_Event* complete = nullptr;
  PJRT_LoadedExecutable_Execute_Args args{};
  args.executable = executable.get();
  args.options = &options;
  args.argument_lists = &argument_list;
  args.num_devices = 1;
  args.num_args = arguments.size();
  args.output_lists = &output_list;
  args.device_complete_events = wait ? &complete : nullptr;
  auto started = Call(executable.plugin(), KA_PJRT_ENTRY(PJRT_LoadedExecutable_Execute), args);
  if (!started) return tl::unexpected(std::move(started.error()));

  // A run that fails has outputs too, and they must be freed.
  std::vector<Buffer> outputs;
  for (PJRT_Buffer* raw : raw_outputs) outputs.emplace_back(client, BufferHandle(executable.plugin(), raw));
  auto finished = Await(EventHandle(executable.plugin(), complete));
  if (!finished) return tl::unexpected(std::move(finished.error()));
  return outputs;
}

}  // namespace

core::Result<Executable> Executable::Compile(std::shared_ptr<const ClientState> client, std::string_view stablehlo,
                                             std::string_view name) {
  auto handle = CompileHandle(client->handle, stablehlo);
  if (!handle) {
    handle.error().message = std::string(name) + ": " + handle.error().message;
    return tl::unexpected(std::move(handle.error()));
  }
  Executable executable(std::move(client), std::move(*handle), std::string(name));
  if (auto read = executable.ReadSignature(); !read) return tl::unexpected(executable.Named(std::move(read.error())));
  return executable;
}

core::Error Executable::Named(core::Error error) const {
  error.message = name_ + ": " + error.message;
  return error;
}

core::Result<void> Executable::ReadSignature() {
  auto executable = GetExecutable(handle_);
  if (!executable) return tl::unexpected(std::move(executable.error()));
  PJRT_Executable_NumOutputs_Args args{};
  args.executable = executable->get();
  if (auto asked = Call(executable->plugin(), KA_PJRT_ENTRY(PJRT_Executable_NumOutputs), args); !asked) return asked;
  num_outputs_ = args.num_outputs;
  parameters_ = ReadParameters(*executable);
  return {};
}

core::Result<void> Executable::CheckArgument(std::size_t index, const Buffer* argument) const {
  const std::string what = "argument " + std::to_string(index);
  if (argument == nullptr || argument->raw() == nullptr) return Fail(ErrorCode::kBadInput, what + " is no device array");
  if (argument->client() != client_.get()) return Fail(ErrorCode::kBadInput, what + " belongs to another client");
  if (!parameters_) return {};
  auto type = argument->Type();
  if (!type) return tl::unexpected(std::move(type.error()));
  const std::optional<core::ArrayType>& wanted = (*parameters_)[index];
  if (wanted == *type) return {};
  return Fail(ErrorCode::kBadInput, what + " is " + core::ToString(*type) + "; the program takes " +
                                        (wanted ? core::ToString(*wanted) : "an element type that this program cannot make"));
}

core::Result<void> Executable::CheckArguments(std::span<const Buffer* const> arguments) const {
  if (parameters_ && arguments.size() != parameters_->size()) {
    return Fail(ErrorCode::kBadInput, std::to_string(arguments.size()) + " arguments were given; the program takes " +
                                          std::to_string(parameters_->size()));
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (auto checked = CheckArgument(i, arguments[i]); !checked) return checked;
  }
  return {};
}

core::Result<std::vector<Buffer>> Executable::Execute(std::span<const Buffer* const> arguments) const { return Begin(arguments, true); }

core::Result<std::vector<Buffer>> Executable::Start(std::span<const Buffer* const> arguments) const { return Begin(arguments, false); }

core::Result<std::vector<Buffer>> Executable::Begin(std::span<const Buffer* const> arguments, bool wait) const {
  if (auto checked = CheckArguments(arguments); !checked) return tl::unexpected(Named(std::move(checked.error())));
  std::vector<PJRT_Buffer*> raw;
  for (const Buffer* argument : arguments) raw.push_back(argument->raw());
  auto outputs = Run(handle_, client_, raw, num_outputs_, wait);
  if (!outputs) return tl::unexpected(Named(std::move(outputs.error())));
  return outputs;
}

}  // namespace kernel_audit::pjrt
