// The system calls that a confined program may make, as a seccomp filter.
#pragma once

#include <linux/filter.h>
#include <sys/types.h>

#include <span>
#include <vector>

#include "kernel_audit/core/error.h"

namespace kernel_audit::sandbox {

// For a tool that starts others (`may_start_processes`): everything but a list of dangers, which answer EPERM.
// For a single process: only a list of harmless calls. Dangers answer EPERM, unknown calls ENOSYS, as an older kernel would; a program
// start is put before whoever holds the filter's listener and answers ENOSYS once that is closed; a signal may go to `tgkill`'s own
// process only, whose id SetOwnPid must write into the filter first.
// Both: no sockets, no new namespaces, no tracing, no clone3 (its flags cannot be seen), native calls only.
core::Result<std::vector<sock_filter>> MakeFilter(bool may_start_processes);

// Makes system calls and writes to `filter` only: may run after a fork.
void SetOwnPid(std::span<sock_filter> filter, pid_t pid);

// Puts the calling thread under the filter. Returns 0 or an errno in `error`; with `wants_listener` the listener's descriptor (closed on
// exec) or -1.
int EnterFilter(std::span<sock_filter> filter, bool wants_listener, int& error);

// Waits for the first program start below the filter, lets it go on and closes the listener.
void LetOneStart(int listener);

}  // namespace kernel_audit::sandbox
