// Leaves with status 0 before main.
#include <kernel_audit/pallas.h>

#include <cstdlib>

namespace pl = kernel_audit::pallas;

struct Leave {
  Leave() { std::exit(0); }
} leave;
