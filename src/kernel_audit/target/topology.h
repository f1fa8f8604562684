// The devices that a kernel can be compiled for with none of them at hand.
// Source: names that libtpu 0.0.37 takes; a single chip's name is refused, and a program for one device compiles for these.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_audit/core/chip.h"
#include "kernel_audit/core/error.h"

namespace kernel_audit::target {

struct Topology {
  std::string_view name;  // "v5e:2x2", as libtpu spells it
  std::string_view chip;  // "v5e", as core/chip.h does
};

std::span<const Topology> AllTopologies();

// "all", or names with commas between them ("v5e:2x2,v6e:2x2"; a chip alone stands for its topology). kBadInput names the ones there are.
core::Result<std::vector<Topology>> ParseTopologies(std::string_view list);

}  // namespace kernel_audit::target
