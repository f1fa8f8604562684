// Matrix product in tiles: a float32 accumulator in scratch memory outlives the programs that add to it.
#include <kernel_audit/pallas.h>

namespace pl = kernel_audit::pallas;

// (m, k) x (k, n) -> (m, n) in float32, from float32 or bfloat16. `tile` is (rows, columns, depth) of one step.
pl::Array matmul(pl::Array x, pl::Array y, pl::Block tile) {
  pl::require(x.shape().size() == 2 && y.shape().size() == 2, "matmul takes two matrices");
  pl::require(x.shape()[1] == y.shape()[0], "x must have as many columns as y has rows");
  pl::require(tile.size() == 3, "a tile has 3 extents: rows, columns, depth");
  const auto rows = tile[0], columns = tile[1], depth = tile[2];

  // Zeros are a sum's neutral element: padded depth adds 0 x 0, padded rows and columns are cut off.
  const pl::Array xp = pl::pad_to(x, {rows, depth});
  const pl::Array yp = pl::pad_to(y, {depth, columns});
  const pl::Shape shape = {xp.shape()[0], yp.shape()[1]};

  const auto kernel = [](pl::Ref x, pl::Ref y, pl::Ref z, pl::Ref sum) {
    const pl::Index k = pl::program_id(2);
    pl::when(k == 0, [&] { sum.store(0.0f); });
    sum.store(sum.load() + pl::dot(x.load(), y.load()));
    pl::when(k == pl::num_programs(2) - 1, [&] { z.store(sum.load()); });
  };

  // The depth is the last grid dimension, so that the programs of one output tile follow each other.
  const pl::Array z = pl::pallas_call(kernel, {
      .name = "matmul",
      .grid = pl::ceil_grid({shape[0], shape[1], xp.shape()[1]}, tile),
      .in_specs = {pl::BlockSpec({rows, depth}, [](pl::Index i, pl::Index, pl::Index k) { return pl::indices(i, k); }),
                   pl::BlockSpec({depth, columns}, [](pl::Index, pl::Index j, pl::Index k) { return pl::indices(k, j); })},
      .out_specs = {pl::BlockSpec({rows, columns}, [](pl::Index i, pl::Index j, pl::Index) { return pl::indices(i, j); })},
      .out_shape = pl::ShapeDtype{shape, pl::f32},
      .scratch_shapes = {pl::VMEM({rows, columns}, pl::f32)},
      .dimension_semantics = {pl::parallel, pl::parallel, pl::arbitrary},
  })(xp, yp);
  return pl::crop(z, {x.shape()[0], y.shape()[1]});
}
