// One untrusted kernel body through everything that reads or runs it: the readers, the verifier, the decoder and a short run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel_audit/import/kernel_call.h"

namespace kernel_audit::fuzz {

// The kernels' calls of the golden modules, in the order of their files' names.
const std::vector<import::KernelCall>& GoldenCalls();

// The first byte chooses the call whose arrays the kernel gets; the rest is the body. Nothing may crash, hang or throw.
void TryBody(const std::uint8_t* data, std::size_t size);

}  // namespace kernel_audit::fuzz
