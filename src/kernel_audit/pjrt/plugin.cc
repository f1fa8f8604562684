#include "kernel_audit/pjrt/plugin.h"

#include <dlfcn.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "kernel_audit/pjrt/call.h"
#include "kernel_audit/pjrt/enum_number.h"

namespace kernel_audit::pjrt {
namespace {

using core::ErrorCode;
using core::Fail;

core::Result<void> CheckVersion(const PJRT_Api* table, const std::string& path) {
  if (table == nullptr) return Fail(ErrorCode::kPlugin, path + ": GetPjrtApi returned no function table");
  constexpr std::size_t kVersionEnd = offsetof(PJRT_Api, pjrt_api_version) + sizeof(PJRT_Api_Version);
  if (table->struct_size < kVersionEnd) {
    return Fail(ErrorCode::kUnsupported, path + ": its PJRT function table has " + std::to_string(table->struct_size) +
                                             " bytes, too few to hold a version");
  }
  const PJRT_Api_Version& version = table->pjrt_api_version;
  if (version.major_version == PJRT_API_MAJOR) return {};
  return Fail(ErrorCode::kUnsupported, path + ": PJRT API version " + ApiVersion{version.major_version, version.minor_version}.ToString() +
                                           "; this program speaks major version " + std::to_string(PJRT_API_MAJOR) + " only");
}

core::Result<void> Initialize(const Plugin& plugin) {
  // Without these two no later error could be read.
  if (auto found = CheckEntry(plugin, plugin.table(), KA_PJRT_ENTRY(PJRT_Error_Message)); !found) return found;
  if (auto found = CheckEntry(plugin, plugin.table(), KA_PJRT_ENTRY(PJRT_Error_Destroy)); !found) return found;
  PJRT_Plugin_Initialize_Args args{};
  return Call(plugin, KA_PJRT_ENTRY(PJRT_Plugin_Initialize), args);
}

core::Result<const PJRT_Api*> OpenTable(const std::string& path) {
  // A file that turns out to be no plugin stays loaded as well: its constructors have run.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* reason = dlerror();
    return Fail(ErrorCode::kIo, path + ": cannot be loaded as a shared library: " + (reason == nullptr ? "unknown reason" : reason));
  }
  auto get_api = reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"));
  if (get_api == nullptr) return Fail(ErrorCode::kBadInput, path + ": not a PJRT plugin: the library has no function GetPjrtApi");
  return get_api();
}

struct Registry {
  std::mutex mutex;
  std::map<std::string, Plugin> plugins;
};

// Never destroyed: buffers with static storage may outlive any destructor's turn.
Registry& LoadedPlugins() {
  static auto* registry = new Registry;
  return *registry;
}

}  // namespace

std::string ApiVersion::ToString() const { return std::to_string(major_version) + "." + std::to_string(minor_version); }

core::Result<Plugin> Plugin::Load(const std::filesystem::path& path) {
  std::error_code error;
  const std::string canonical = std::filesystem::canonical(path, error).string();
  if (error) return Fail(ErrorCode::kIo, path.string() + ": " + error.message());

  Registry& registry = LoadedPlugins();
  std::lock_guard lock(registry.mutex);
  if (auto found = registry.plugins.find(canonical); found != registry.plugins.end()) return found->second;
  auto table = OpenTable(canonical);
  if (!table) return tl::unexpected(std::move(table.error()));
  auto plugin = FromTable(*table, canonical);
  if (plugin) registry.plugins.emplace(canonical, *plugin);
  return plugin;
}

core::Result<Plugin> Plugin::FromTable(const PJRT_Api* table, std::string path) {
  if (auto checked = CheckVersion(table, path); !checked) return tl::unexpected(std::move(checked.error()));
  Plugin plugin(std::make_shared<const State>(State{std::move(path), table}));
  if (auto initialized = Initialize(plugin); !initialized) {
    core::Error error = std::move(initialized.error());
    if (error.code == ErrorCode::kPlugin) error.message = plugin.path() + ": " + error.message;
    return tl::unexpected(std::move(error));
  }
  return plugin;
}

ApiVersion Plugin::api_version() const {
  const PJRT_Api_Version& version = table().pjrt_api_version;
  return {version.major_version, version.minor_version};
}

const PJRT_Extension_Base* Plugin::FindExtension(PJRT_Extension_Type type) const {
  for (const PJRT_Extension_Base* extension = table().extension_start; extension != nullptr; extension = extension->next) {
    if (EnumNumber(extension->type) == type) return extension;
  }
  return nullptr;
}

}  // namespace kernel_audit::pjrt
