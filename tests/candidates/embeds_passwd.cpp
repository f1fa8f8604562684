// Has the assembler take in the system's users.
#include <kernel_audit/pallas.h>

namespace pl = kernel_audit::pallas;

asm(".incbin \"/etc/passwd\"");
