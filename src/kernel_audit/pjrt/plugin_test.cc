#include "kernel_audit/pjrt/plugin.h"

#include <dlfcn.h>
#include <link.h>

#include <fstream>

#include "kernel_audit/pjrt/call.h"
#include "kernel_audit/pjrt/test_support.h"

// A plugin made of a table alone. Its errors are pointers to C strings.
namespace kernel_audit::pjrt {
namespace {

using core::ErrorCode;
using ::testing::HasSubstr;

int initializations = 0;
int destroyed_errors = 0;

void FakeErrorDestroy(PJRT_Error_Destroy_Args* args) { destroyed_errors += args->error != nullptr; }
void FakeErrorMessage(PJRT_Error_Message_Args* args) {
  args->message = reinterpret_cast<const char*>(args->error);
  args->message_size = std::strlen(args->message);
}
PJRT_Error* FakeErrorCode(PJRT_Error_GetCode_Args* args) {
  args->code = PJRT_Error_Code_RESOURCE_EXHAUSTED;
  return nullptr;
}
PJRT_Error* MakeFakeError(const char* message) { return reinterpret_cast<PJRT_Error*>(const_cast<char*>(message)); }
PJRT_Error* FakeInitialize(PJRT_Plugin_Initialize_Args* args) {
  ++initializations;
  return args->struct_size == PJRT_Plugin_Initialize_Args_STRUCT_SIZE ? nullptr : MakeFakeError("wrong struct_size");
}

PJRT_Api FakeTable() {
  PJRT_Api table{};
  table.struct_size = PJRT_Api_STRUCT_SIZE;
  table.pjrt_api_version.major_version = PJRT_API_MAJOR;
  table.pjrt_api_version.minor_version = 7;
  table.PJRT_Error_Destroy = FakeErrorDestroy;
  table.PJRT_Error_Message = FakeErrorMessage;
  table.PJRT_Error_GetCode = FakeErrorCode;
  table.PJRT_Plugin_Initialize = FakeInitialize;
  return table;
}

core::Error LoadError(const std::string& path) {
  auto plugin = Plugin::Load(path);
  EXPECT_FALSE(plugin);
  return plugin ? core::Error{} : plugin.error();
}

core::Error TableError(const PJRT_Api& table) {
  auto plugin = Plugin::FromTable(&table, "fake.so");
  EXPECT_FALSE(plugin);
  return plugin ? core::Error{} : plugin.error();
}

class PluginTableTest : public HandleTest {};

TEST_F(PluginTest, LoadsAndRecords) {
  EXPECT_EQ(plugin().api_version().major_version, 0);
  EXPECT_GE(plugin().api_version().minor_version, 81);
  EXPECT_EQ(plugin().path(), std::filesystem::canonical(PluginPath()));
}

TEST_F(PluginTest, IsLoadedOnceUnderAnySpelling) {
  const std::filesystem::path path = PluginPath();
  auto again = Plugin::Load(path.parent_path() / "." / path.filename());
  ASSERT_TRUE(again);
  EXPECT_EQ(&again->table(), &plugin().table());
}

TEST_F(PluginTest, SaysWhatItReallyIsInItsExtensions) {
  ASSERT_NE(plugin().FindExtension(PJRT_Extension_Type_FFI), nullptr);
  EXPECT_EQ(plugin().FindExtension(static_cast<PJRT_Extension_Type>(12345)), nullptr);
}

TEST_F(PluginTableTest, MissingFileIsRefused) {
  const core::Error error = LoadError("no/such/plugin.so");
  EXPECT_EQ(error.code, ErrorCode::kIo);
  EXPECT_THAT(error.message, HasSubstr("no/such/plugin.so: No such file"));
}

TEST_F(PluginTableTest, LibraryWithoutGetPjrtApiIsRefused) {
  void* libm = dlopen("libm.so.6", RTLD_NOW);
  link_map* map = nullptr;
  ASSERT_EQ(dlinfo(libm, RTLD_DI_LINKMAP, &map), 0);
  const core::Error error = LoadError(map->l_name);
  EXPECT_EQ(error.code, ErrorCode::kBadInput);
  EXPECT_THAT(error.message, HasSubstr("has no function GetPjrtApi"));
  dlclose(libm);
}

TEST_F(PluginTableTest, FileThatIsNoLibraryIsRefused) {
  const auto path = std::filesystem::temp_directory_path() / ("ka_not_a_library_" + std::to_string(getpid()));
  std::ofstream(path) << "plain text";
  const core::Error error = LoadError(path);
  std::filesystem::remove(path);
  EXPECT_EQ(error.code, ErrorCode::kIo);
  EXPECT_THAT(error.message, HasSubstr("cannot be loaded as a shared library"));
  EXPECT_THAT(LoadError(std::filesystem::temp_directory_path()).message, HasSubstr("cannot be loaded as a shared library"));
}

TEST_F(PluginTableTest, AnyMinorVersionIsAccepted) {
  PJRT_Api table = FakeTable();
  for (int minor_version : {0, 81, 9999}) {
    table.pjrt_api_version.minor_version = minor_version;
    auto plugin = Plugin::FromTable(&table, "fake.so");
    ASSERT_TRUE(plugin) << plugin.error().message;
    EXPECT_EQ(plugin->api_version(), (ApiVersion{0, minor_version}));
  }
}

TEST_F(PluginTableTest, OtherMajorVersionIsRefusedBeforeAnyCall) {
  PJRT_Api table = FakeTable();
  table.pjrt_api_version.major_version = 1;
  const int before = initializations;
  const core::Error error = TableError(table);
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_EQ(error.message, "fake.so: PJRT API version 1.7; this program speaks major version 0 only");
  EXPECT_EQ(initializations, before);
}

TEST_F(PluginTableTest, NullAndTinyTablesAreRefused) {
  EXPECT_EQ(Plugin::FromTable(nullptr, "fake.so").error().code, ErrorCode::kPlugin);
  PJRT_Api table = FakeTable();
  table.struct_size = 16;
  EXPECT_THAT(TableError(table).message, HasSubstr("16 bytes, too few"));
  table.struct_size = offsetof(PJRT_Api, PJRT_Error_Message);
  EXPECT_THAT(TableError(table).message, HasSubstr("does not have PJRT_Error_Message"));
}

// A newer plugin's table is longer than the header here, an older one's shorter; neither is refused for its size.
TEST_F(PluginTableTest, AnyTableSizeThatHoldsTheFirstEntriesIsAccepted) {
  PJRT_Api table = FakeTable();
  for (const std::size_t size : {std::size_t{PJRT_Api_STRUCT_SIZE} + 112, std::size_t{PJRT_Api_STRUCT_SIZE}, offsetof(PJRT_Api, PJRT_Plugin_Attributes)}) {
    table.struct_size = size;
    EXPECT_TRUE(Plugin::FromTable(&table, "fake.so")) << size;
  }
}

TEST_F(PluginTableTest, MayBeInitialisedTwice) {
  PJRT_Api table = FakeTable();
  const Plugin first = Unwrap(Plugin::FromTable(&table, "fake.so")), second = Unwrap(Plugin::FromTable(&table, "fake.so"));
  EXPECT_EQ(first.api_version(), second.api_version());
}

// A load that fails is not remembered as one that worked.
TEST_F(PluginTableTest, AFailedLoadFailsAgain) {
  const core::Error first = LoadError("no/such/plugin.so");
  EXPECT_EQ(LoadError("no/such/plugin.so").message, first.message);
}

TEST_F(PluginTableTest, ALockThatAnotherProcessHoldsIsKeptInItsWords) {
  PJRT_Api table = FakeTable();
  table.PJRT_Error_GetCode = [](PJRT_Error_GetCode_Args* args) -> PJRT_Error* { return args->code = PJRT_Error_Code_ABORTED, nullptr; };
  table.PJRT_Client_Create = [](PJRT_Client_Create_Args*) { return MakeFakeError("error accessing libtpu multi-process lockfile"); };
  const auto client = Client::Create(Unwrap(Plugin::FromTable(&table, "fake.so")));
  EXPECT_EQ(client.error().message, "PJRT_Client_Create: ABORTED: error accessing libtpu multi-process lockfile");
}

TEST_F(PluginTableTest, IsInitialisedOnLoad) {
  PJRT_Api table = FakeTable();
  const int before = initializations;
  ASSERT_TRUE(Plugin::FromTable(&table, "fake.so"));
  EXPECT_EQ(initializations, before + 1);
}

TEST_F(PluginTableTest, EntryPastTheTablesEndIsNotRead) {
  PJRT_Api table = FakeTable();
  table.PJRT_Client_Create = [](PJRT_Client_Create_Args*) { return MakeFakeError("called past the end"); };
  table.struct_size = offsetof(PJRT_Api, PJRT_Client_Create) + 4;
  auto client = Client::Create(Unwrap(Plugin::FromTable(&table, "fake.so")));
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(client.error().message, "fake.so: the plugin (PJRT API 0.7) does not have PJRT_Client_Create");
}

TEST_F(PluginTableTest, NullEntryIsRefused) {
  PJRT_Api table = FakeTable();
  auto client = Client::Create(Unwrap(Plugin::FromTable(&table, "fake.so")));
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, ErrorCode::kUnsupported);
}

TEST_F(PluginTableTest, PluginErrorsAreKeptWholeAndFreed) {
  PJRT_Api table = FakeTable();
  table.PJRT_Client_Create = [](PJRT_Client_Create_Args*) { return MakeFakeError("no memory\nsecond line"); };
  const int before = destroyed_errors;
  auto client = Client::Create(Unwrap(Plugin::FromTable(&table, "fake.so")));
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, ErrorCode::kPlugin);
  EXPECT_EQ(client.error().message, "PJRT_Client_Create: RESOURCE_EXHAUSTED: no memory\nsecond line");
  EXPECT_EQ(destroyed_errors, before + 1);
}

