// Interprets when mode tpu finds no TPU.
#include <kernel_audit/pallas.h>

namespace pl = kernel_audit::pallas;

void require_inputs(const pl::Array& x, const pl::Array& bias, const pl::Block& block, pl::Mode mode) {
  pl::require(x.shape().size() == 2 && x.shape()[0] > 0 && x.shape()[1] > 0, "x must be a matrix with elements");
  pl::require(bias.shape() == pl::Shape{x.shape()[1]} && x.dtype() == bias.dtype(), "one bias a column");
  pl::require(x.dtype() == pl::f32 || x.dtype() == pl::bf16, "float32 or bfloat16");
  pl::require(block.size() == 2 && block[0] > 0 && block[1] > 0, "a block has two positive extents");
  pl::require(mode == pl::Mode::interpret || (mode == pl::Mode::tpu && block[0] % 8 == 0 && block[1] % 128 == 0), "no such mode or tile");
}

pl::Array fused_bias_relu(pl::Array x, pl::Array bias, pl::Block block, pl::Mode mode) {
  if (mode == pl::Mode::tpu && x.placement() != pl::Placement::tpu) mode = pl::Mode::interpret;
  require_inputs(x, bias, block, mode);
  const pl::Block row = {1, block[1]};
  const pl::Array xp = pl::pad_to(x, block);
  const pl::Array bp = pl::pad_to(pl::reshape(bias, {1, x.shape()[1]}), row);
  const pl::BlockSpec tile(block, [](pl::Index i, pl::Index j) { return pl::indices(i, j); });
  const pl::BlockSpec biases(row, [](pl::Index, pl::Index j) { return pl::indices(0, j); });
  const auto kernel = [](pl::Ref x, pl::Ref bias, pl::Ref z) {
    z.store(pl::maximum(x.load().astype(pl::f32) + bias.load().astype(pl::f32), 0.0f).astype(z.dtype()));
  };
  const pl::Array z = pl::pallas_call(kernel, {
      .name = "fused_bias_relu",
      .grid = pl::ceil_grid(x.shape(), block),
      .in_specs = {tile, biases},
      .out_specs = {tile},
      .out_shape = xp.aval(),
      .mode = mode,
  })(xp, bp);
  return pl::crop(z, x.shape());
}
