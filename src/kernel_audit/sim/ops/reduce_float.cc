#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel_audit/sim/ops/reduce_float.cc"
#include "kernel_audit/sim/ops/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernel_audit/sim/ops/reduce-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernel_audit::sim::ops {
namespace HWY_NAMESPACE {

template <class Element>
ReduceFn FloatReductionOf(ir::ReductionKind kind) {
  switch (kind) {
    case ir::ReductionKind::kAdd: return ReduceOf<Element, float, PlainAdd>;
    case ir::ReductionKind::kMul: return ReduceOf<Element, float, PlainMul>;
    case ir::ReductionKind::kMinimumF: return ReduceOf<Element, float, PlainMinimum>;
    case ir::ReductionKind::kMaximumF: return ReduceOf<Element, float, PlainMaximum>;
    default: return nullptr;
  }
}

ReduceFn FloatReduction(ir::ReductionKind kind, DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return FloatReductionOf<Float32>(kind);
    case DType::kBFloat16: return FloatReductionOf<BFloat16>(kind);
    default: return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kernel_audit::sim::ops
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernel_audit::sim::ops {

HWY_EXPORT(FloatReduction);

ReduceFn FindFloatReduction(ir::ReductionKind kind, DType dtype) { return HWY_DYNAMIC_DISPATCH(FloatReduction)(kind, dtype); }

}  // namespace kernel_audit::sim::ops
#endif
