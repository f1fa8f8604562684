// Element types: their names, sizes and classes. Source of the names: MLIR (`f32`), NumPy (`float32`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kernel_audit::core {

// Kernel IR integers are signless (`i32`); unsigned types occur in host arrays only.
enum class DType : std::uint8_t {
  kBool,  // one byte an element, 0 or 1; `i1`
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kBFloat16,
  kFloat16,
  kFloat32,
  kFloat64,
  kIndex,         // 64 bits in the simulator
  kSemaphore,     // a regular semaphore; an element of a semaphore reference
  kDmaSemaphore,  // a semaphore that counts bytes
};

// Bytes an element takes in the simulator's memory and in a host array.
std::size_t ByteSize(DType dtype);

// "float32", as NumPy spells it ("bfloat16", "index", "dma_semaphore" where NumPy has no word).
std::string_view Name(DType dtype);

// "f32", as MLIR spells it.
std::string_view MlirName(DType dtype);

// The type NumPy calls `name`, or nothing.
std::optional<DType> DTypeFromName(std::string_view name);

// The type MLIR calls `name` ("i1" is kBool, "ui8" is kUInt8), or nothing.
std::optional<DType> DTypeFromMlirName(std::string_view name);

bool IsFloat(DType dtype);
bool IsSemaphore(DType dtype);
// True for kBool, every integer and kIndex.
bool IsInteger(DType dtype);

}  // namespace kernel_audit::core
