// A compiled program on the device of its client.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_audit/core/error.h"
#include "kernel_audit/core/host_array.h"
#include "kernel_audit/pjrt/buffer.h"
#include "kernel_audit/pjrt/handle.h"

namespace kernel_audit::pjrt {

// Types of a program's parameters. An empty inner entry: a type that core::ArrayType cannot express.
using ParameterTypes = std::vector<std::optional<core::ArrayType>>;

// Move only. Keeps its client alive.
class Executable {
 public:
  // What Client::Compile calls.
  static core::Result<Executable> Compile(std::shared_ptr<const ClientState> client, std::string_view stablehlo, std::string_view name);

  const std::string& name() const { return name_; }
  std::size_t num_outputs() const { return num_outputs_; }
  // Nothing when the plugin does not show its optimised program.
  const std::optional<ParameterTypes>& parameters() const { return parameters_; }

  // Runs once and waits until the device has finished. kBadInput, before anything runs, for a null or moved-from argument, one of
  // another client, a wrong number of them, or (where parameters() is known) a wrong element type or shape. Arguments stay usable,
  // even those that the module marks as donated. kPlugin otherwise, with the error of the run itself.
  core::Result<std::vector<Buffer>> Execute(std::span<const Buffer* const> arguments) const;

  // The same without the wait: outputs may still be on their way, and an error of the run itself comes from their AwaitReady.
  core::Result<std::vector<Buffer>> Start(std::span<const Buffer* const> arguments) const;

 private:
  Executable(std::shared_ptr<const ClientState> client, LoadedExecutableHandle handle, std::string name)
      : client_(std::move(client)), handle_(std::move(handle)), name_(std::move(name)) {}
  core::Result<void> ReadSignature();
  core::Result<void> CheckArgument(std::size_t index, const Buffer* argument) const;
  core::Result<void> CheckArguments(std::span<const Buffer* const> arguments) const;
  core::Result<std::vector<Buffer>> Begin(std::span<const Buffer* const> arguments, bool wait) const;
  core::Error Named(core::Error error) const;

  std::shared_ptr<const ClientState> client_;
  LoadedExecutableHandle handle_;
  std::string name_;
  std::size_t num_outputs_ = 0;
  std::optional<ParameterTypes> parameters_;
};

}  // namespace kernel_audit::pjrt
