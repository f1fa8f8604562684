// The whole arrays of a kernel's call, as every core sees them.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "kernel_audit/ir/kernel.h"
#include "kernel_audit/sim/memory.h"

namespace kernel_audit::sim {

class Arrays {
 public:
  // On memory of the caller. Inputs aliased to outputs are copied there and share it.
  Arrays(const ir::Kernel& kernel, std::span<const std::byte* const> inputs, std::span<std::byte* const> outputs);

  Buffer& input(std::size_t i) { return shared_[i] != nullptr ? *shared_[i] : inputs_[i]; }
  Buffer& output(std::size_t i) { return outputs_[i]; }
  // The input's memory is an output's.
  bool is_shared(std::size_t i) const { return shared_[i] != nullptr; }
  // The output began as an input.
  bool is_aliased(std::size_t i) const { return aliased_[i]; }

 private:
  std::deque<Buffer> inputs_, outputs_;
  std::vector<Buffer*> shared_;  // one an input
  std::vector<bool> aliased_;    // one an output
};

}  // namespace kernel_audit::sim
