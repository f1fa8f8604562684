#include "kernel_audit/core/host_array.h"

#include <cstring>
#include <new>

namespace kernel_audit::core {

std::string ToString(const ArrayType& type) { return std::string(Name(type.dtype)) + ToString(type.shape); }

HostArray::HostArray(ArrayType type) : type_(std::move(type)), byte_size_(type_.byte_size()) {
  constexpr std::size_t kAlignment = 64;
  const std::size_t size = (byte_size_ + kAlignment) / kAlignment * kAlignment;
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, size)));
  if (data_ == nullptr) throw std::bad_alloc();
  std::memset(data_.get(), 0, byte_size_);
}

HostArray HostArray::Clone() const {
  HostArray copy(type_);
  std::memcpy(copy.data(), data(), byte_size_);
  return copy;
}

Result<HostArray> Reinterpret(HostArray array, DType dtype) {
  if (ByteSize(dtype) != ByteSize(array.dtype()) || dtype == DType::kBool || IsSemaphore(dtype)) {
    return Fail(ErrorCode::kBadInput, ToString(array.type()) + " cannot be seen as " + std::string(Name(dtype)));
  }
  array.type_.dtype = dtype;
  return array;
}

}  // namespace kernel_audit::core
