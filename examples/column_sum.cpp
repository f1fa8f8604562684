// The sum of each column. Programs that follow each other visit one output block and add to it.
#include <kernel_audit/pallas.h>

namespace pl = kernel_audit::pallas;

// x is a float32 or bfloat16 matrix (m, n); the result is (1, n) in x's dtype, added up in float32 and rounded once.
pl::Array column_sum(pl::Array x, pl::Block block) {
  pl::require(x.shape().size() == 2, "column_sum takes a matrix");
  const pl::Array xp = pl::pad_to(x, block);  // zeros, which change no sum

  const auto kernel = [](pl::Ref x, pl::Ref total) {
    // Nobody has written the output block when its first program begins.
    pl::when(pl::program_id(1) == 0, [&] { total.store(0.0f); });
    total.store(total.load() + pl::sum(x.load().astype(pl::f32), 0, true));
  };

  // The rows are the last grid dimension: with the columns last, each output block would be left and come back, and what was added
  // before would be lost.
  const pl::Array total = pl::pallas_call(kernel, {
      .name = "column_sum",
      .grid = {xp.shape()[1] / block[1], xp.shape()[0] / block[0]},
      .in_specs = {pl::BlockSpec(block, [](pl::Index j, pl::Index i) { return pl::indices(i, j); })},
      .out_specs = {pl::BlockSpec({1, block[1]}, [](pl::Index j, pl::Index) { return pl::indices(0, j); })},
      .out_shape = pl::ShapeDtype{{1, xp.shape()[1]}, pl::f32},
      .dimension_semantics = {pl::parallel, pl::arbitrary},
  })(xp);
  return pl::crop(total, {1, x.shape()[1]}).astype(x.dtype());
}
