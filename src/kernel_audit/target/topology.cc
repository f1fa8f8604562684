#include "kernel_audit/target/topology.h"

#include <algorithm>

#include "kernel_audit/core/printable.h"

namespace kernel_audit::target {
namespace {

constexpr Topology kTopologies[] = {{"v4:2x2x1", "v4"}, {"v5e:2x2", "v5e"}, {"v5p:2x2x1", "v5p"}, {"v6e:2x2", "v6e"}, {"tpu7x:2x2x1", "7x"}};

core::Error Unknown(std::string_view name) {
  std::string known;
  for (const Topology& topology : kTopologies) known += (known.empty() ? "" : ", ") + std::string(topology.name);
  return {core::ErrorCode::kBadInput, "no topology is called '" + core::Printable(name) + "'; there are " + known + ", and all", {}};
}

}  // namespace

std::span<const Topology> AllTopologies() { return kTopologies; }

core::Result<std::vector<Topology>> ParseTopologies(std::string_view list) {
  if (list == "all") return std::vector<Topology>(std::begin(kTopologies), std::end(kTopologies));
  std::vector<Topology> topologies;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string_view name = list.substr(at, end - at);
    const auto found = std::find_if(std::begin(kTopologies), std::end(kTopologies), [name](const Topology& t) { return t.name == name || t.chip == name; });
    if (found == std::end(kTopologies)) return tl::unexpected(Unknown(name));
    topologies.push_back(*found);
    at = end + 1;
  }
  return topologies;
}

}  // namespace kernel_audit::target
