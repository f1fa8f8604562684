#include "kernel_audit/core/dtype.h"

#include <array>

namespace kernel_audit::core {
namespace {

struct Row {
  DType dtype;
  std::size_t size;
  std::string_view name;
  std::string_view mlir_name;
};

constexpr std::array<Row, 16> kRows = {{
    {DType::kBool, 1, "bool", "i1"},
    {DType::kInt8, 1, "int8", "i8"},
    {DType::kInt16, 2, "int16", "i16"},
    {DType::kInt32, 4, "int32", "i32"},
    {DType::kInt64, 8, "int64", "i64"},
    {DType::kUInt8, 1, "uint8", "ui8"},
    {DType::kUInt16, 2, "uint16", "ui16"},
    {DType::kUInt32, 4, "uint32", "ui32"},
    {DType::kUInt64, 8, "uint64", "ui64"},
    {DType::kBFloat16, 2, "bfloat16", "bf16"},
    {DType::kFloat16, 2, "float16", "f16"},
    {DType::kFloat32, 4, "float32", "f32"},
    {DType::kFloat64, 8, "float64", "f64"},
    {DType::kIndex, 8, "index", "index"},
    {DType::kSemaphore, 4, "semaphore", "!tpu.semaphore"},
    {DType::kDmaSemaphore, 4, "dma_semaphore", "!tpu.dma_semaphore"},
}};

const Row& RowOf(DType dtype) { return kRows[static_cast<std::size_t>(dtype)]; }

}  // namespace

std::size_t ByteSize(DType dtype) { return RowOf(dtype).size; }
std::string_view Name(DType dtype) { return RowOf(dtype).name; }
std::string_view MlirName(DType dtype) { return RowOf(dtype).mlir_name; }

std::optional<DType> DTypeFromName(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

std::optional<DType> DTypeFromMlirName(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.mlir_name == name) return row.dtype;
  }
  return std::nullopt;
}

bool IsFloat(DType dtype) { return dtype >= DType::kBFloat16 && dtype <= DType::kFloat64; }
bool IsSemaphore(DType dtype) { return dtype >= DType::kSemaphore; }
bool IsInteger(DType dtype) { return dtype <= DType::kUInt64 || dtype == DType::kIndex; }

}  // namespace kernel_audit::core
