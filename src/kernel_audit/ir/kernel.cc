#include "kernel_audit/ir/kernel.h"

namespace kernel_audit::ir {

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
