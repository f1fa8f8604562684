// References: loads, stores, allocations, slices.
#include <algorithm>

#include "kernel_audit/ir/verifier_rules.h"

namespace kernel_audit::ir {
namespace {

// VMEM or SMEM with an index a dimension, from operand `first` on, `count` of them.
std::string CheckAccess(const Op& op, const Value* reference, std::size_t first, std::size_t count) {
  const Type& type = reference->type;
  if (!type.is_ref()) return "it needs a reference";
  if (type.space != MemorySpace::kVmem && type.space != MemorySpace::kSmem) {
    return std::string("memory in '") + Name(type.space) + "' is reached by DMA only, not by loads and stores";
  }
  if (count != type.shape.size()) return "it needs an index a dimension of the reference";
  for (std::size_t i = first; i < first + count; ++i) {
    if (!IsScalar(op.operands[i], DType::kIndex)) return "its indices must be index";
  }
  return "";
}

std::string LoadRule(const Op& op) {
  if (auto wrong = CheckAccess(op, op.operands[0], 1, op.operands.size() - 1); !wrong.empty()) return wrong;
  return IsScalar(op.result(), op.operands[0]->type.dtype) ? "" : "its result must be the reference's element type";
}

std::string StoreRule(const Op& op) {
  if (auto wrong = CheckAccess(op, op.operands[1], 2, op.operands.size() - 2); !wrong.empty()) return wrong;
  return IsScalar(op.operands[0], op.operands[1]->type.dtype) ? "" : "its value must be the reference's element type";
}

bool IsBlockOf(const Type& vector, const Type& reference) {
  return vector.is_vector() && vector.dtype == reference.dtype && vector.shape.size() == reference.shape.size();
}

std::string VectorLoadRule(const Op& op) {
  if (auto wrong = CheckAccess(op, op.operands[0], 1, op.operands.size() - 1); !wrong.empty()) return wrong;
  return IsBlockOf(op.result()->type, op.operands[0]->type) ? "" : "its result must be a vector of the reference's rank and element type";
}

std::string CheckStrides(const Op& op, std::size_t rank) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  if (op.attributes.dims.size() != rank) return "it needs a stride a dimension";
  for (const std::int64_t stride : op.attributes.dims) {
    if (stride < 1 || stride > kMost) return "its strides must be positive";
  }
  return "";
}

std::string StridedLoadRule(const Op& op) {
  if (auto wrong = VectorLoadRule(op); !wrong.empty()) return wrong;
  return CheckStrides(op, op.result()->type.shape.size());
}

std::string PlainStoreRule(const Op& op) {
  if (auto wrong = CheckAccess(op, op.operands[1], 2, op.operands.size() - 2); !wrong.empty()) return wrong;
  if (IsBlockOf(op.operands[0]->type, op.operands[1]->type)) return "";
  return "its value must be a vector of the reference's rank and element type";
}

std::string StridedStoreRule(const Op& op) {
  if (auto wrong = PlainStoreRule(op); !wrong.empty()) return wrong;
  return CheckStrides(op, op.operands[0]->type.shape.size());
}

std::string VectorStoreRule(const Op& op) {
  if (auto wrong = CheckSegments(op, {{1, 1}, {1, 1}, {0, -1}, {0, 1}}); !wrong.empty()) return wrong;
  const Type& value = op.operands[0]->type;
  const auto indices = static_cast<std::size_t>(op.attributes.segments[2]);
  if (auto wrong = CheckAccess(op, op.operands[1], 2, indices); !wrong.empty()) return wrong;
  if (!IsBlockOf(value, op.operands[1]->type)) return "its value must be a vector of the reference's rank and element type";
  const Value* mask = SegmentStart(op, 3);
  if (mask != nullptr && mask->type != Type::Vector(DType::kBool, value.shape)) return "its mask must be i1 with the shape of its value";
  return "";
}

std::string AllocaRule(const Op& op) {
  const Type& type = op.result()->type;
  const auto spaces = {MemorySpace::kVmem, MemorySpace::kSmem, MemorySpace::kHbm, MemorySpace::kAny};
  if (!type.is_ref() || std::find(spaces.begin(), spaces.end(), type.space) == spaces.end()) return "it allocates VMEM, SMEM or HBM";
  constexpr std::int64_t kLimit = std::int64_t{1} << 31;
  const std::int64_t bytes = core::NumElements(type.shape) * static_cast<std::int64_t>(core::ByteSize(type.dtype));
  return bytes <= kLimit ? "" : "it allocates more than 2^31 bytes";
}

std::string RefSliceRule(const Op& op) {
  if (auto wrong = CheckSegments(op, {{1, 1}, {0, -1}, {0, -1}}); !wrong.empty()) return wrong;
  const Type &from = op.operands[0]->type, &to = op.result()->type;
  if (!from.is_ref() || !to.is_ref() || from.dtype != to.dtype || from.space != to.space) {
    return "its result must be a reference like its operand";
  }
  const std::size_t rank = from.shape.size();
  if (to.shape.size() != rank || static_cast<std::size_t>(op.attributes.segments[1]) != rank) {
    return "it needs an index and a size a dimension";
  }
  std::int32_t dynamic = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    dynamic += to.shape[i] == core::kDynamicExtent ? 1 : 0;
    if (from.shape[i] != core::kDynamicExtent && to.shape[i] > from.shape[i]) return "the slice is larger than its operand";
  }
  if (dynamic != op.attributes.segments[2]) return "it needs a size operand for each extent that is not known";
  for (std::size_t i = 1; i < op.operands.size(); ++i) {
    if (!IsOffset(op.operands[i])) return "its indices and sizes must be i32 or index";
  }
  return "";
}

