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

#undef KA_KEEP_LOOP
#if defined(__clang__)
#define KA_KEEP_LOOP _Pragma("clang loop unroll(disable)")
#else
#define KA_KEEP_LOOP _Pragma("GCC unroll 1")
#endif

inline constexpr std::size_t kPartials = 16;
inline constexpr std::size_t kColumns = 128;

// As AddF and its like, but a NaN stays whichever it is until Finish settles its bits.
struct PlainAdd {
  static HWY_INLINE float Of(float a, float b) { return a + b; }
};
struct PlainMul {
  static HWY_INLINE float Of(float a, float b) { return a * b; }
};

struct PlainMaximum {
  static HWY_INLINE float Of(float a, float b) {
    const float larger = a < b ? b : a;  // a, if that is NaN
    const float both = std::bit_cast<float>(std::bit_cast<std::uint32_t>(a) & std::bit_cast<std::uint32_t>(b));
    const float result = a == b ? both : larger;
    return b == b ? result : b;
  }
};
struct PlainMinimum {
  static HWY_INLINE float Of(float a, float b) {
    const float smaller = b < a ? b : a;
    const float both = std::bit_cast<float>(std::bit_cast<std::uint32_t>(a) | std::bit_cast<std::uint32_t>(b));
    const float result = a == b ? both : smaller;
    return b == b ? result : b;
  }
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

// Of `count` rows of partial results the first.
template <class Work, class Op>
HWY_INLINE void FoldRows(Work* partials, std::size_t columns, std::size_t count) {
  for (std::size_t distance = kPartials / 2; distance > 0; distance /= 2) {
    for (std::size_t l = 0; l < distance && l + distance < count; ++l) {
      CombineRows<Work, Op>(partials + l * kColumns, partials + (l + distance) * kColumns, columns);
    }
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
      FoldRows<Work, Op>(partials, width, std::min(count, kPartials));
      StoreResults<Element, Work, Op>(to, start, partials, width);
      to += width;
      start += width;
    }
  });
}

// Sixteen elements at a time. Kept as a loop of sixteen steps, this becomes vector instructions; unrolled first, it might not.
template <class Element, class Work, class Op>
HWY_INLINE void AccumulateBlocks(Work* HWY_RESTRICT partials, const typename Element::Stored* HWY_RESTRICT from, std::size_t blocks) {
  for (std::size_t block = 0; block < blocks; ++block, from += kPartials) {
    KA_KEEP_LOOP
    for (std::size_t l = 0; l < kPartials; ++l) partials[l] = Op::Of(partials[l], static_cast<Work>(Element::Load(from[l])));
  }
}

// Of `count` partial results the first.
template <class Work, class Op>
HWY_INLINE void FoldPartials(Work* partials, std::size_t count) {
  for (std::size_t distance = kPartials / 2; distance > 0; distance /= 2) {
    const std::size_t pairs = count <= distance ? 0 : std::min(distance, count - distance);
    CombineRows<Work, Op>(partials, partials + distance, pairs);
  }
}

// `count` elements came before the n that are next.
template <class Element, class Work, class Op>
HWY_INLINE void AccumulateRun(Work* partials, const typename Element::Stored* from, std::size_t n, std::size_t count) {
  std::size_t i = 0;
  if (count == 0 && n >= kPartials) {
    for (; i < kPartials; ++i) partials[i] = Element::Load(from[i]);
  }
  for (; i < n && count + i < kPartials; ++i) partials[count + i] = Element::Load(from[i]);
  const auto accumulate_one = [&](std::size_t element) HWY_ATTR {
    Work& partial = partials[(count + element) % kPartials];
    partial = Op::Of(partial, static_cast<Work>(Element::Load(from[element])));
  };
  for (; i < n && (count + i) % kPartials != 0; ++i) accumulate_one(i);
  const std::size_t blocks = (n - i) / kPartials;
  AccumulateBlocks<Element, Work, Op>(partials, from + i, blocks);
  for (i += blocks * kPartials; i < n; ++i) accumulate_one(i);
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
    FoldPartials<Work, Op>(partials, std::min(count, kPartials));
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
