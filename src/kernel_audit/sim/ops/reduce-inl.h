// Reductions of any element type and operation, in reduce.h's order, compiled once a target.
#if defined(KERNEL_AUDIT_SIM_OPS_REDUCE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNEL_AUDIT_SIM_OPS_REDUCE_INL_H_
#undef KERNEL_AUDIT_SIM_OPS_REDUCE_INL_H_
#else
#define KERNEL_AUDIT_SIM_OPS_REDUCE_INL_H_
#endif

#include <algorithm>

#include "kernel_audit/sim/ops/loops-inl.h"
#include "kernel_audit/sim/ops/reduce_plan.h"

HWY_BEFORE_NAMESPACE();
namespace kernel_audit::sim::ops {
namespace HWY_NAMESPACE {

inline constexpr std::size_t kPartials = 16;
inline constexpr std::size_t kColumns = 128;

// Sums and products without a NaN's bits settled at each step: Finish settles them once.
struct PlainAdd {
  static HWY_INLINE float Of(float a, float b) { return a + b; }
};
struct PlainMul {
  static HWY_INLINE float Of(float a, float b) { return a * b; }
};

template <class T>
HWY_INLINE T Finish(T value) {
  return value;
}
template <>
HWY_INLINE float Finish(float value) {
  return Canonical(value);
}

template <class Work, class Op>
HWY_INLINE void CombineRows(Work* into, const Work* other, std::size_t n) {
  KA_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) into[i] = Op::Of(into[i], other[i]);
}

// partials[l * width + column], of which `count` rows exist, into row 0.
template <class Work, class Op>
HWY_INLINE void CombinePartials(Work* partials, std::size_t width, std::size_t columns, std::size_t count) {
  for (std::size_t distance = kPartials / 2; distance > 0; distance /= 2) {
    for (std::size_t l = 0; l < distance && l + distance < count; ++l) {
      CombineRows<Work, Op>(partials + l * width, partials + (l + distance) * width, columns);
    }
    count = std::min(count, distance);
  }
}

template <class Element, class Work, class Op>
HWY_INLINE void StoreResults(typename Element::Stored* to, const typename Element::Stored* init, const Work* partials, std::size_t n) {
  KA_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) to[i] = Element::Store(Finish(Op::Of(Element::Load(init[i]), partials[i])));
}

// Results are neighbours, and so are the elements that go into them at each step.
template <class Element, class Work, class Op>
void ReduceColumns(void* dst, const void* src, const void* init, const ReducePlan& plan) {
  using Stored = typename Element::Stored;
  auto* to = static_cast<Stored*>(dst);
  const auto* start = static_cast<const Stored*>(init);
  alignas(64) Work partials[kPartials * kColumns];
  ForEach(plan.kept, [&](std::int64_t kept) HWY_ATTR {
    for (std::int64_t column = 0; column < plan.columns; column += kColumns) {
      const std::size_t width = static_cast<std::size_t>(std::min<std::int64_t>(kColumns, plan.columns - column));
      std::size_t count = 0;
      ForEach(plan.reduced, [&](std::int64_t reduced) HWY_ATTR {
        const Stored* from = static_cast<const Stored*>(src) + kept + column + reduced;
        Work* row = partials + count % kPartials * kColumns;
        if (count++ < kPartials) {
          KA_INDEPENDENT
          for (std::size_t i = 0; i < width; ++i) row[i] = Element::Load(from[i]);
        } else {
          KA_INDEPENDENT
          for (std::size_t i = 0; i < width; ++i) row[i] = Op::Of(row[i], static_cast<Work>(Element::Load(from[i])));
        }
      });
      CombinePartials<Work, Op>(partials, kColumns, width, std::min(count, kPartials));
      StoreResults<Element, Work, Op>(to, start, partials, width);
      to += width;
      start += width;
    }
  });
}

// Sixteen elements at a time, the partial results in registers.
template <class Element, class Work, class Op>
HWY_NOINLINE void AccumulateBlocks(Work* partials, const typename Element::Stored* from, std::size_t blocks) {
  Work p[kPartials];
  for (std::size_t l = 0; l < kPartials; ++l) p[l] = partials[l];
  for (std::size_t block = 0; block < blocks; ++block, from += kPartials) {
    for (std::size_t l = 0; l < kPartials; ++l) p[l] = Op::Of(p[l], static_cast<Work>(Element::Load(from[l])));
  }
  for (std::size_t l = 0; l < kPartials; ++l) partials[l] = p[l];
}

// One more element for the partial result that is next. `count` elements came before.
template <class Element, class Work, class Op>
HWY_INLINE void AccumulateOne(Work* partials, typename Element::Stored stored, std::size_t count) {
  const Work value = Element::Load(stored);
  Work& partial = partials[count % kPartials];
  partial = count < kPartials ? value : Op::Of(partial, value);
}

template <class Element, class Work, class Op>
HWY_INLINE void AccumulateRun(Work* partials, const typename Element::Stored* from, std::size_t n, std::size_t count) {
  std::size_t i = 0;
  while (i < n && (count + i < kPartials || (count + i) % kPartials != 0)) {
    AccumulateOne<Element, Work, Op>(partials, from[i], count + i);
    ++i;
  }
  const std::size_t blocks = (n - i) / kPartials;
  if (blocks > 0) AccumulateBlocks<Element, Work, Op>(partials, from + i, blocks);
  for (i += blocks * kPartials; i < n; ++i) AccumulateOne<Element, Work, Op>(partials, from[i], count + i);
}

// The elements of a result are neighbours, run by run.
template <class Element, class Work, class Op>
void ReduceRuns(void* dst, const void* src, const void* init, const ReducePlan& plan) {
  using Stored = typename Element::Stored;
  auto* to = static_cast<Stored*>(dst);
  const auto* start = static_cast<const Stored*>(init);
  const std::size_t run = static_cast<std::size_t>(plan.run);
  ForEach(plan.kept, [&](std::int64_t kept) HWY_ATTR {
    alignas(64) Work partials[kPartials];
    std::size_t count = 0;
    ForEach(plan.reduced, [&](std::int64_t reduced) HWY_ATTR {
      AccumulateRun<Element, Work, Op>(partials, static_cast<const Stored*>(src) + kept + reduced, run, count);
      count += run;
    });
    CombinePartials<Work, Op>(partials, 1, 1, std::min(count, kPartials));
    StoreResults<Element, Work, Op>(to++, start++, partials, 1);
  });
}

template <class Element, class Work, class Op>
void ReduceOf(void* dst, const void* src, const void* init, const ReducePlan& plan) {
  plan.run > 1 ? ReduceRuns<Element, Work, Op>(dst, src, init, plan) : ReduceColumns<Element, Work, Op>(dst, src, init, plan);
}

}  // namespace HWY_NAMESPACE
}  // namespace kernel_audit::sim::ops
HWY_AFTER_NAMESPACE();

#endif  // KERNEL_AUDIT_SIM_OPS_REDUCE_INL_H_
