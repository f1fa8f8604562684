// Includes the system's users.
#include <kernel_audit/pallas.h>

namespace pl = kernel_audit::pallas;

#include "/etc/passwd"
