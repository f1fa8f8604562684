#include "kernel_audit/ir/type.h"

namespace kernel_audit::ir {
namespace {

std::string Extents(const Shape& shape) {
  std::string text;
  for (std::int64_t extent : shape) text += (extent == core::kDynamicExtent ? "?" : std::to_string(extent)) + "x";
  return text;
}

}  // namespace

const char* Name(MemorySpace space) {
  switch (space) {
    case MemorySpace::kAny: return "any";
    case MemorySpace::kHbm: return "hbm";
    case MemorySpace::kVmem: return "vmem";
    case MemorySpace::kSmem: return "smem";
    case MemorySpace::kSemaphore: return "semaphore_mem";
  }
  return "?";
}

std::string ToString(const Type& type) {
  const std::string element(core::MlirName(type.dtype));
  switch (type.kind) {
    case Type::Kind::kScalar: return element;
    case Type::Kind::kVector: return "vector<" + Extents(type.shape) + element + ">";
    case Type::Kind::kRef:
      return "memref<" + Extents(type.shape) + element + ", #tpu.memory_space<" + Name(type.space) + ">>";
  }
  return "?";
}

}  // namespace kernel_audit::ir
