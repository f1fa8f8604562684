#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel_audit/sim/ops/reduce_int.cc"
#include "kernel_audit/sim/ops/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernel_audit/sim/ops/reduce-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernel_audit::sim::ops {
namespace HWY_NAMESPACE {

template <class T>
ReduceFn IntReductionOf(ir::ReductionKind kind) {
  switch (kind) {
    case ir::ReductionKind::kAdd: return ReduceOf<Int<T>, T, AddI>;
    case ir::ReductionKind::kMul: return ReduceOf<Int<T>, T, MulI>;
    case ir::ReductionKind::kMinSI: return ReduceOf<Int<T>, T, MinSI>;
    case ir::ReductionKind::kMaxSI: return ReduceOf<Int<T>, T, MaxSI>;
    case ir::ReductionKind::kAnd: return ReduceOf<Int<T>, T, AndI>;
    case ir::ReductionKind::kOr: return ReduceOf<Int<T>, T, OrI>;
    default: return nullptr;
  }
}

ReduceFn BoolReduction(ir::ReductionKind kind) {
  using T = std::uint8_t;
  switch (kind) {
    case ir::ReductionKind::kAdd: return ReduceOf<Int<T>, T, XOrI>;
    case ir::ReductionKind::kMul:
    case ir::ReductionKind::kMaxSI:  // true is -1, the smaller
    case ir::ReductionKind::kAnd: return ReduceOf<Int<T>, T, AndI>;
    case ir::ReductionKind::kMinSI:
    case ir::ReductionKind::kOr: return ReduceOf<Int<T>, T, OrI>;
    default: return nullptr;
  }
}

ReduceFn IntReduction(ir::ReductionKind kind, DType dtype) {
  switch (dtype) {
    case DType::kBool: return BoolReduction(kind);
    case DType::kInt8: return IntReductionOf<std::int8_t>(kind);
    case DType::kInt16: return IntReductionOf<std::int16_t>(kind);
    case DType::kInt32: return IntReductionOf<std::int32_t>(kind);
    case DType::kInt64:
    case DType::kIndex: return IntReductionOf<std::int64_t>(kind);
    default: return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kernel_audit::sim::ops
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernel_audit::sim::ops {

HWY_EXPORT(IntReduction);

ReduceFn FindIntReduction(ir::ReductionKind kind, DType dtype) { return HWY_DYNAMIC_DISPATCH(IntReduction)(kind, dtype); }

}  // namespace kernel_audit::sim::ops
#endif
