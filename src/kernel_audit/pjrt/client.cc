#include "kernel_audit/pjrt/client.h"

#include <utility>

#include "kernel_audit/pjrt/call.h"
#include "kernel_audit/pjrt/element_type.h"

namespace kernel_audit::pjrt {
namespace {

using core::ErrorCode;
using core::Fail;

constexpr std::int64_t kMaxCpuDevices = 1024;

core::Result<ClientHandle> CreateHandle(const Plugin& plugin, const ClientOptions& options) {
  constexpr std::string_view kCount = "cpu_device_count";
  PJRT_NamedValue count{};
  PJRT_Client_Create_Args args{};
  if (options.cpu_device_count) {
    if (*options.cpu_device_count < 1 || *options.cpu_device_count > kMaxCpuDevices) {
      return Fail(ErrorCode::kBadInput, "cpu_device_count is " + std::to_string(*options.cpu_device_count) + "; it must be 1 to " +
                                            std::to_string(kMaxCpuDevices));
    }
    count.struct_size = PJRT_NamedValue_STRUCT_SIZE;
    count.name = kCount.data();
    count.name_size = kCount.size();
    count.type = PJRT_NamedValue_kInt64;
    count.int64_value = *options.cpu_device_count;
    count.value_size = 1;
    args.create_options = &count;
    args.num_options = 1;
  }
  if (auto created = Call(plugin, KA_PJRT_ENTRY(PJRT_Client_Create), args); !created) return tl::unexpected(std::move(created.error()));
  return ClientHandle(plugin, args.client);
}

core::Result<void> ReadPlatform(ClientState& state) {
  PJRT_Client_PlatformName_Args name{};
  name.client = state.handle.get();
  if (auto asked = Call(state.handle.plugin(), KA_PJRT_ENTRY(PJRT_Client_PlatformName), name); !asked) return asked;
  state.platform_name.assign(name.platform_name, name.platform_name_size);

  PJRT_Client_PlatformVersion_Args version{};
  version.client = state.handle.get();
  if (auto asked = Call(state.handle.plugin(), KA_PJRT_ENTRY(PJRT_Client_PlatformVersion), version); !asked) return asked;
  state.platform_version.assign(version.platform_version, version.platform_version_size);
  return {};
}

core::Result<Device> Describe(const Plugin& plugin, PJRT_Device* device) {
  PJRT_Device_GetDescription_Args description{};
  description.device = device;
  if (auto asked = Call(plugin, KA_PJRT_ENTRY(PJRT_Device_GetDescription), description); !asked) {
    return tl::unexpected(std::move(asked.error()));
  }
  PJRT_DeviceDescription_Id_Args id{};
  id.device_description = description.device_description;
  if (auto asked = Call(plugin, KA_PJRT_ENTRY(PJRT_DeviceDescription_Id), id); !asked) return tl::unexpected(std::move(asked.error()));
  PJRT_DeviceDescription_Kind_Args kind{};
  kind.device_description = description.device_description;
  if (auto asked = Call(plugin, KA_PJRT_ENTRY(PJRT_DeviceDescription_Kind), kind); !asked) return tl::unexpected(std::move(asked.error()));
  PJRT_DeviceDescription_ToString_Args name{};
  name.device_description = description.device_description;
  if (auto asked = Call(plugin, KA_PJRT_ENTRY(PJRT_DeviceDescription_ToString), name); !asked) return tl::unexpected(std::move(asked.error()));
  return Device{id.id, std::string(kind.device_kind, kind.device_kind_size), std::string(name.to_string, name.to_string_size)};
}

core::Result<void> ReadDevices(ClientState& state) {
  const Plugin& plugin = state.handle.plugin();
  PJRT_Client_Devices_Args all{};
  all.client = state.handle.get();
  if (auto asked = Call(plugin, KA_PJRT_ENTRY(PJRT_Client_Devices), all); !asked) return asked;
  state.device_count = all.num_devices;

  PJRT_Client_AddressableDevices_Args own{};
  own.client = state.handle.get();
  if (auto asked = Call(plugin, KA_PJRT_ENTRY(PJRT_Client_AddressableDevices), own); !asked) return asked;
  state.raw_devices.assign(own.addressable_devices, own.addressable_devices + own.num_addressable_devices);
  for (PJRT_Device* raw : state.raw_devices) {
    auto device = Describe(plugin, raw);
    if (!device) return tl::unexpected(std::move(device.error()));
    state.devices.push_back(std::move(*device));
  }
  return {};
}

core::Result<PJRT_Buffer_Type> CheckArray(const core::HostArray& array) {
  if (array.data() == nullptr) return Fail(ErrorCode::kBadInput, "the host array has no storage: it was moved away or never made");
  if (auto type = ToBufferType(array.dtype())) return *type;
  return Fail(ErrorCode::kUnsupported, "XLA has no element type " + std::string(core::Name(array.dtype())));
}

}  // namespace

core::Result<Client> Client::Create(const Plugin& plugin, const ClientOptions& options) {
  auto handle = CreateHandle(plugin, options);
  if (!handle) return tl::unexpected(std::move(handle.error()));
  auto state = std::make_shared<ClientState>(ClientState{std::move(*handle), {}, {}, {}, {}});
  if (auto read = ReadPlatform(*state); !read) return tl::unexpected(std::move(read.error()));
  if (auto read = ReadDevices(*state); !read) return tl::unexpected(std::move(read.error()));
  return Client(std::move(state));
}

core::Result<Executable> Client::Compile(std::string_view stablehlo, std::string_view name) const {
  return Executable::Compile(state_, stablehlo, name);
}

core::Result<Buffer> Client::FromHost(const core::HostArray& array, std::size_t device) const {
  auto type = CheckArray(array);
  if (!type) return tl::unexpected(std::move(type.error()));
  if (device >= state_->raw_devices.size()) {
    return Fail(ErrorCode::kBadInput,
                "there is no device " + std::to_string(device) + "; this client has " + std::to_string(state_->raw_devices.size()));
  }
  PJRT_Client_BufferFromHostBuffer_Args args{};
  args.client = state_->handle.get();
  args.data = array.data();
  args.type = *type;
  args.dims = array.shape().data();
  args.num_dims = array.shape().size();
  args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  args.device = state_->raw_devices[device];
  if (auto copied = Call(plugin(), KA_PJRT_ENTRY(PJRT_Client_BufferFromHostBuffer), args); !copied) {
    return tl::unexpected(std::move(copied.error()));
  }
  Buffer buffer(state_, BufferHandle(plugin(), args.buffer));
  if (auto done = Await(EventHandle(plugin(), args.done_with_host_buffer)); !done) return tl::unexpected(std::move(done.error()));
  return buffer;
}

}  // namespace kernel_audit::pjrt
