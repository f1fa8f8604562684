// The patterns of docs/races.md as kernels: each in a form with the fault and in one that differs by as little as possible and is right.
// All take one float32 array of (32, 128) and give one of the same shape, or as the pattern says.
#pragma once

#include <string>
#include <vector>

#include "simulate.h"

namespace kernel_audit::testing {

// The lines of the two accesses of a race (`later` is also where any other finding is), written down while the kernel is traced.
struct MarkedLines {
  int later = 0, earlier = 0;
};

struct ExpectedSide {
  std::string agent;  // how the agent's text begins
  bool write = false;
  std::string region;
  int MarkedLines::* line;
  Shape grid_point = {};
};

struct ExpectedFinding {
  sim::FindingKind kind;
  std::string buffer;
  std::vector<ExpectedSide> sides = {};  // of a race: two
};

struct Pattern {
  std::string number, what;
  pl::Array (*kernel)(const pl::Array& x, bool faulty, MarkedLines& lines);
  std::vector<ExpectedFinding> expected;  // of the faulty form, in this order; empty: there is only the right form
  int cores = 1;
  std::string pair;  // what meets what, in words
  std::string jax;   // what JAX 0.9.2's own detector was measured to do; empty: not measured for this pattern
};

const std::vector<Pattern>& Patterns();
// Right programs that look like wrong ones.
const std::vector<Pattern>& CleanPatterns();

HostArray PatternInput();
Kernel TracePattern(const Pattern& pattern, bool faulty, MarkedLines& lines);

// Early, late, five random ones.
struct NamedSchedule {
  std::string name;
  sim::Schedule schedule;
};
const std::vector<NamedSchedule>& Schedules();

}  // namespace kernel_audit::testing
