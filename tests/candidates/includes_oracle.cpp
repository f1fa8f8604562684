// Includes the oracle.
#include <kernel_audit/pallas.h>

namespace pl = kernel_audit::pallas;

#include <kernel_audit/check/oracle.h>
