// The host program being traced: StableHLO operations and kernel calls, as a graph. Its text is written by walking back from the
// results, so it does not depend on the order in which C++ evaluated an expression.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "kernel_audit/ir/kernel.h"
#include "kernel_audit/trace/array.h"
#include "kernel_audit/trace/graph.h"

namespace kernel_audit::trace {

struct HostNode {
  enum class Kind { kParameter, kConstant, kOperation, kKernelCall, kKernelResult };

  Kind kind = Kind::kOperation;
  core::ArrayType type;
  bool placed = false;  // it depends on a parameter, so it lies where the parameter does
  pallas::Placement placement = pallas::Placement::cpu;
  std::vector<HostNode*> operands;  // kKernelResult: the call
  std::string name;                 // kOperation: "pad"; kConstant: the literal
  std::string detail;               // kOperation: what stands between operands and types
  const ir::Kernel* kernel = nullptr;
  int index = 0;  // kParameter, kKernelResult: which one
  Here here;
};

class HostProgram {
 public:
  explicit HostProgram(std::string name) : name_(std::move(name)) {}

  HostNode* Parameter(core::ArrayType type, pallas::Placement placement);
  HostNode* Operation(std::string name, core::ArrayType type, std::vector<HostNode*> operands, std::string detail, Here here);
  // A constant of rank 0. Throws TraceError("[what] ...") unless the number is a value of the dtype.
  HostNode* Constant(const char* what, core::DType dtype, double number, Here here);
  std::vector<HostNode*> Call(std::unique_ptr<ir::Kernel> kernel, std::vector<HostNode*> operands, Here here);

  // Keeps a graph alive, so that a value used after its kernel ended is noticed.
  Graph& Keep(std::unique_ptr<Graph> graph) { return *graphs_.emplace_back(std::move(graph)); }

  // The StableHLO module that computes `results`.
  std::string ModuleText(const std::vector<HostNode*>& results) const;

 private:
  HostNode* Add(HostNode node);

  std::string name_;
  std::deque<HostNode> nodes_;
  std::vector<HostNode*> parameters_;
  std::vector<std::unique_ptr<ir::Kernel>> kernels_;
  std::deque<std::unique_ptr<Graph>> graphs_;
};

}  // namespace kernel_audit::trace
