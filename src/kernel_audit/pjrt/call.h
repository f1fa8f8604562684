// The one choke point: every call into a plugin goes through Call.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include "kernel_audit/core/error.h"
#include "kernel_audit/pjrt/plugin.h"
#include "pjrt_c_api.h"

namespace kernel_audit::pjrt {

// One function of a table that a plugin hands out: PJRT_Api or an extension.
template <typename Table, typename Args, typename Return>
struct Entry {
  Return (*Table::*slot)(Args*);
  std::size_t offset;     // of the slot in the table
  std::size_t args_size;  // what struct_size must say
  std::string_view name;
};

template <typename Table, typename Args, typename Return>
constexpr Entry<Table, Args, Return> MakeEntry(Return (*Table::*slot)(Args*), std::size_t offset, std::size_t args_size,
                                               std::string_view name) {
  return {slot, offset, args_size, name};
}

// KA_PJRT_ENTRY(PJRT_Client_Create) is the Entry of that function.
#define KA_PJRT_ENTRY(name) \
  (::kernel_audit::pjrt::MakeEntry(&PJRT_Api::name, offsetof(PJRT_Api, name), name##_Args_STRUCT_SIZE, #name))

inline std::size_t TableSize(const PJRT_Api& table) { return table.struct_size; }

namespace internal {

// kUnsupported, with the plugin's path and version.
core::Error MissingEntry(const Plugin& plugin, std::string_view name);

// Success for null. Otherwise kPlugin, "NAME: STATUS: the plugin's whole message"; frees `error`.
core::Result<void> TakeError(const Plugin& plugin, PJRT_Error* error, std::string_view name);

}  // namespace internal

// kUnsupported when the plugin's table ends before the entry or holds null there.
template <typename Table, typename Args, typename Return>
core::Result<void> CheckEntry(const Plugin& plugin, const Table& table, const Entry<Table, Args, Return>& entry) {
  if (TableSize(table) >= entry.offset + sizeof(void*) && table.*entry.slot != nullptr) return {};
  return tl::unexpected(internal::MissingEntry(plugin, entry.name));
}

// Sets args.struct_size, calls the entry and takes over the error it may return.
template <typename Table, typename Args>
core::Result<void> Call(const Plugin& plugin, const Table& table, const Entry<Table, Args, PJRT_Error*>& entry, Args& args) {
  if (auto found = CheckEntry(plugin, table, entry); !found) return found;
  args.struct_size = entry.args_size;
  return internal::TakeError(plugin, (table.*entry.slot)(&args), entry.name);
}

template <typename Args>
core::Result<void> Call(const Plugin& plugin, const Entry<PJRT_Api, Args, PJRT_Error*>& entry, Args& args) {
  return Call(plugin, plugin.table(), entry, args);
}

}  // namespace kernel_audit::pjrt
