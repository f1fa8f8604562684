// Starts a second process.
#include <kernel_audit/pallas.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace pl = kernel_audit::pallas;

pl::Array blocked_axpy(pl::Array x, pl::Array, pl::Block, pl::Mode) {
  if (fork() < 0) throw std::runtime_error(std::string("refused: ") + std::strerror(errno));
  return x;
}
