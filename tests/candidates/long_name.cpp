// Gives its kernel a name of 2 MiB.
#include <kernel_audit/pallas.h>

#include <string>

namespace pl = kernel_audit::pallas;

void require_inputs(const pl::Array& x, const pl::Array& y, const pl::Block& block) {
  pl::require(x.shape().size() == 2 && x.shape()[0] > 0 && x.shape()[1] > 0, "x must be a matrix with elements");
  pl::require(x.shape() == y.shape() && x.dtype() == y.dtype(), "x and y must be alike");
  pl::require(x.dtype() == pl::f32 || x.dtype() == pl::bf16, "float32 or bfloat16");
  pl::require(block.size() == 2 && block[0] > 0 && block[1] > 0, "a block has two positive extents");
}

pl::Array blocked_axpy(pl::Array x, pl::Array y, pl::Block block, pl::Mode mode) {
  require_inputs(x, y, block);
  const pl::Array xp = pl::pad_to(x, block), yp = pl::pad_to(y, block);
  const pl::BlockSpec tile(block, [](pl::Index i, pl::Index j) { return pl::indices(i, j); });
  const auto kernel = [](pl::Ref x, pl::Ref y, pl::Ref z) {
    z.store((2.0f * x.load().astype(pl::f32) + y.load().astype(pl::f32)).astype(z.dtype()));
  };
  const pl::Array z = pl::pallas_call(kernel, {
      .name = std::string(2 << 20, 'x'),
      .grid = pl::ceil_grid(x.shape(), block),
      .in_specs = {tile, tile},
      .out_specs = {tile},
      .out_shape = xp.aval(),
      .mode = mode,
  })(xp, yp);
  return pl::crop(z, x.shape());
}
