// A dense row-major array on the host, 64-byte aligned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "kernel_audit/core/dtype.h"
#include "kernel_audit/core/error.h"
#include "kernel_audit/core/shape.h"

namespace kernel_audit::core {

// Shape and element type, without elements.
struct ArrayType {
  DType dtype = DType::kFloat32;
  Shape shape;

  std::size_t byte_size() const { return static_cast<std::size_t>(NumElements(shape)) * ByteSize(dtype); }
  bool operator==(const ArrayType&) const = default;
};

// "float32(8, 128)".
std::string ToString(const ArrayType& type);

class HostArray {
 public:
  HostArray() = default;
  // Elements are zero.
  explicit HostArray(ArrayType type);

  HostArray(HostArray&&) noexcept = default;
  HostArray& operator=(HostArray&&) noexcept = default;
  HostArray Clone() const;

  const ArrayType& type() const { return type_; }
  DType dtype() const { return type_.dtype; }
  const Shape& shape() const { return type_.shape; }
  std::size_t byte_size() const { return byte_size_; }

  std::byte* data() { return data_.get(); }
  const std::byte* data() const { return data_.get(); }

  // The elements as T; sizeof(T) must be the element's size (bfloat16: std::uint16_t).
  template <typename T>
  std::span<T> elements() {
    return {reinterpret_cast<T*>(data()), byte_size_ / sizeof(T)};
  }
  template <typename T>
  std::span<const T> elements() const {
    return {reinterpret_cast<const T*>(data()), byte_size_ / sizeof(T)};
  }

 private:
  friend Result<HostArray> Reinterpret(HostArray array, DType dtype);

  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };
  ArrayType type_;
  std::size_t byte_size_ = 0;
  std::unique_ptr<std::byte[], Free> data_;
};

// The same bytes seen as elements of `dtype`, without a copy: uint16 as bfloat16 and back. kBadInput when the element sizes differ or
// `dtype` is bool or a semaphore, whose elements may not be any bytes.
Result<HostArray> Reinterpret(HostArray array, DType dtype);

}  // namespace kernel_audit::core
