// For tests: runs a body on each instruction set that the operations are compiled for and this CPU has.
#pragma once

#include "kernel_audit/sim/ops/simd.h"
#include <hwy/highway.h>

#include <gtest/gtest.h>

namespace kernel_audit::sim::ops {

template <class Body>
void ForEachTarget(const Body& body) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    body();
    hwy::SetSupportedTargetsForTest(0);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace kernel_audit::sim::ops
