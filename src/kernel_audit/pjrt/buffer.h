// An array on a device.
#pragma once

#include <cstddef>
#include <memory>

#include "kernel_audit/core/error.h"
#include "kernel_audit/core/host_array.h"
#include "kernel_audit/pjrt/handle.h"

namespace kernel_audit::pjrt {

struct ClientState;

// Move only. Keeps its client alive. Made by Client::FromHost and Executable::Execute.
class Buffer {
 public:
  Buffer(std::shared_ptr<const ClientState> client, BufferHandle handle);

  // As the plugin reports it. kUnsupported for an element type that core::DType lacks.
  core::Result<core::ArrayType> Type() const;

  // Waits for the value and copies it, row-major whatever the layout on the device.
  core::Result<core::HostArray> ToHost() const;

  // Returns when the device has the value; the error of the work that was to make it, otherwise. kUnsupported for a plugin without events.
  core::Result<void> AwaitReady() const;
  // Asks without waiting.
  core::Result<bool> IsReady() const;

  // Whether it lies on the client's devices()[device], and that is no CPU's memory.
  core::Result<bool> IsOnDevice(std::size_t device) const;

  // Null after a move.
  PJRT_Buffer* raw() const { return handle_.get(); }
  const ClientState* client() const { return client_.get(); }

 private:
  std::shared_ptr<const ClientState> client_;
  BufferHandle handle_;
};

}  // namespace kernel_audit::pjrt
