#include "kernel_audit/sim/float_environment.h"

#include <xmmintrin.h>

namespace kernel_audit::sim {
namespace {

constexpr unsigned kDefault = 0x1f80;  // all exceptions masked, to nearest
constexpr unsigned kFlushResults = 0x8000, kFlushInputs = 0x0040;

}  // namespace

FloatEnvironment::FloatEnvironment(Subnormals subnormals) : before_(_mm_getcsr()) {
  _mm_setcsr(subnormals == Subnormals::kFlush ? kDefault | kFlushResults | kFlushInputs : kDefault);
}

FloatEnvironment::~FloatEnvironment() { _mm_setcsr(before_); }

}  // namespace kernel_audit::sim
