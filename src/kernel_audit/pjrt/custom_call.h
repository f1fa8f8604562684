// C++ functions that XLA calls from inside a compiled program, through its FFI. In StableHLO such a call is written
// `stablehlo.custom_call @target(...) {api_version = 4 : i32, backend_config = {name = value, ...}}`.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernel_audit/core/dtype.h"
#include "kernel_audit/core/error.h"
#include "kernel_audit/core/shape.h"
#include "kernel_audit/pjrt/plugin.h"

struct XLA_FFI_Attrs;

namespace kernel_audit::pjrt {

// XLA's own memory, dense and row-major; good for the time of the call. `data` may be null when the shape has no elements.
struct BufferView {
  void* data = nullptr;
  core::DType dtype = core::DType::kFloat32;
  core::Shape shape;
};

struct CustomCall {
  std::span<const BufferView> arguments;  // not to be written
  std::span<const BufferView> results;
  const XLA_FFI_Attrs* attributes = nullptr;

  // An entry of backend_config: an i64, a string. kBadInput when there is none of that name or it has another type.
  core::Result<std::int64_t> GetInteger(std::string_view name) const;
  core::Result<std::string_view> GetString(std::string_view name) const;
};

// Called on a thread of the plugin's choice, perhaps several at a time. A returned Error ends the run; Execute gives its text back whole
// inside a kPlugin error. An exception that leaves a handler does the same.
using Handler = core::Result<void> (*)(const CustomCall&);

// Programs compiled afterwards by this plugin reach `handler` at `target` on the platform "Host". Lasts as long as the process. Doing it
// twice changes nothing; kBadInput for another handler at the same target; kUnsupported when the plugin has no FFI or speaks another
// version of it, or when more than 32 handlers are wanted.
core::Result<void> RegisterCustomCall(const Plugin& plugin, std::string_view target, Handler handler);

}  // namespace kernel_audit::pjrt
