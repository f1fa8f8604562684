// Types by themselves, and small questions about operands.
#include "kernel_audit/ir/verifier.h"
#include "kernel_audit/ir/verifier_rules.h"

namespace kernel_audit::ir {
namespace {

std::string CheckVectorType(const Type& type) {
  if (type.shape.empty()) return "a vector must have a dimension";
  for (const std::int64_t extent : type.shape) {
    if (extent < 1) return "a vector's extents must be positive";
  }
  const std::int64_t count = core::CheckedNumElements(type.shape);
  if (count < 0 || count > kMaxVectorElements) return "a vector has more than 2^28 elements";
  return "";
}

std::string CheckRefType(const Type& type, bool dynamic) {
  if (core::IsSemaphore(type.dtype) != (type.space == MemorySpace::kSemaphore)) {
    return "semaphores, and nothing else, lie in semaphore memory";
  }
  if (type.dtype == DType::kIndex) return "memory can't hold index";
  Shape known;
  for (const std::int64_t extent : type.shape) {
    if (extent == core::kDynamicExtent && dynamic) continue;
    if (extent < 0) return "an extent is not known";
    known.push_back(extent);
  }
  const std::int64_t count = core::CheckedNumElements(known);
  if (count < 0 || count > kMaxArrayElements) return "a reference has more than 2^40 elements";
  return "";
}

}  // namespace

std::string CheckType(const Type& type, bool dynamic) {
  if (type.shape.size() > 16) return "a type has more than 16 dimensions";
  if (type.is_ref()) return CheckRefType(type, dynamic);
  if (core::IsSemaphore(type.dtype)) return "a semaphore is not a value";
  if (type.dtype >= DType::kUInt8 && type.dtype <= DType::kUInt64) return "integers of a kernel have no sign";
  return type.is_vector() ? CheckVectorType(type) : type.shape.empty() ? "" : "a scalar has no shape";
}

int BitWidth(DType dtype) { return dtype == DType::kBool ? 1 : 8 * static_cast<int>(core::ByteSize(dtype)); }

bool IsScalar(const Value* value, DType dtype) { return value->type.is_scalar() && value->type.dtype == dtype; }

bool IsOffset(const Value* value) { return IsScalar(value, DType::kInt32) || IsScalar(value, DType::kIndex); }

std::string CheckSegments(const Op& op, std::initializer_list<Range> ranges) {
  const std::vector<std::int32_t>& segments = op.attributes.segments;
  if (segments.size() != ranges.size()) return "operandSegmentSizes must have " + std::to_string(ranges.size()) + " entries";
  std::int64_t total = 0;
  auto segment = segments.begin();
  for (const Range& range : ranges) {
    if (*segment < range.low || (range.high >= 0 && *segment > range.high)) return "operandSegmentSizes has an entry that can't be";
    total += *segment++;
  }
  return total == static_cast<std::int64_t>(op.operands.size()) ? "" : "operandSegmentSizes do not add up to the operands";
}

const Value* SegmentStart(const Op& op, std::size_t segment) {
  const std::vector<std::int32_t>& segments = op.attributes.segments;
  if (segments[segment] == 0) return nullptr;
  std::size_t at = 0;
  for (std::size_t i = 0; i < segment; ++i) at += static_cast<std::size_t>(segments[i]);
  return op.operands[at];
}

}  // namespace kernel_audit::ir
