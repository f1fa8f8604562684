// Calls itself without end.
#include <kernel_audit/pallas.h>

namespace pl = kernel_audit::pallas;

int deeper(int depth) { return depth < 0 ? 0 : 1 + deeper(depth + 1) + deeper(depth + 2); }

pl::Array blocked_axpy(pl::Array x, pl::Array, pl::Block, pl::Mode) {
  return deeper(0) > 0 ? x : pl::Array();
}
