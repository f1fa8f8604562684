#include "kernel_audit/core/host_array.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace kernel_audit::core {

std::string ToString(const ArrayType& type) { return std::string(Name(type.dtype)) + ToString(type.shape); }

HostArray::HostArray(ArrayType type) : type_(std::move(type)), byte_size_(type_.byte_size()) {
  constexpr std::size_t kHugePage = std::size_t{1} << 21;
  const bool large = byte_size_ >= 2 * kHugePage;
  const std::size_t alignment = large ? kHugePage : 64;
  const std::size_t size = (byte_size_ + alignment) / alignment * alignment;
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, size)));
  if (data_ == nullptr) throw std::bad_alloc();
  // A block of a wide array touches a page a row; whether the system has huge pages makes no difference but to time.
  if (large) (void)madvise(data_.get(), size, MADV_HUGEPAGE);
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
