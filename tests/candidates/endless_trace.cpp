// Never returns.
#include <kernel_audit/pallas.h>

namespace pl = kernel_audit::pallas;

pl::Array blocked_axpy(pl::Array, pl::Array, pl::Block, pl::Mode) {
  for (volatile int i = 0;; i = i + 1) {
  }
}
