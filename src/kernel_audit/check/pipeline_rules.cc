#include "kernel_audit/check/pipeline_rules.h"

namespace kernel_audit::check {
namespace {

int CountOps(const ir::Region& region, ir::OpCode code) {
  int count = 0;
  for (const ir::Op* op : region.ops) {
    count += op->code == code ? 1 : 0;
    for (const ir::Region* inner : op->regions) count += CountOps(*inner, code);
  }
  return count;
}

bool IsInHbm(const ir::Type& type) { return type.space == ir::MemorySpace::kAny || type.space == ir::MemorySpace::kHbm; }

// The first operand that the kernel does not see as a whole array in HBM; empty: none.
std::string OperandElsewhere(const ir::Kernel& kernel) {
  const std::size_t first = kernel.grid.size(), inputs = kernel.inputs.size();
  for (std::size_t i = 0; i < inputs + kernel.outputs.size(); ++i) {
    const bool output = i >= inputs;
    const std::string name = (output ? "output " : "input ") + std::to_string(output ? i - inputs : i);
    if (i < kernel.windows.size() && kernel.windows[i]) return name + " is cut into blocks of " + core::ToString(kernel.windows[i]->block_shape) + " by the pallas_call";
    const ir::Type& type = kernel.body->arguments[first + i]->type;
    if (!IsInHbm(type)) return name + " lies in " + ir::Name(type.space);
  }
  return "";
}

}  // namespace

std::string PipelineProblem(const ir::Kernel& kernel) {
  const std::string place = kernel.location.known() ? kernel.location.ToString() + ": " : "";
  if (const std::string elsewhere = OperandElsewhere(kernel); !elsewhere.empty()) {
    return place + elsewhere + "; in a pipeline the outer call holds whole arrays in HBM, pl::BlockSpec(pl::any), and the kernel fetches its own blocks";
  }
  const int starts = CountOps(*kernel.body, ir::OpCode::kEnqueueDma), waits = CountOps(*kernel.body, ir::OpCode::kWaitDma);
  if (starts == 0 || waits == 0) {
    return place + "the kernel has " + std::to_string(starts) + " places that start a DMA and " + std::to_string(waits) + " that wait for one; a pipeline has both (pl::emit_pipeline)";
  }
  return "";
}

std::int64_t ModelledBufferBytes(const worker::TraceRequest& request) {
  const core::ArrayType block{request.inputs[0].dtype, request.block};
  return (2 * std::int64_t{request.buffers} + kOutputSlots) * static_cast<std::int64_t>(block.byte_size());
}

std::int64_t PipelineSteps(const worker::TraceRequest& request) {
  std::int64_t steps = 1;
  for (std::size_t d = 0; d < request.block.size(); ++d) steps *= (request.inputs[0].shape[d] + request.block[d] - 1) / request.block[d];
  return steps;
}

std::string DescribePipeline(const worker::TraceRequest& request) {
  const std::string slots = std::to_string(request.buffers) + (request.buffers == 1 ? " input slot" : " input slots");
  return request.synchronous ? "synchronous copies, " + slots : slots;
}

}  // namespace kernel_audit::check
