// Includes the oracle's source by its path.
#include <kernel_audit/pallas.h>

namespace pl = kernel_audit::pallas;

#include "@SOURCE_DIR@/src/kernel_audit/check/oracle.cc"
