// The four grounds on which this project says anything. Nothing turns one into another.
#pragma once

#include <array>
#include <string_view>

namespace kernel_audit::simulated {
class Simulator;
}
namespace kernel_audit::target {
class CompilerRun;
class BenchmarkRun;
}

namespace kernel_audit::evidence {

enum class Tier {
  kEstimate,   // follows from a configuration alone
  kSimulated,  // a CPU simulated the program: values, races, bounds, ownership, traffic; steps, never seconds
  kCompiled,   // libtpu's compiler said so, with no device: sizes and a static schedule, never a time
  kExecuted,   // a device ran it: values and times
};

inline constexpr std::array<Tier, 4> kTiers = {Tier::kEstimate, Tier::kSimulated, Tier::kCompiled, Tier::kExecuted};

// "simulated", as documents and folders spell it.
constexpr std::string_view Name(Tier tier) {
  switch (tier) {
    case Tier::kEstimate: return "estimate";
    case Tier::kSimulated: return "simulated";
    case Tier::kCompiled: return "compiled";
    case Tier::kExecuted: return "executed";
  }
  return "";
}

// Held by whoever did what the tier stands for; only that class can make one. A Witness of one tier is no ground for another.
template <Tier tier>
class Witness;

// A configuration is at everybody's hand.
template <>
class Witness<Tier::kEstimate> {};

template <>
class Witness<Tier::kSimulated> {
  Witness() = default;
  friend class simulated::Simulator;
};

template <>
class Witness<Tier::kCompiled> {
  Witness() = default;
  friend class target::CompilerRun;
};

template <>
class Witness<Tier::kExecuted> {
  Witness() = default;
  friend class target::BenchmarkRun;
};

}  // namespace kernel_audit::evidence
