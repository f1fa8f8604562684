// Takes some time for each request and then crashes.
#include <kernel_audit/pallas.h>

#include <unistd.h>

#include <cstdlib>

namespace pl = kernel_audit::pallas;

pl::Array blocked_axpy(pl::Array, pl::Array, pl::Block, pl::Mode) {
  usleep(400'000);
  std::abort();
}
