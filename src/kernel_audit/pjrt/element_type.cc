#include "kernel_audit/pjrt/element_type.h"

#include <array>

#include "xla/ffi/api/c_api.h"

namespace kernel_audit::pjrt {
namespace {

struct Row {
  core::DType dtype;
  PJRT_Buffer_Type buffer_type;
  XLA_FFI_DataType primitive_type;
};

constexpr std::array<Row, 13> kRows = {{
    {core::DType::kBool, PJRT_Buffer_Type_PRED, XLA_FFI_DataType_PRED},
    {core::DType::kInt8, PJRT_Buffer_Type_S8, XLA_FFI_DataType_S8},
    {core::DType::kInt16, PJRT_Buffer_Type_S16, XLA_FFI_DataType_S16},
    {core::DType::kInt32, PJRT_Buffer_Type_S32, XLA_FFI_DataType_S32},
    {core::DType::kInt64, PJRT_Buffer_Type_S64, XLA_FFI_DataType_S64},
    {core::DType::kUInt8, PJRT_Buffer_Type_U8, XLA_FFI_DataType_U8},
    {core::DType::kUInt16, PJRT_Buffer_Type_U16, XLA_FFI_DataType_U16},
    {core::DType::kUInt32, PJRT_Buffer_Type_U32, XLA_FFI_DataType_U32},
    {core::DType::kUInt64, PJRT_Buffer_Type_U64, XLA_FFI_DataType_U64},
    {core::DType::kBFloat16, PJRT_Buffer_Type_BF16, XLA_FFI_DataType_BF16},
    {core::DType::kFloat16, PJRT_Buffer_Type_F16, XLA_FFI_DataType_F16},
    {core::DType::kFloat32, PJRT_Buffer_Type_F32, XLA_FFI_DataType_F32},
    {core::DType::kFloat64, PJRT_Buffer_Type_F64, XLA_FFI_DataType_F64},
}};

}  // namespace

std::optional<PJRT_Buffer_Type> ToBufferType(core::DType dtype) {
  for (const Row& row : kRows) {
    if (row.dtype == dtype) return row.buffer_type;
  }
  return std::nullopt;
}

std::optional<core::DType> FromBufferType(std::int64_t type) {
  for (const Row& row : kRows) {
    if (row.buffer_type == type) return row.dtype;
  }
  return std::nullopt;
}

std::optional<core::DType> FromPrimitiveType(std::int64_t type) {
  for (const Row& row : kRows) {
    if (row.primitive_type == type) return row.dtype;
  }
  return std::nullopt;
}

}  // namespace kernel_audit::pjrt
