// A semicolon is missing.
#include <kernel_audit/pallas.h>

namespace pl = kernel_audit::pallas;

pl::Array blocked_axpy(pl::Array x, pl::Array, pl::Block, pl::Mode) {
  const int a = 1
  return x;
}
