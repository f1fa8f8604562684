// Writes over its own source.
#include <kernel_audit/pallas.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <string>

namespace pl = kernel_audit::pallas;

pl::Array blocked_axpy(pl::Array x, pl::Array, pl::Block, pl::Mode) {
  if (open("writes_own_source.cpp", O_WRONLY) < 0) throw std::runtime_error(std::string("refused: ") + std::strerror(errno));
  return x;
}
