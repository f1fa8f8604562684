#include "kernel_audit/check/kernel_rules.h"

#include <algorithm>
#include <functional>

namespace kernel_audit::check {
namespace {

using ir::OpCode;

using Visit = std::function<void(const ir::Op&)>;

void ForEachOp(const ir::Region& region, const Visit& visit) {
  for (const ir::Op* op : region.ops) {
    visit(*op);
    for (const ir::Region* inner : op->regions) ForEachOp(*inner, visit);
  }
}

bool IsArithmetic(OpCode code) { return code == OpCode::kAddF || code == OpCode::kSubF || code == OpCode::kMulF || code == OpCode::kDivF; }

bool Computes(const ir::Kernel& kernel) {
  bool computes = false;
  ForEachOp(*kernel.body, [&](const ir::Op& op) {
    computes = computes || IsArithmetic(op.code);
  });
  return computes;
}

// The first operation that rounds to less than float32.
const ir::Op* LowPrecision(const ir::Kernel& kernel) {
  const ir::Op* found = nullptr;
  ForEachOp(*kernel.body, [&](const ir::Op& op) {
    if (found == nullptr && IsArithmetic(op.code) && core::ByteSize(op.result()->type.dtype) < 4) found = &op;
  });
  return found;
}

// Through slices and copies too.
bool IsRead(const ir::Kernel& kernel, const ir::Value* reference) {
  bool read = false;
  ForEachOp(*kernel.body, [&](const ir::Op& op) {
    if (read || std::find(op.operands.begin(), op.operands.end(), reference) == op.operands.end()) return;
    const bool derives = op.code == OpCode::kRefSlice || op.code == OpCode::kRefSqueeze;
    read = derives ? IsRead(kernel, op.result()) : op.info().effect == ir::Effect::kRead || op.info().effect == ir::Effect::kSync;
  });
  return read;
}

double Elements(const core::Shape& shape) {
  const std::int64_t count = core::CheckedNumElements(shape);
  return count < 0 ? 1e18 : static_cast<double>(count);
}

double ValueElements(const ir::Kernel& kernel) {
  double elements = 0;
  ForEachOp(*kernel.body, [&](const ir::Op& op) {
    for (const ir::Value* result : op.results) elements += result->type.is_vector() ? Elements(result->type.shape) : 0;
  });
  return elements;
}

std::string Number(double value) { return std::to_string(static_cast<std::int64_t>(value)); }

std::string WorkProblem(const ir::Kernel& kernel) {
  constexpr const char* kRule = "; it must load both inputs and do the arithmetic itself";
  if (kernel.inputs.size() < 2) return "the kernel takes " + std::to_string(kernel.inputs.size()) + " input" + kRule;
  for (std::size_t i = 0; i < 2; ++i) {
    const ir::Value* reference = kernel.body->arguments[kernel.grid.size() + i];
    if (!IsRead(kernel, reference)) return "the kernel never loads input " + std::to_string(i) + kRule;
  }
  return Computes(kernel) ? "" : std::string("the kernel neither adds nor multiplies, it only copies") + kRule;
}

// Fetching and writing back windows is work too, and no instruction's.
double WindowElements(const ir::Kernel& kernel) {
  double elements = 1;
  for (const auto& window : kernel.windows) elements += window ? Elements(window->block_shape) : 0;
  return elements * Elements(kernel.grid);
}

std::string SizeProblem(const ir::Kernel& kernel) {
  if (const double elements = WindowElements(kernel); elements > static_cast<double>(kWorkLimit)) {
    return "a grid of " + core::ToString(kernel.grid) + " moves " + Number(elements) + " elements of windows, the limit is " + std::to_string(kWorkLimit);
  }
  if (const double elements = ValueElements(kernel); elements > static_cast<double>(kWorkLimit)) {
    return "the kernel's values have " + Number(elements) + " elements, the limit is " + std::to_string(kWorkLimit);
  }
  return "";
}

}  // namespace

std::string KernelProblem(const ir::Kernel& kernel) {
  if (const ir::Op* op = LowPrecision(kernel)) {
    return (op->location.known() ? op->location.ToString() + ": " : "") + std::string(op->info().name) + " computes in " +
           std::string(core::Name(op->result()->type.dtype)) + "; the arithmetic must be in float32, with one cast at the end";
  }
  std::string problem = WorkProblem(kernel);
  if (problem.empty()) problem = SizeProblem(kernel);
  return problem.empty() || !kernel.location.known() ? problem : kernel.location.ToString() + ": " + problem;
}

}  // namespace kernel_audit::check
