#include "kernel_audit/core/shape.h"

#include "kernel_audit/core/error.h"

namespace kernel_audit::core {

std::int64_t CheckedNumElements(const Shape& shape) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 48;
  std::int64_t product = 1;
  bool empty = false;
  for (std::int64_t extent : shape) {
    if (extent < 0) return -1;
    if (extent == 0) {
      empty = true;
      continue;
    }
    if (product > kLimit / extent) return -1;
    product *= extent;
  }
  return empty ? 0 : product;
}

std::int64_t NumElements(const Shape& shape) {
  const std::int64_t count = CheckedNumElements(shape);
  if (count < 0) throw InternalError("NumElements of " + ToString(shape));
  return count;
}

Shape RowMajorStrides(const Shape& shape) {
  Shape strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

std::string ToString(const Shape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += shape[i] == kDynamicExtent ? "?" : std::to_string(shape[i]);
  }
  if (shape.size() == 1) text += ",";
  return text + ")";
}

}  // namespace kernel_audit::core
