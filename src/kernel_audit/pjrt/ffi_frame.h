// Reads an XLA_FFI_CallFrame. Source: xla/ffi/api/c_api.h, FFI version 0.3; 0.2 and 0.4 plugins hand over the same frame.
#pragma once

#include "kernel_audit/pjrt/custom_call.h"
#include "xla/ffi/api/c_api.h"

namespace kernel_audit::pjrt {

// Answers one call from XLA: a question for the handler's metadata, or a run of the handler. Null on success. Lets no exception out.
XLA_FFI_Error* AnswerFrame(XLA_FFI_CallFrame* frame, Handler handler) noexcept;

// Whether this thread's last metadata question came from an FFI of another major version, which XLA itself does not report.
bool TakeMetadataRefusal();

}  // namespace kernel_audit::pjrt
