#include "kernel_audit/pjrt/ffi_frame.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kernel_audit/pjrt/element_type.h"
#include "kernel_audit/pjrt/enum_number.h"

namespace kernel_audit::pjrt {
namespace {

thread_local bool metadata_refused = false;

// Nothing here may allocate: it also reports std::bad_alloc.
XLA_FFI_Error* MakeError(const XLA_FFI_Api* api, XLA_FFI_Error_Code code, const char* message) {
  XLA_FFI_Error_Create_Args args{};
  args.struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE;
  args.message = message;
  args.errc = code;
  return api->XLA_FFI_Error_Create(&args);
}

XLA_FFI_Error_Code CodeOf(core::ErrorCode code) {
  switch (code) {
    case core::ErrorCode::kBadInput: return XLA_FFI_Error_Code_INVALID_ARGUMENT;
    case core::ErrorCode::kUnsupported: return XLA_FFI_Error_Code_UNIMPLEMENTED;
    case core::ErrorCode::kRefused: return XLA_FFI_Error_Code_FAILED_PRECONDITION;
    case core::ErrorCode::kFailed: return XLA_FFI_Error_Code_ABORTED;
    case core::ErrorCode::kPlugin: return XLA_FFI_Error_Code_UNKNOWN;
    case core::ErrorCode::kIo: return XLA_FFI_Error_Code_UNAVAILABLE;
  }
  return XLA_FFI_Error_Code_INTERNAL;
}

// XLA drops a handler whose FFI version is newer than its own, without a word: name the older of the two.
XLA_FFI_Error* AnswerMetadata(const XLA_FFI_Api* api, XLA_FFI_Metadata& metadata) {
  metadata_refused = api->api_version.major_version != XLA_FFI_API_MAJOR;
  if (metadata_refused) return MakeError(api, XLA_FFI_Error_Code_UNIMPLEMENTED, "the handler speaks another major version of the FFI");
  metadata.api_version = {XLA_FFI_Api_Version_STRUCT_SIZE, nullptr, XLA_FFI_API_MAJOR,
                          std::min(XLA_FFI_API_MINOR, api->api_version.minor_version)};
  metadata.traits = 0;
  return nullptr;
}

core::Result<BufferView> ReadBuffer(bool is_buffer, const void* raw, const char* what, std::int64_t index) {
  const std::string name = std::string(what) + " " + std::to_string(index) + " of the custom call";
  if (!is_buffer) return core::Fail(core::ErrorCode::kUnsupported, name + " is not an array");
  const auto& buffer = *static_cast<const XLA_FFI_Buffer*>(raw);
  const std::int64_t type = EnumNumber(buffer.dtype);
  const auto dtype = FromPrimitiveType(type);
  if (dtype) return BufferView{buffer.data, *dtype, core::Shape(buffer.dims, buffer.dims + buffer.rank)};
  return core::Fail(core::ErrorCode::kUnsupported,
                    name + " has XLA element type " + std::to_string(type) + ", which this program cannot hold");
}

core::Result<void> Run(const XLA_FFI_CallFrame& frame, Handler handler) {
  std::vector<BufferView> arguments, results;
  for (std::int64_t i = 0; i < frame.args.size; ++i) {
    auto view = ReadBuffer(EnumNumber(frame.args.types[i]) == XLA_FFI_ArgType_BUFFER, frame.args.args[i], "argument", i);
    if (!view) return tl::unexpected(std::move(view.error()));
    arguments.push_back(std::move(*view));
  }
  for (std::int64_t i = 0; i < frame.rets.size; ++i) {
    auto view = ReadBuffer(EnumNumber(frame.rets.types[i]) == XLA_FFI_RetType_BUFFER, frame.rets.rets[i], "result", i);
    if (!view) return tl::unexpected(std::move(view.error()));
    results.push_back(std::move(*view));
  }
  return handler(CustomCall{arguments, results, &frame.attrs});
}

core::Result<const void*> FindAttribute(const XLA_FFI_Attrs* attributes, std::string_view name, XLA_FFI_AttrType type,
                                        std::string_view type_name) {
  const std::int64_t count = attributes == nullptr ? 0 : attributes->size;
  for (std::int64_t i = 0; i < count; ++i) {
    if (std::string_view(attributes->names[i]->ptr, attributes->names[i]->len) != name) continue;
    if (EnumNumber(attributes->types[i]) == type) return attributes->attrs[i];
    return core::Fail(core::ErrorCode::kBadInput, "backend_config: " + std::string(name) + " is not " + std::string(type_name));
  }
  return core::Fail(core::ErrorCode::kBadInput, "backend_config has no entry " + std::string(name));
}

}  // namespace

XLA_FFI_Error* AnswerFrame(XLA_FFI_CallFrame* frame, Handler handler) noexcept {
  const XLA_FFI_Extension_Base* extension = frame->extension_start;
  if (extension != nullptr && EnumNumber(extension->type) == XLA_FFI_Extension_Metadata) {
    return AnswerMetadata(frame->api, *reinterpret_cast<const XLA_FFI_Metadata_Extension*>(extension)->metadata);
  }
  if (frame->struct_size < XLA_FFI_CallFrame_STRUCT_SIZE || EnumNumber(frame->stage) != XLA_FFI_ExecutionStage_EXECUTE) {
    return MakeError(frame->api, XLA_FFI_Error_Code_UNIMPLEMENTED, "the custom call handler answers the execute stage only");
  }
  try {
    const core::Result<void> done = Run(*frame, handler);
    if (done) return nullptr;
    return MakeError(frame->api, CodeOf(done.error().code), done.error().ToString().c_str());
  } catch (const std::exception& exception) {
    return MakeError(frame->api, XLA_FFI_Error_Code_INTERNAL, exception.what());
  } catch (...) {
    return MakeError(frame->api, XLA_FFI_Error_Code_INTERNAL, "the custom call handler threw something that is no std::exception");
  }
}

bool TakeMetadataRefusal() { return std::exchange(metadata_refused, false); }

core::Result<std::int64_t> CustomCall::GetInteger(std::string_view name) const {
  auto found = FindAttribute(attributes, name, XLA_FFI_AttrType_SCALAR, "an integer of type i64");
  if (!found) return tl::unexpected(std::move(found.error()));
  const auto& scalar = *static_cast<const XLA_FFI_Scalar*>(*found);
  if (EnumNumber(scalar.dtype) == XLA_FFI_DataType_S64) return *static_cast<const std::int64_t*>(scalar.value);
  return core::Fail(core::ErrorCode::kBadInput, "backend_config: " + std::string(name) + " is not an integer of type i64");
}

core::Result<std::string_view> CustomCall::GetString(std::string_view name) const {
  auto found = FindAttribute(attributes, name, XLA_FFI_AttrType_STRING, "a string");
  if (!found) return tl::unexpected(std::move(found.error()));
  const auto& span = *static_cast<const XLA_FFI_ByteSpan*>(*found);
  return std::string_view(span.ptr, span.len);
}

}  // namespace kernel_audit::pjrt
