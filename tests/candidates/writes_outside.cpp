// Writes a file beside its folder.
#include <kernel_audit/pallas.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <string>

namespace pl = kernel_audit::pallas;

pl::Array blocked_axpy(pl::Array x, pl::Array, pl::Block, pl::Mode) {
  if (open("../../kernel-audit-planted", O_WRONLY | O_CREAT, 0600) < 0) throw std::runtime_error(std::string("refused: ") + std::strerror(errno));
  return x;
}
