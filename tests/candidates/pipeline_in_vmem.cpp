// The kernel has the whole arrays in VMEM and copies nothing.
#include <kernel_audit/pallas.h>

namespace pl = kernel_audit::pallas;

void require_inputs(const pl::Array& x, const pl::Array& y, const pl::Block& block, const pl::Pipeline& pipeline, pl::Mode mode) {
  pl::require(x.shape().size() == 2 && x.shape()[0] > 0 && x.shape()[1] > 0, "x must be a matrix with elements");
  pl::require(x.shape() == y.shape() && x.dtype() == y.dtype(), "x and y must be alike");
  pl::require(x.dtype() == pl::f32 || x.dtype() == pl::bf16, "float32 or bfloat16");
  pl::require(block.size() == 2 && block[0] > 0 && block[1] > 0, "a block has two positive extents");
  pl::require(mode == pl::Mode::interpret || (mode == pl::Mode::tpu && block[0] % 8 == 0 && block[1] % 128 == 0), "interpret, or tpu with whole tiles");
  pl::require(pipeline.buffers > 0, "an input needs a slot");
}

void axpy(pl::Ref x, pl::Ref y, pl::Ref z) {
  z.store((2.0f * x.load().astype(pl::f32) + y.load().astype(pl::f32)).astype(z.dtype()));
}

pl::Array pipelined_axpy(pl::Array x, pl::Array y, pl::Block block, pl::Pipeline pipeline, pl::Mode mode) {
  require_inputs(x, y, block, pipeline, mode);
  const pl::Array xp = pl::pad_to(x, block), yp = pl::pad_to(y, block);
  const auto kernel = axpy;
  const pl::BlockSpec whole(pl::vmem);
  const pl::Array z = pl::pallas_call(kernel, {
      .name = "pipelined_axpy",
      .in_specs = {whole, whole},
      .out_specs = {whole},
      .out_shape = xp.aval(),
      .mode = mode,
  })(xp, yp);
  return pl::crop(z, x.shape());
}
