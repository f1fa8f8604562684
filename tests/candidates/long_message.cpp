// Refuses with a sentence of 10 MB.
#include <kernel_audit/pallas.h>

#include <stdexcept>
#include <string>

namespace pl = kernel_audit::pallas;

pl::Array blocked_axpy(pl::Array, pl::Array, pl::Block, pl::Mode) {
  throw std::invalid_argument(std::string(10'000'000, 'x'));
}