std::string RefSqueezeRule(const Op& op) {
  const Type &from = op.operands[0]->type, &to = op.result()->type;
  if (!from.is_ref() || !to.is_ref() || from.dtype != to.dtype || from.space != to.space) {
    return "its result must be a reference like its operand";
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < from.shape.size(); ++i) {
    // Where 1 stands on both sides it does not matter which of several is dropped.
    if (kept < to.shape.size() && to.shape[kept] == from.shape[i]) {
      ++kept;
    } else if (from.shape[i] != 1) {
      return "it may only drop dimensions of extent 1";
    }
  }
  return kept == to.shape.size() ? "" : "it may only drop dimensions of extent 1";
}

bool IsPlainRef(const Type& type) {
  for (const std::int64_t extent : type.shape) {
    if (extent == core::kDynamicExtent) return false;
  }
  return type.is_ref() && !core::IsSemaphore(type.dtype);
}

std::string RefReshapeRule(const Op& op) {
  const Type &from = op.operands[0]->type, &to = op.result()->type;
  if (!IsPlainRef(from) || !IsPlainRef(to) || from.dtype != to.dtype || from.space != to.space) {
    return "its result must be a reference like its operand, both of known extents";
  }
  return core::NumElements(from.shape) == core::NumElements(to.shape) ? "" : "its result must have as many elements as its operand";
}

std::string RefBitcastRule(const Op& op) {
  const Type &from = op.operands[0]->type, &to = op.result()->type;
  const std::size_t rank = from.shape.size();
  if (!IsPlainRef(from) || !IsPlainRef(to) || from.space != to.space || to.shape.size() != rank) {
    return "its result must be a reference of its operand's rank and space, both of known extents";
  }
  if (from.dtype == DType::kBool || to.dtype == DType::kBool) return "an i1 has no other type";
  Shape expected = from.shape;
  const int narrow = BitWidth(from.dtype), wide = BitWidth(to.dtype);
  if (narrow != wide) {
    if (rank < 2) return "another width needs two dimensions";
    if (expected[rank - 2] * narrow % wide != 0) return "the bits do not fill whole elements of its result";
    expected[rank - 2] = expected[rank - 2] * narrow / wide;
  }
  return expected == to.shape ? "" : "its result must have the shape " + core::ToString(expected);
}

}  // namespace

Rule MemoryRule(OpCode code) {
  switch (code) {
    case OpCode::kLoad: return LoadRule;
    case OpCode::kStore: return StoreRule;
    case OpCode::kVectorLoad: return VectorLoadRule;
    case OpCode::kVectorStore: return VectorStoreRule;
    case OpCode::kStridedLoad: return StridedLoadRule;
    case OpCode::kVectorDialectStore: return PlainStoreRule;
    case OpCode::kStridedStore: return StridedStoreRule;
    case OpCode::kRefReshape: return RefReshapeRule;
    case OpCode::kRefBitcast: return RefBitcastRule;
    case OpCode::kAlloca: return AllocaRule;
    case OpCode::kRefSlice: return RefSliceRule;
    case OpCode::kRefSqueeze: return RefSqueezeRule;
    default: return nullptr;
  }
}

}  // namespace kernel_audit::ir
