#include "kernel_audit/trace/host_program.h"

#include "kernel_audit/trace/trace_error.h"

namespace kernel_audit::trace {

HostNode* HostProgram::Add(HostNode node) {
  for (const HostNode* operand : node.operands) {
    if (!operand->placed) continue;
    if (node.placed && operand->placement != node.placement) {
      const bool call = node.kind == HostNode::Kind::kKernelCall;
      Misuse(call ? "pallas_call" : node.name.c_str(), "one operand lies on a TPU and another one doesn't; place both on one device", node.here);
    }
    node.placed = true;
    node.placement = operand->placement;
  }
  return &nodes_.emplace_back(std::move(node));
}

HostNode* HostProgram::Parameter(core::ArrayType type, pallas::Placement placement) {
  HostNode node;
  node.kind = HostNode::Kind::kParameter;
  node.type = std::move(type);
  node.placed = true;
  node.placement = placement;
  node.index = static_cast<int>(parameters_.size());
  parameters_.push_back(Add(std::move(node)));
  return parameters_.back();
}

HostNode* HostProgram::Operation(std::string name, core::ArrayType type, std::vector<HostNode*> operands, std::string detail, Here here) {
  HostNode node;
  node.type = std::move(type);
  node.operands = std::move(operands);
  node.name = std::move(name);
  node.detail = std::move(detail);
  node.here = here;
  return Add(std::move(node));
}

std::vector<HostNode*> HostProgram::Call(std::unique_ptr<ir::Kernel> kernel, std::vector<HostNode*> operands, Here here) {
  HostNode call;
  call.kind = HostNode::Kind::kKernelCall;
  call.operands = std::move(operands);
  call.name = kernel->name;
  call.kernel = kernel.get();
  call.here = here;
  HostNode* added = Add(std::move(call));
  std::vector<HostNode*> results;
  for (std::size_t i = 0; i < kernel->outputs.size(); ++i) {
    HostNode result;
    result.kind = HostNode::Kind::kKernelResult;
    result.type = kernel->outputs[i];
    result.operands = {added};
    result.index = static_cast<int>(i);
    result.here = here;
    results.push_back(Add(std::move(result)));
  }
  kernels_.push_back(std::move(kernel));
  return results;
}

}  // namespace kernel_audit::trace
