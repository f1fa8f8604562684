// Takes memory without end.
#include <kernel_audit/pallas.h>

#include <memory>
#include <vector>

namespace pl = kernel_audit::pallas;

pl::Array blocked_axpy(pl::Array, pl::Array, pl::Block, pl::Mode) {
  // Not touched: the limit is on addresses, and clearing a gigabyte takes longer than a candidate has.
  std::vector<std::unique_ptr<char[]>> all;
  for (;;) all.push_back(std::make_unique_for_overwrite<char[]>(1 << 20));
}
