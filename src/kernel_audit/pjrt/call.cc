#include "kernel_audit/pjrt/call.h"

#include <array>
#include <string>

#include "kernel_audit/pjrt/enum_number.h"

namespace kernel_audit::pjrt::internal {
namespace {

// In the order of PJRT_Error_Code.
constexpr std::array<std::string_view, 17> kStatusNames = {
    "OK",        "CANCELLED",     "UNKNOWN",  "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
    "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
    "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"};

std::string StatusName(const Plugin& plugin, const PJRT_Error* error) {
  PJRT_Error_GetCode_Args args{};
  args.struct_size = PJRT_Error_GetCode_Args_STRUCT_SIZE;
  args.error = error;
  // An error about an error is dropped on purpose: the first one is what the caller must see.
  if (!CheckEntry(plugin, plugin.table(), KA_PJRT_ENTRY(PJRT_Error_GetCode))) return "";
  if (PJRT_Error* second = plugin.table().PJRT_Error_GetCode(&args); second != nullptr) {
    PJRT_Error_Destroy_Args destroy{PJRT_Error_Destroy_Args_STRUCT_SIZE, nullptr, second};
    plugin.table().PJRT_Error_Destroy(&destroy);
    return "";
  }
  const auto code = static_cast<std::size_t>(EnumNumber(args.code));
  return code < kStatusNames.size() ? std::string(kStatusNames[code]) + ": " : "status " + std::to_string(code) + ": ";
}

std::string Message(const Plugin& plugin, const PJRT_Error* error) {
  PJRT_Error_Message_Args args{};
  args.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE;
  args.error = error;
  plugin.table().PJRT_Error_Message(&args);
  return args.message == nullptr ? "the plugin gave no message" : std::string(args.message, args.message_size);
}

}  // namespace

core::Error MissingEntry(const Plugin& plugin, std::string_view name) {
  return {core::ErrorCode::kUnsupported,
          plugin.path() + ": the plugin (PJRT API " + plugin.api_version().ToString() + ") does not have " + std::string(name), {}};
}

core::Result<void> TakeError(const Plugin& plugin, PJRT_Error* error, std::string_view name) {
  if (error == nullptr) return {};
  std::string message = std::string(name) + ": " + StatusName(plugin, error) + Message(plugin, error);
  PJRT_Error_Destroy_Args args{PJRT_Error_Destroy_Args_STRUCT_SIZE, nullptr, error};
  plugin.table().PJRT_Error_Destroy(&args);
  return core::Fail(core::ErrorCode::kPlugin, std::move(message));
}

}  // namespace kernel_audit::pjrt::internal
