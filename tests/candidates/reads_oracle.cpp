// Reads the oracle's source while tracing.
#include <kernel_audit/pallas.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <string>

namespace pl = kernel_audit::pallas;

pl::Array blocked_axpy(pl::Array x, pl::Array, pl::Block, pl::Mode) {
  if (open("@SOURCE_DIR@/src/kernel_audit/check/oracle.cc", O_RDONLY) < 0) throw std::runtime_error(std::string("refused: ") + std::strerror(errno));
  return x;
}
