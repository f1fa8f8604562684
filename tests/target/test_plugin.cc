// A PJRT plugin for tests. It is no TPU and says so in its platform's name, which no receipt accepts. Whatever program it is given, it
// computes on the host: 2 x + y for two arrays of one shape, max(x + bias, 0) for a matrix and a vector, in float32 with one rounding.
//
// KA_TEST_TPU_FAULT makes it misbehave, as NAME or NAME:N (at execution N, 1 being the first):
//   no-device, locked, platform (calls itself cpu), kind (a "tpu" of a kind that nobody knows), elsewhere (arrays on the CPU), compile,
//   wrong:N (one value), stale:N (the output before it), changes-inputs:N, lost:N, late (says ready before it is), fast (computes when the
//   result is fetched), abort:N, hang:N.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "pjrt_c_api.h"

struct PJRT_Error {
  PJRT_Error_Code code;
  std::string message;
};
struct PJRT_Event {
  bool ready;
  std::string error;
};
struct PJRT_DeviceDescription {
  int id;
  std::string kind;
};
struct PJRT_Device {
  PJRT_DeviceDescription description;
};
struct PJRT_Client {
  std::vector<PJRT_Device*> devices;
};
struct PJRT_Buffer {
  PJRT_Buffer_Type type;
  std::vector<std::int64_t> dims;
  std::vector<char> bytes;
  std::string error;                        // of the run that was to make it
  std::vector<const PJRT_Buffer*> pending;  // the arguments, where the work is left for later
};
struct PJRT_Executable {};
struct PJRT_LoadedExecutable {};

