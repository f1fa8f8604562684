// Lists the root folder.
#include <kernel_audit/pallas.h>

#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <stdexcept>
#include <string>

namespace pl = kernel_audit::pallas;

pl::Array blocked_axpy(pl::Array x, pl::Array, pl::Block, pl::Mode) {
  if (opendir("/") == nullptr) throw std::runtime_error(std::string("refused: ") + std::strerror(errno));
  return x;
}
