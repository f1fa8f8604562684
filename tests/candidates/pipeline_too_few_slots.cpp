// The next block is fetched into the one slot that the kernel still works on.
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
  const int columns = static_cast<int>(xp.shape()[1] / block[1]), steps = static_cast<int>(xp.shape()[0] / block[0]) * columns;
  const pl::DType dtype = x.dtype();
  const auto kernel = [&](pl::Ref x, pl::Ref y, pl::Ref z) {
    const auto part = [&](const pl::Ref& array, const pl::Value& t) {
      return array.at({pl::ds(t / columns * static_cast<int>(block[0]), block[0]), pl::ds(t % columns * static_cast<int>(block[1]), block[1])});
    };
    pl::run_scoped([&](pl::Ref xs, pl::Ref ys, pl::Ref zs, pl::Ref arrived) {
      pl::make_async_copy(x.at({pl::ds(0, block[0]), pl::ds(0, block[1])}), xs, arrived).start();
      pl::fori_loop(0, steps, [&](pl::Index t) {
        pl::make_async_copy(part(x, t), xs, arrived).wait();
        pl::when(t + 1 < steps, [&] { pl::make_async_copy(part(x, t + 1), xs, arrived).start(); });
        pl::sync_copy(part(y, t), ys);
        axpy(xs, ys, zs);
        pl::sync_copy(zs, part(z, t));
      });
    }, {pl::VMEM(block.shape(), dtype), pl::VMEM(block.shape(), dtype), pl::VMEM(block.shape(), dtype), pl::DMA()});
  };
  const pl::BlockSpec whole(pl::any);
  const pl::Array z = pl::pallas_call(kernel, {
      .name = "pipelined_axpy",
      .in_specs = {whole, whole},
      .out_specs = {whole},
      .out_shape = xp.aval(),
      .mode = mode,
  })(xp, yp);
  return pl::crop(z, x.shape());
}