namespace {

int executions = 0;
std::vector<char> last_output;
PJRT_Device device{{0, "kernel-audit test device (computes on the host)"}}, host{{1, "host"}};

PJRT_Error* Fail(PJRT_Error_Code code, std::string message) { return new PJRT_Error{code, std::move(message)}; }

bool Fault(const std::string& name) {
  const char* set = std::getenv("KA_TEST_TPU_FAULT");
  if (set == nullptr) return false;
  const std::string fault = set;
  const std::size_t colon = fault.find(':');
  if (fault.substr(0, colon) != name) return false;
  return colon == std::string::npos || std::atoi(fault.c_str() + colon + 1) == executions;
}

std::size_t Count(const PJRT_Buffer& buffer) {
  std::size_t count = 1;
  for (const std::int64_t extent : buffer.dims) count *= static_cast<std::size_t>(extent);
  return count;
}

std::size_t Width(PJRT_Buffer_Type type) { return type == PJRT_Buffer_Type_BF16 ? 2 : 4; }

float Element(const PJRT_Buffer& buffer, std::size_t index) {
  std::uint32_t bits = 0;
  if (buffer.type == PJRT_Buffer_Type_BF16) {
    std::uint16_t half = 0;
    std::memcpy(&half, buffer.bytes.data() + 2 * index, 2);
    bits = static_cast<std::uint32_t>(half) << 16;
  } else {
    std::memcpy(&bits, buffer.bytes.data() + 4 * index, 4);
  }
  float value = 0;
  std::memcpy(&value, &bits, 4);
  return value;
}

void SetElement(PJRT_Buffer& buffer, std::size_t index, float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, 4);
  if (buffer.type != PJRT_Buffer_Type_BF16) {
    std::memcpy(buffer.bytes.data() + 4 * index, &bits, 4);
    return;
  }
  const bool nan = value != value;
  const auto half = static_cast<std::uint16_t>(nan ? (bits >> 16) | 0x40 : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
  std::memcpy(buffer.bytes.data() + 2 * index, &half, 2);
}

void Compute(const PJRT_Buffer& x, const PJRT_Buffer& y, PJRT_Buffer& output) {
  const bool fused = x.dims != y.dims;
  const std::size_t columns = Count(y);
  output.bytes.resize(x.bytes.size());
  for (std::size_t i = 0; i < Count(x); ++i) {
    const float a = Element(x, i);
    const float sum = fused ? a + Element(y, i % columns) : 2.0f * a + Element(y, i);
    SetElement(output, i, fused && sum < 0 ? 0.0f : sum);
  }
}

void ErrorDestroy(PJRT_Error_Destroy_Args* args) { delete args->error; }
void ErrorMessage(PJRT_Error_Message_Args* args) {
  args->message = args->error->message.data();
  args->message_size = args->error->message.size();
}
PJRT_Error* ErrorGetCode(PJRT_Error_GetCode_Args* args) {
  args->code = args->error->code;
  return nullptr;
}
PJRT_Error* PluginInitialize(PJRT_Plugin_Initialize_Args*) { return nullptr; }

PJRT_Error* EventDestroy(PJRT_Event_Destroy_Args* args) { return delete args->event, nullptr; }
PJRT_Error* EventIsReady(PJRT_Event_IsReady_Args* args) { return args->is_ready = args->event->ready, nullptr; }
PJRT_Error* EventError(PJRT_Event_Error_Args* args) {
  return args->event->error.empty() ? nullptr : Fail(PJRT_Error_Code_UNAVAILABLE, args->event->error);
}
PJRT_Error* EventAwait(PJRT_Event_Await_Args* args) {
  return args->event->error.empty() ? nullptr : Fail(PJRT_Error_Code_UNAVAILABLE, args->event->error);
}

PJRT_Error* ClientCreate(PJRT_Client_Create_Args* args) {
  if (Fault("locked")) return Fail(PJRT_Error_Code_ABORTED, "Internal error when accessing libtpu multi-process lockfile.");
  executions = 0;
  last_output.clear();
  args->client = new PJRT_Client{{&device}};
  if (Fault("no-device")) args->client->devices.clear();
  device.description.kind = Fault("kind") ? "TPU of tomorrow" : "kernel-audit test device (computes on the host)";
  return nullptr;
}
PJRT_Error* ClientDestroy(PJRT_Client_Destroy_Args* args) { return delete args->client, nullptr; }
PJRT_Error* ClientPlatformName(PJRT_Client_PlatformName_Args* args) {
  args->platform_name = Fault("platform") ? "cpu" : Fault("kind") ? "tpu" : "kernel-audit-test-tpu";
  args->platform_name_size = std::strlen(args->platform_name);
  return nullptr;
}
PJRT_Error* ClientPlatformVersion(PJRT_Client_PlatformVersion_Args* args) {
  args->platform_version = "test plugin";
  args->platform_version_size = std::strlen(args->platform_version);
  return nullptr;
}
PJRT_Error* ClientDevices(PJRT_Client_Devices_Args* args) {
  args->devices = args->client->devices.data();
  args->num_devices = args->client->devices.size();
  return nullptr;
}
PJRT_Error* ClientAddressableDevices(PJRT_Client_AddressableDevices_Args* args) {
  args->addressable_devices = args->client->devices.data();
  args->num_addressable_devices = args->client->devices.size();
  return nullptr;
}
PJRT_Error* DeviceGetDescription(PJRT_Device_GetDescription_Args* args) { return args->device_description = &args->device->description, nullptr; }
PJRT_Error* DescriptionId(PJRT_DeviceDescription_Id_Args* args) { return args->id = args->device_description->id, nullptr; }
PJRT_Error* DescriptionToString(PJRT_DeviceDescription_ToString_Args* args) {
  args->to_string = "a device that computes on the host";
  args->to_string_size = std::strlen(args->to_string);
  return nullptr;
}
PJRT_Error* DescriptionKind(PJRT_DeviceDescription_Kind_Args* args) {
  args->device_kind = args->device_description->kind.data();
  args->device_kind_size = args->device_description->kind.size();
  return nullptr;
}

PJRT_Error* ClientCompile(PJRT_Client_Compile_Args* args) {
  if (Fault("compile")) return Fail(PJRT_Error_Code_INVALID_ARGUMENT, "this program does not please loc(\"model.cpp\":13:0)");
  const std::string code(args->program->code, args->program->code_size);
  if (code.find("@main") == std::string::npos) return Fail(PJRT_Error_Code_INVALID_ARGUMENT, "no @main");
  args->executable = new PJRT_LoadedExecutable;
  return nullptr;
}
PJRT_Error* LoadedDestroy(PJRT_LoadedExecutable_Destroy_Args* args) { return delete args->executable, nullptr; }
PJRT_Error* LoadedGetExecutable(PJRT_LoadedExecutable_GetExecutable_Args* args) { return args->executable = new PJRT_Executable, nullptr; }
PJRT_Error* ExecutableDestroy(PJRT_Executable_Destroy_Args* args) { return delete args->executable, nullptr; }
PJRT_Error* ExecutableNumOutputs(PJRT_Executable_NumOutputs_Args* args) { return args->num_outputs = 1, nullptr; }

PJRT_Error* Execute(PJRT_LoadedExecutable_Execute_Args* args) {
  ++executions;
  if (Fault("abort")) std::abort();
  while (Fault("hang")) pause();
  if (args->num_args != 2) return Fail(PJRT_Error_Code_INVALID_ARGUMENT, "two arguments are wanted");
  PJRT_Buffer &x = *args->argument_lists[0][0], &y = *args->argument_lists[0][1];
  auto output = std::make_unique<PJRT_Buffer>(PJRT_Buffer{x.type, x.dims, {}, "", {}});
  if (Fault("fast")) {
    output->pending = {&x, &y};
  } else {
    Compute(x, y, *output);
  }
  if (Fault("wrong")) SetElement(*output, Count(x) / 2, Element(*output, Count(x) / 2) == 3.0f ? 4.0f : 3.0f);
  if (Fault("stale") && last_output.size() == output->bytes.size()) output->bytes = last_output;
  if (Fault("changes-inputs")) SetElement(x, 0, Element(x, 0) == 3.0f ? 4.0f : 3.0f);
  if (Fault("lost")) output->error = "the device was lost";
  last_output = output->bytes;
  args->output_lists[0][0] = output.release();
  if (args->device_complete_events != nullptr) args->device_complete_events[0] = new PJRT_Event{true, ""};
  return nullptr;
}

PJRT_Error* BufferFromHost(PJRT_Client_BufferFromHostBuffer_Args* args) {
  auto buffer = std::make_unique<PJRT_Buffer>(PJRT_Buffer{args->type, {args->dims, args->dims + args->num_dims}, {}, "", {}});
  const char* data = static_cast<const char*>(args->data);
  buffer->bytes.assign(data, data + Count(*buffer) * Width(args->type));
  args->buffer = buffer.release();
  args->done_with_host_buffer = new PJRT_Event{true, ""};
  return nullptr;
}
PJRT_Error* BufferDestroy(PJRT_Buffer_Destroy_Args* args) { return delete args->buffer, nullptr; }
PJRT_Error* BufferElementType(PJRT_Buffer_ElementType_Args* args) { return args->type = args->buffer->type, nullptr; }
PJRT_Error* BufferDimensions(PJRT_Buffer_Dimensions_Args* args) {
  args->dims = args->buffer->dims.data();
  args->num_dims = args->buffer->dims.size();
  return nullptr;
}
PJRT_Error* BufferToHost(PJRT_Buffer_ToHostBuffer_Args* args) {
  PJRT_Buffer& source = *args->src;
  if (!source.pending.empty()) Compute(*source.pending[0], *source.pending[1], source);
  if (args->dst != nullptr) std::memcpy(args->dst, source.bytes.data(), std::min(args->dst_size, source.bytes.size()));
  args->event = new PJRT_Event{true, source.error};
  return nullptr;
}
PJRT_Error* BufferDevice(PJRT_Buffer_Device_Args* args) { return args->device = Fault("elsewhere") ? &host : &device, nullptr; }
PJRT_Error* BufferIsOnCpu(PJRT_Buffer_IsOnCpu_Args* args) { return args->is_on_cpu = Fault("elsewhere"), nullptr; }
PJRT_Error* BufferReadyEvent(PJRT_Buffer_ReadyEvent_Args* args) {
  args->event = new PJRT_Event{executions == 0 || !Fault("late"), args->buffer->error};
  return nullptr;
}

PJRT_Api MakeTable() {
  PJRT_Api table{};
  table.struct_size = PJRT_Api_STRUCT_SIZE;
  table.pjrt_api_version.struct_size = PJRT_Api_Version_STRUCT_SIZE;
  table.pjrt_api_version.major_version = PJRT_API_MAJOR;
  table.pjrt_api_version.minor_version = PJRT_API_MINOR;
  table.PJRT_Error_Destroy = ErrorDestroy;
  table.PJRT_Error_Message = ErrorMessage;
  table.PJRT_Error_GetCode = ErrorGetCode;
  table.PJRT_Plugin_Initialize = PluginInitialize;
  table.PJRT_Event_Destroy = EventDestroy;
  table.PJRT_Event_IsReady = EventIsReady;
  table.PJRT_Event_Error = EventError;
  table.PJRT_Event_Await = EventAwait;
  table.PJRT_Client_Create = ClientCreate;
  table.PJRT_Client_Destroy = ClientDestroy;
  table.PJRT_Client_PlatformName = ClientPlatformName;
  table.PJRT_Client_PlatformVersion = ClientPlatformVersion;
  table.PJRT_Client_Devices = ClientDevices;
  table.PJRT_Client_AddressableDevices = ClientAddressableDevices;
  table.PJRT_Client_Compile = ClientCompile;
  table.PJRT_Client_BufferFromHostBuffer = BufferFromHost;
  table.PJRT_Device_GetDescription = DeviceGetDescription;
  table.PJRT_DeviceDescription_Id = DescriptionId;
  table.PJRT_DeviceDescription_Kind = DescriptionKind;
  table.PJRT_DeviceDescription_ToString = DescriptionToString;
  table.PJRT_LoadedExecutable_Destroy = LoadedDestroy;
  table.PJRT_LoadedExecutable_GetExecutable = LoadedGetExecutable;
  table.PJRT_LoadedExecutable_Execute = Execute;
  table.PJRT_Executable_Destroy = ExecutableDestroy;
  table.PJRT_Executable_NumOutputs = ExecutableNumOutputs;
  table.PJRT_Buffer_Destroy = BufferDestroy;
  table.PJRT_Buffer_ElementType = BufferElementType;
  table.PJRT_Buffer_Dimensions = BufferDimensions;
  table.PJRT_Buffer_ToHostBuffer = BufferToHost;
  table.PJRT_Buffer_Device = BufferDevice;
  table.PJRT_Buffer_IsOnCpu = BufferIsOnCpu;
  table.PJRT_Buffer_ReadyEvent = BufferReadyEvent;
  return table;
}

}  // namespace

extern "C" const PJRT_Api* GetPjrtApi() {
  static const PJRT_Api table = MakeTable();
  return &table;
}