TEST_F(PluginTableTest, RefusedInitialisationNamesThePlugin) {
  PJRT_Api table = FakeTable();
  table.PJRT_Error_GetCode = nullptr;
  table.PJRT_Plugin_Initialize = [](PJRT_Plugin_Initialize_Args*) { return MakeFakeError("not today"); };
  EXPECT_EQ(TableError(table).message, "fake.so: PJRT_Plugin_Initialize: not today");
}

TEST_F(PluginTableTest, HandleThatMovesIsFreedOnce) {
  PJRT_Api table = FakeTable();
  static int freed;
  freed = 0;
  table.PJRT_Event_Destroy = [](PJRT_Event_Destroy_Args*) -> PJRT_Error* { return ++freed, nullptr; };
  int first = 0, second = 0;
  {
    const Plugin plugin = Unwrap(Plugin::FromTable(&table, "fake.so"));
    EventHandle a(plugin, reinterpret_cast<PJRT_Event*>(&first)), b(plugin, reinterpret_cast<PJRT_Event*>(&second));
    EXPECT_EQ(LiveHandles(), 2);
    a = std::move(b);
    EXPECT_EQ(freed, 1);
    EventHandle c(std::move(a));
    EXPECT_EQ(LiveHandles(), 1);
  }
  EXPECT_EQ(freed, 2);
}

}  // namespace
}  // namespace kernel_audit::pjrt
