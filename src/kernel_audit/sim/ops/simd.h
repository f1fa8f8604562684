// The instruction sets that the operations are compiled for: the compiler's baseline, AVX2 and AVX-512 on x86. Loops are plain C++ and
// the compiler vectorises them; Highway compiles each file once a target and picks the best at run time. No result depends on the target.
// Include before any of Highway's headers.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)

#include <hwy/targets.h>
