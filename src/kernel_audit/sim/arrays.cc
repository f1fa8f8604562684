#include "kernel_audit/sim/arrays.h"

#include <algorithm>
#include <string>

namespace kernel_audit::sim {

Arrays::Arrays(const ir::Kernel& kernel, std::span<const std::byte* const> inputs, std::span<std::byte* const> outputs)
    : shared_(kernel.inputs.size(), nullptr), aliased_(kernel.outputs.size(), false) {
  for (std::size_t i = 0; i < kernel.outputs.size(); ++i) {
    outputs_.push_back(Buffer::On("output " + std::to_string(i), MemorySpace::kAny, kernel.outputs[i].shape, kernel.outputs[i].dtype, outputs[i]));
    outputs_.back().shadow.Reset(outputs_.back().elements, kUnwritten);
  }
  for (std::size_t i = 0; i < kernel.inputs.size(); ++i) {
    // Only read: a kernel that may write to an input works on a copy.
    inputs_.push_back(Buffer::On("input " + std::to_string(i), MemorySpace::kAny, kernel.inputs[i].shape, kernel.inputs[i].dtype,
                                 const_cast<std::byte*>(inputs[i])));
    inputs_.back().shadow.Reset(inputs_.back().elements, kValid);
  }
  const auto& unwritten = kernel.unwritten_inputs;
  for (const int input : unwritten) inputs_[static_cast<std::size_t>(input)].shadow.SetAll(kUnwritten);
  for (const auto& [input, output] : kernel.aliases) {
    Buffer& to = outputs_[static_cast<std::size_t>(output)];
    shared_[static_cast<std::size_t>(input)] = &to;
    if (std::find(unwritten.begin(), unwritten.end(), input) != unwritten.end()) continue;
    std::copy_n(inputs[static_cast<std::size_t>(input)], to.elements * to.element_size, to.data);
    to.shadow.SetAll(kValid);
    aliased_[static_cast<std::size_t>(output)] = true;
  }
}

}  // namespace kernel_audit::sim
