// A plugin's client: the devices it really has, and what can be put on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_audit/core/error.h"
#include "kernel_audit/core/host_array.h"
#include "kernel_audit/pjrt/buffer.h"
#include "kernel_audit/pjrt/executable.h"
#include "kernel_audit/pjrt/handle.h"

namespace kernel_audit::pjrt {

struct ClientOptions {
  // XLA:CPU: how many CPU devices to make, 1 to 1024. Nothing: the plugin decides.
  std::optional<std::int64_t> cpu_device_count;
};

// In the plugin's words; nothing here is derived from a name.
struct Device {
  int id = 0;
  std::string kind;
  std::string name;
};

// What a client's buffers and executables share; the client goes when the last of them has gone.
struct ClientState {
  ClientHandle handle;
  std::string platform_name;
  std::string platform_version;
  std::vector<Device> devices;
  std::vector<PJRT_Device*> raw_devices;  // parallel to `devices`; owned by the client
  std::size_t device_count = 0;
};

class Client {
 public:
  // kPlugin when the plugin finds no device; kBadInput for an option out of range.
  static core::Result<Client> Create(const Plugin& plugin, const ClientOptions& options = {});

  Client(Client&&) noexcept = default;
  Client& operator=(Client&&) noexcept = default;

  const Plugin& plugin() const { return state_->handle.plugin(); }
  const std::string& platform_name() const { return state_->platform_name; }
  const std::string& platform_version() const { return state_->platform_version; }

  // The devices that this process can give work to.
  const std::vector<Device>& devices() const { return state_->devices; }
  // The number of devices the plugin reports, counted apart from devices(): other processes' devices are in it.
  std::size_t device_count() const { return state_->device_count; }

  // Compiles a StableHLO module (text or bytecode) for one device. `name` begins every error about it; the plugin's words follow whole.
  core::Result<Executable> Compile(std::string_view stablehlo, std::string_view name) const;

  // Compiles a module for one replica a device, runs it once on all of devices(), inputs[i] the one argument of replica i, and gives the
  // one result of each. kBadInput unless there is one input a device; kPlugin with the plugin's words.
  core::Result<std::vector<core::HostArray>> RunReplicas(std::string_view stablehlo, std::string_view name, std::span<const core::HostArray> inputs) const;

  // Copies the array to devices()[device]; the array may change or go as soon as this returns. kUnsupported for an element type that
  // XLA lacks; kBadInput for a device out of range or an array without storage.
  core::Result<Buffer> FromHost(const core::HostArray& array, std::size_t device = 0) const;

 private:
  explicit Client(std::shared_ptr<const ClientState> state) : state_(std::move(state)) {}

  std::shared_ptr<const ClientState> state_;
};

}  // namespace kernel_audit::pjrt
