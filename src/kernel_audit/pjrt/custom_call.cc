#include "kernel_audit/pjrt/custom_call.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "kernel_audit/pjrt/call.h"
#include "kernel_audit/pjrt/ffi_frame.h"

namespace kernel_audit::pjrt {
namespace {

using core::ErrorCode;
using core::Fail;

// The PJRT FFI extension as plugins since PJRT API 0.81 have it; pjrt_c_api_ffi_extension.h is not among the headers at hand.
struct RegisterArgs {
  std::size_t struct_size;
  const char* target_name;
  std::size_t target_name_size;
  void* handler;
  const char* platform_name;
  std::size_t platform_name_size;
  int traits;
};
constexpr std::size_t kRegisterArgsSize = offsetof(RegisterArgs, traits) + sizeof(int);
static_assert(kRegisterArgsSize == 52);

struct FfiExtension {
  PJRT_Extension_Base base;
  void* type_register;
  void* user_data_add;
  PJRT_Error* (*register_handler)(RegisterArgs*);
};
std::size_t TableSize(const FfiExtension& extension) { return extension.base.struct_size; }

// A frame does not say which target was called, so each handler gets a C function of its own.
constexpr std::size_t kMaxHandlers = 32;
std::array<std::atomic<Handler>, kMaxHandlers> handlers{};

template <std::size_t kSlot>
XLA_FFI_Error* Trampoline(XLA_FFI_CallFrame* frame) {
  return AnswerFrame(frame, handlers[kSlot].load());
}

template <std::size_t... kSlots>
constexpr std::array<XLA_FFI_Handler*, sizeof...(kSlots)> MakeTrampolines(std::index_sequence<kSlots...>) {
  return {&Trampoline<kSlots>...};
}
constexpr auto kTrampolines = MakeTrampolines(std::make_index_sequence<kMaxHandlers>());

// Called under the registry's lock. Null when every slot is taken by another handler.
XLA_FFI_Handler* TrampolineFor(Handler handler) {
  for (std::size_t i = 0; i < kMaxHandlers; ++i) {
    Handler free_slot = nullptr;
    if (handlers[i].compare_exchange_strong(free_slot, handler) || free_slot == handler) return kTrampolines[i];
  }
  return nullptr;
}

core::Result<void> RegisterWithPlugin(const Plugin& plugin, std::string_view target, XLA_FFI_Handler* trampoline) {
  constexpr std::string_view kPlatform = "Host";
  const PJRT_Extension_Base* base = plugin.FindExtension(PJRT_Extension_Type_FFI);
  if (base == nullptr) return Fail(ErrorCode::kUnsupported, plugin.path() + ": the plugin has no FFI extension, so no custom calls");
  RegisterArgs args{};
  args.target_name = target.data();
  args.target_name_size = target.size();
  args.handler = reinterpret_cast<void*>(trampoline);
  args.platform_name = kPlatform.data();
  args.platform_name_size = kPlatform.size();
  const auto entry = MakeEntry(&FfiExtension::register_handler, offsetof(FfiExtension, register_handler), kRegisterArgsSize,
                               "PJRT_FFI_Register_Handler");
  return Call(plugin, *reinterpret_cast<const FfiExtension*>(base), entry, args);
}

struct Registry {
  std::mutex mutex;
  std::map<std::pair<const PJRT_Api*, std::string>, Handler> targets;
};

Registry& Registered() {
  static auto* registry = new Registry;
  return *registry;
}

}  // namespace

core::Result<void> RegisterCustomCall(const Plugin& plugin, std::string_view target, Handler handler) {
  if (handler == nullptr || target.empty()) return Fail(ErrorCode::kBadInput, "a custom call needs a target name and a handler");
  Registry& registry = Registered();
  std::lock_guard lock(registry.mutex);
  const std::pair key(&plugin.table(), std::string(target));
  if (auto found = registry.targets.find(key); found != registry.targets.end()) {
    if (found->second == handler) return {};
    return Fail(ErrorCode::kBadInput, "the custom call target " + key.second + " already has another handler");
  }
  XLA_FFI_Handler* trampoline = TrampolineFor(handler);
  if (trampoline == nullptr) {
    return Fail(ErrorCode::kUnsupported, "no more than " + std::to_string(kMaxHandlers) + " custom call handlers can be registered");
  }
  if (auto done = RegisterWithPlugin(plugin, target, trampoline); !done) return done;
  if (TakeMetadataRefusal()) return Fail(ErrorCode::kUnsupported, plugin.path() + ": the plugin's FFI has another major version");
  registry.targets.emplace(key, handler);
  return {};
}

}  // namespace kernel_audit::pjrt
