#include "kernel_audit/ir/kernel.h"

namespace kernel_audit::ir {

const char* Name(DimensionSemantics semantics) {
  switch (semantics) {
    case DimensionSemantics::kArbitrary: return "arbitrary";
    case DimensionSemantics::kParallel: return "parallel";
    case DimensionSemantics::kCoreParallel: return "core_parallel";
  }
  return "?";
}

Value* Kernel::NewValue(Type type) {
  values_.push_back({std::move(type), nullptr, num_values()});
  return &values_.back();
}

Op* Kernel::NewOp(OpCode code) {
  ops_.push_back(Op{code, {}, {}, {}, {}, {}});
  return &ops_.back();
}

Region* Kernel::NewRegion() { return &regions_.emplace_back(); }

}  // namespace kernel_audit::ir
