#include "kernel_audit/evidence/statistics.h"

#include <gtest/gtest.h>

#include <numeric>

#include "kernel_audit/core/error.h"

namespace kernel_audit::evidence {
namespace {

TEST(Statistics, AreExact) {
  EXPECT_EQ(Median({5}), 5);
  EXPECT_EQ(Median({3, 1, 2}), 2);
  EXPECT_EQ(Median({4, 1, 2, 3}), 2);
  EXPECT_EQ(Median({INT64_MAX, INT64_MAX - 2}), INT64_MAX - 1);
  EXPECT_EQ(NinetiethPercentile({5}), 5);
  EXPECT_EQ(NinetiethPercentile({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), 9);
  EXPECT_EQ(NinetiethPercentile({1, 2, 3, 4, 5}), 5);
  std::vector<std::int64_t> hundred(100);
  std::iota(hundred.begin(), hundred.end(), 1);
  EXPECT_EQ(NinetiethPercentile(hundred), 90);
  EXPECT_THROW(Median({}), core::InternalError);
}

}  // namespace
}  // namespace kernel_audit::evidence
