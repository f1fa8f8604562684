// Computes outside of any kernel.
#include <kernel_audit/pallas.h>

namespace pl = kernel_audit::pallas;

void require_inputs(const pl::Array& x, const pl::Array& y, const pl::Block& block) {
  pl::require(x.shape().size() == 2 && x.shape()[0] > 0 && x.shape()[1] > 0, "x must be a matrix with elements");
  pl::require(x.shape() == y.shape() && x.dtype() == y.dtype(), "x and y must be alike");
  pl::require(x.dtype() == pl::f32 || x.dtype() == pl::bf16, "float32 or bfloat16");
  pl::require(block.size() == 2 && block[0] > 0 && block[1] > 0, "a block has two positive extents");
}

pl::Array blocked_axpy(pl::Array x, pl::Array y, pl::Block block, pl::Mode) {
  require_inputs(x, y, block);
  return (2.0f * x.astype(pl::f32) + y.astype(pl::f32)).astype(x.dtype());
}
