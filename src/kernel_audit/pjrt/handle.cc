#include "kernel_audit/pjrt/handle.h"

#include <atomic>

#include "kernel_audit/pjrt/call.h"

namespace kernel_audit::pjrt {
namespace {

std::atomic<std::int64_t> live_handles{0};

// A destructor has nobody to tell that the plugin refused.
template <typename Args, typename Raw>
void Free(const Plugin& plugin, const Entry<PJRT_Api, Args, PJRT_Error*>& entry, Raw* Args::*field, Raw* raw) {
  Args args{};
  args.*field = raw;
  static_cast<void>(Call(plugin, entry, args));
}

}  // namespace

std::int64_t LiveHandles() { return live_handles.load(); }

void internal::CountHandle(int change) { live_handles += change; }

void ClientKind::Destroy(const Plugin& plugin, Raw* raw) {
  Free(plugin, KA_PJRT_ENTRY(PJRT_Client_Destroy), &PJRT_Client_Destroy_Args::client, raw);
}
void BufferKind::Destroy(const Plugin& plugin, Raw* raw) {
  Free(plugin, KA_PJRT_ENTRY(PJRT_Buffer_Destroy), &PJRT_Buffer_Destroy_Args::buffer, raw);
}
void ExecutableKind::Destroy(const Plugin& plugin, Raw* raw) {
  Free(plugin, KA_PJRT_ENTRY(PJRT_Executable_Destroy), &PJRT_Executable_Destroy_Args::executable, raw);
}
void LoadedExecutableKind::Destroy(const Plugin& plugin, Raw* raw) {
  Free(plugin, KA_PJRT_ENTRY(PJRT_LoadedExecutable_Destroy), &PJRT_LoadedExecutable_Destroy_Args::executable, raw);
}
void EventKind::Destroy(const Plugin& plugin, Raw* raw) {
  Free(plugin, KA_PJRT_ENTRY(PJRT_Event_Destroy), &PJRT_Event_Destroy_Args::event, raw);
}
void TopologyKind::Destroy(const Plugin& plugin, Raw* raw) {
  Free(plugin, KA_PJRT_ENTRY(PJRT_TopologyDescription_Destroy), &PJRT_TopologyDescription_Destroy_Args::topology, raw);
}

core::Result<void> Await(EventHandle event) {
  if (event.get() == nullptr) return {};
  PJRT_Event_Await_Args args{};
  args.event = event.get();
  return Call(event.plugin(), KA_PJRT_ENTRY(PJRT_Event_Await), args);
}

}  // namespace kernel_audit::pjrt
