// A plugin made of a table alone, whose program starts well and fails on its device.
#include "kernel_audit/pjrt/test_support.h"

namespace kernel_audit::pjrt {
namespace {

char object = 0;  // every handle of this plugin points here
int freed_buffers = 0;

template <typename T>
T* Fake() {
  return reinterpret_cast<T*>(&object);
}

template <typename Args>
PJRT_Error* DoNothing(Args*) {
  return nullptr;
}

PJRT_Api FakeTable() {
  PJRT_Api table{};
  table.struct_size = PJRT_Api_STRUCT_SIZE;
  table.PJRT_Error_Destroy = [](PJRT_Error_Destroy_Args*) {};
  table.PJRT_Error_Message = [](PJRT_Error_Message_Args* args) {
    args->message = "the device lost its way";
    args->message_size = 23;
  };
  table.PJRT_Plugin_Initialize = DoNothing;
  table.PJRT_Client_Create = [](PJRT_Client_Create_Args* args) -> PJRT_Error* { return args->client = Fake<PJRT_Client>(), nullptr; };
  table.PJRT_Client_Destroy = DoNothing;
  table.PJRT_Client_PlatformName = [](PJRT_Client_PlatformName_Args* args) -> PJRT_Error* { return args->platform_name = "", nullptr; };
  table.PJRT_Client_PlatformVersion = [](PJRT_Client_PlatformVersion_Args* args) -> PJRT_Error* {
    return args->platform_version = "", nullptr;
  };
  table.PJRT_Client_Devices = DoNothing;
  table.PJRT_Client_AddressableDevices = DoNothing;
  table.PJRT_Client_Compile = [](PJRT_Client_Compile_Args* args) -> PJRT_Error* {
    return args->executable = Fake<PJRT_LoadedExecutable>(), nullptr;
  };
  table.PJRT_LoadedExecutable_Destroy = DoNothing;
  table.PJRT_LoadedExecutable_GetExecutable = [](PJRT_LoadedExecutable_GetExecutable_Args* args) -> PJRT_Error* {
    return args->executable = Fake<PJRT_Executable>(), nullptr;
  };
  table.PJRT_Executable_Destroy = DoNothing;
  table.PJRT_Executable_NumOutputs = [](PJRT_Executable_NumOutputs_Args* args) -> PJRT_Error* { return args->num_outputs = 2, nullptr; };
  table.PJRT_LoadedExecutable_Execute = [](PJRT_LoadedExecutable_Execute_Args* args) -> PJRT_Error* {
    for (int i = 0; i < 2; ++i) args->output_lists[0][i] = Fake<PJRT_Buffer>();
    return args->device_complete_events[0] = Fake<PJRT_Event>(), nullptr;
  };
  table.PJRT_Event_Await = [](PJRT_Event_Await_Args*) { return Fake<PJRT_Error>(); };
  table.PJRT_Event_Destroy = DoNothing;
  table.PJRT_Buffer_Destroy = [](PJRT_Buffer_Destroy_Args*) -> PJRT_Error* { return ++freed_buffers, nullptr; };
  return table;
}

class FailingRunTest : public HandleTest {};

TEST_F(FailingRunTest, KeepsTheErrorOfTheRunAndFreesItsOutputs) {
  const PJRT_Api table = FakeTable();
  const Client client = Unwrap(Client::Create(Unwrap(Plugin::FromTable(&table, "fake.so"))));
  EXPECT_TRUE(client.devices().empty());
  const Executable program = Unwrap(client.Compile("", "program"));
  EXPECT_FALSE(program.parameters());
  auto outputs = program.Execute({});
  ASSERT_FALSE(outputs);
  EXPECT_EQ(outputs.error().message, "program: PJRT_Event_Await: the device lost its way");
  EXPECT_EQ(freed_buffers, 2);
}

}  // namespace
}  // namespace kernel_audit::pjrt
