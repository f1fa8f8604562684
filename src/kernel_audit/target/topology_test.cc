#include "kernel_audit/target/topology.h"

#include <gmock/gmock.h>

namespace kernel_audit::target {
namespace {

std::vector<std::string> Names(std::string_view list) {
  std::vector<std::string> names;
  const auto topologies = ParseTopologies(list);
  if (!topologies) return {topologies.error().message};
  for (const Topology& topology : *topologies) names.emplace_back(topology.name);
  return names;
}

TEST(Topology, Lists) {
  EXPECT_THAT(Names("v6e:2x2,v4"), ::testing::ElementsAre("v6e:2x2", "v4:2x2x1"));
  EXPECT_EQ(Names("all").size(), 5u);
}

TEST(Topology, UnknownNamesAreRefusedWithTheKnownOnes) {
  for (const char* bad : {"", "v5e:1x1", "v5e:2x2,", ",v4", "v5e:2x2 ", "tpu\n"}) {
    EXPECT_THAT(Names(bad), ::testing::ElementsAre(::testing::StartsWith("no topology is called '"))) << bad;
  }
  EXPECT_THAT(Names("v9"), ::testing::ElementsAre("no topology is called 'v9'; there are v4:2x2x1, v5e:2x2, v5p:2x2x1, v6e:2x2, tpu7x:2x2x1, and all"));
}

TEST(Topology, EachHasAChip) {
  for (const Topology& topology : AllTopologies()) EXPECT_TRUE(core::FindChip(topology.chip)) << topology.name;
}

}  // namespace
}  // namespace kernel_audit::target
