// Owners of what a plugin hands out. Move only; each frees its object when it goes.
#pragma once

#include <cstdint>
#include <utility>

#include "kernel_audit/core/error.h"
#include "kernel_audit/pjrt/plugin.h"

namespace kernel_audit::pjrt {

// Objects of all plugins that this process owns now. Zero when everything was given back.
std::int64_t LiveHandles();

struct ClientKind {
  using Raw = PJRT_Client;
  static void Destroy(const Plugin& plugin, Raw* raw);
};
struct BufferKind {
  using Raw = PJRT_Buffer;
  static void Destroy(const Plugin& plugin, Raw* raw);
};
struct ExecutableKind {
  using Raw = PJRT_Executable;
  static void Destroy(const Plugin& plugin, Raw* raw);
};
struct LoadedExecutableKind {
  using Raw = PJRT_LoadedExecutable;
  static void Destroy(const Plugin& plugin, Raw* raw);
};
struct EventKind {
  using Raw = PJRT_Event;
  static void Destroy(const Plugin& plugin, Raw* raw);
};
struct TopologyKind {
  using Raw = PJRT_TopologyDescription;
  static void Destroy(const Plugin& plugin, Raw* raw);
};

namespace internal {
void CountHandle(int change);
}  // namespace internal

template <typename Kind>
class Handle {
 public:
  using Raw = typename Kind::Raw;

  // Takes ownership of `raw`, which may be null.
  Handle(Plugin plugin, Raw* raw) : plugin_(std::move(plugin)), raw_(raw) {
    if (raw_ != nullptr) internal::CountHandle(+1);
  }
  Handle(Handle&& other) noexcept : plugin_(other.plugin_), raw_(std::exchange(other.raw_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this == &other) return *this;
    Reset();
    plugin_ = other.plugin_;
    raw_ = std::exchange(other.raw_, nullptr);
    return *this;
  }
  ~Handle() { Reset(); }

  Raw* get() const { return raw_; }
  const Plugin& plugin() const { return plugin_; }

 private:
  void Reset() {
    if (raw_ == nullptr) return;
    Kind::Destroy(plugin_, std::exchange(raw_, nullptr));
    internal::CountHandle(-1);
  }

  Plugin plugin_;
  Raw* raw_;
};

using ClientHandle = Handle<ClientKind>;
using BufferHandle = Handle<BufferKind>;
using ExecutableHandle = Handle<ExecutableKind>;
using LoadedExecutableHandle = Handle<LoadedExecutableKind>;
using EventHandle = Handle<EventKind>;
using TopologyHandle = Handle<TopologyKind>;

// Blocks until the event is ready and gives its error, the one of the work it stands for. A null event is ready.
core::Result<void> Await(EventHandle event);

}  // namespace kernel_audit::pjrt
