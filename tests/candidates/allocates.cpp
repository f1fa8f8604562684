// Takes memory without end.
#include <kernel_audit/pallas.h>

#include <vector>

namespace pl = kernel_audit::pallas;

pl::Array blocked_axpy(pl::Array, pl::Array, pl::Block, pl::Mode) {
  std::vector<std::vector<char>> all;
  for (;;) all.emplace_back(1 << 20);
}
