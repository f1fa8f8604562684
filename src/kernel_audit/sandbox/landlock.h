// File access through Landlock, for kernels with ABI 1 and newer; each right is used from the ABI that has it.
// Source of the numbers: the kernel's documentation of its Landlock interface; older system headers lack the newer ones.
#pragma once

#include <filesystem>
#include <vector>

#include "kernel_audit/core/error.h"
#include "kernel_audit/sandbox/descriptor.h"

namespace kernel_audit::sandbox {

// The kernel's Landlock ABI, 0 when there is none.
int LandlockAbi();

// A ruleset that lets a process read and execute below `readable`, do anything but execute below `writable` (empty: nowhere), use
// /dev/null, and nothing else: no TCP from ABI 4, no signal or abstract socket to the outside from ABI 6. kRefused when `abi` is 0.
core::Result<Descriptor> MakeRuleset(const std::vector<std::filesystem::path>& readable, const std::filesystem::path& writable, int abi);

// Puts the calling thread under the ruleset for good. Returns 0 or an errno; makes system calls only.
int EnterRuleset(int ruleset_fd);

}  // namespace kernel_audit::sandbox
