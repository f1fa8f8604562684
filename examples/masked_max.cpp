// The maximum of each row, over several blocks of columns. Zero padding would be wrong here: it would beat every negative number.
#include <kernel_audit/pallas.h>

#include <limits>

namespace pl = kernel_audit::pallas;

// x is a float32 or bfloat16 matrix (m, n); the result is (m, 1) in x's dtype. A NaN anywhere in a row is its maximum.
pl::Array masked_max(pl::Array x, pl::Block block) {
  pl::require(x.shape().size() == 2, "masked_max takes a matrix");
  const pl::Array xp = pl::pad_to(x, block);
  const std::int64_t columns = x.shape()[1], width = block[1];

  const auto kernel = [columns, width](pl::Ref x, pl::Ref best) {
    constexpr float lowest = -std::numeric_limits<float>::infinity();
    const pl::Index j = pl::program_id(1);
    pl::when(j == 0, [&] { best.store(lowest); });
    const pl::Value column = j * width + pl::iota(x.shape(), 1);
    const pl::Value v = pl::where(column < columns, x.load().astype(pl::f32), lowest);
    best.store(pl::maximum(best.load(), pl::max(v, 1, true)));
  };

  // Every program of a row of blocks has the same output block; the columns come last in the grid, so that these programs follow each
  // other and the block stays in VMEM between them.
  const pl::Array best = pl::pallas_call(kernel, {
      .name = "masked_max",
      .grid = pl::ceil_grid(x.shape(), block),
      .in_specs = {pl::BlockSpec(block, [](pl::Index i, pl::Index j) { return pl::indices(i, j); })},
      .out_specs = {pl::BlockSpec({block[0], 1}, [](pl::Index i, pl::Index) { return pl::indices(i, 0); })},
      .out_shape = pl::ShapeDtype{{xp.shape()[0], 1}, pl::f32},
      .dimension_semantics = {pl::parallel, pl::arbitrary},
  })(xp);
  // Exact: a maximum is one of its operands.
  return pl::crop(best, {x.shape()[0], 1}).astype(x.dtype());
}
