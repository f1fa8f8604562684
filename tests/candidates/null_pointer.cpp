// Writes through a null pointer.
#include <kernel_audit/pallas.h>

namespace pl = kernel_audit::pallas;

pl::Array blocked_axpy(pl::Array x, pl::Array, pl::Block, pl::Mode) {
  *static_cast<volatile int*>(nullptr) = 1;
  return x;
}
