// What a load or a store touches: shared by those who run them one at a time and those who run them in chains.
#pragma once

#include <array>
#include <vector>

#include "kernel_audit/sim/machine.h"
#include "kernel_audit/sim/program.h"

namespace kernel_audit::sim {

// A box of a reference: where its first element is told by registers.
struct AccessPayload : Payload {
  int reference = -1;
  std::vector<int> starts;
  std::array<std::int64_t, kMaxRank> sizes{};
  std::array<std::int64_t, kMaxRank> steps{1, 1, 1, 1, 1, 1, 1, 1};
  int mask = -1;                // the register of a store's mask
  ops::BinaryFn add = nullptr;  // a store that adds
  int value = -1;               // the register that is read into or written from
};

struct Box {
  std::array<std::int64_t, kMaxRank> start{};
  std::array<std::int64_t, kMaxRank> size{};
  const std::int64_t* steps = nullptr;
  bool inside = true;

  View Of(const View& view) const { return view.Strided(start.data(), size.data(), steps); }
};

}  // namespace kernel_audit::sim
