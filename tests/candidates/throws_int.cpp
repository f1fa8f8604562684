// Throws something that is no exception.
#include <kernel_audit/pallas.h>

namespace pl = kernel_audit::pallas;

pl::Array blocked_axpy(pl::Array, pl::Array, pl::Block, pl::Mode) {
  throw 1;
}
