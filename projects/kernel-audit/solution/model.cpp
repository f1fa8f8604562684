// Three kernels over matrices whose sizes their blocks need not divide.
//
// All follow one plan: refuse what was never asked for, pad every array to whole blocks, work block by block, cut the padding off.
#include <kernel_audit/pallas.h>

#include <string>

namespace pl = kernel_audit::pallas;

namespace {

// Nothing is broadcast, converted or guessed: whoever calls with other arrays has made a mistake, and hears of it here.
void require_matrix(const pl::Array& x, const std::string& name) {
  pl::require(x.shape().size() == 2, name + " must be a matrix, it has " + std::to_string(x.shape().size()) + " dimensions");
  pl::require(x.shape()[0] > 0 && x.shape()[1] > 0, name + " must not be empty");
  pl::require(x.dtype() == pl::f32 || x.dtype() == pl::bf16, name + " must be float32 or bfloat16");
}

void require_same_matrices(const pl::Array& x, const pl::Array& y) {
  require_matrix(x, "x");
  require_matrix(y, "y");
  pl::require(x.shape() == y.shape(), "x and y must have one shape");
  pl::require(x.dtype() == y.dtype(), "x and y must have one dtype");
}

void require_block(const pl::Block& block, pl::Mode mode) {
  pl::require(block.size() == 2, "a block must have 2 dimensions, it has " + std::to_string(block.size()));
  pl::require(block[0] > 0 && block[1] > 0, "a block's extents must be positive");
  pl::require(mode == pl::Mode::interpret || mode == pl::Mode::tpu, "the mode must be interpret or tpu");
  // A TPU's registers hold 8 x 128 elements. Other shapes are not forbidden there; multiples of it are the family this model stands for.
  const bool whole_tiles = block[0] % 8 == 0 && block[1] % 128 == 0;
  pl::require(mode == pl::Mode::interpret || whole_tiles, "mode tpu wants blocks of multiples of 8 x 128");
}

// z = 2 x + y on one block.
void axpy(pl::Ref x, pl::Ref y, pl::Ref z) {
  const pl::Value scaled = 2.0f * x.load().astype(pl::f32);
  const pl::Value sum = scaled + y.load().astype(pl::f32);
  // The one rounding to z's dtype. Rounding 2 x first would lose bits that the sum still needs.
  z.store(sum.astype(z.dtype()));
}

}  // namespace

// z = 2 x + y.
pl::Array blocked_axpy(pl::Array x, pl::Array y, pl::Block block, pl::Mode mode) {
  require_same_matrices(x, y);
  require_block(block, mode);

  // A block that hangs over the edge would read what is not there, so the edge moves: zeros fill the last blocks. They are harmless
  // because every result element depends on its own x and y alone and the padded ones are cut off again. A reduction over a row or a
  // column is another matter: there a zero would join in (the maximum of negative numbers would be 0) and would have to be masked.
  const pl::Array xp = pl::pad_to(x, block);
  const pl::Array yp = pl::pad_to(y, block);

  // Program (i, j) owns block (i, j) of all three arrays: indices of blocks, not of elements.
  const pl::BlockSpec tile(block, [](pl::Index i, pl::Index j) { return pl::indices(i, j); });

  const pl::Array z = pl::pallas_call(axpy, {
      .name = "blocked_axpy",
      // Rounded up: a grid that rounds down has no program for the rows and columns after the last whole block.
      .grid = pl::ceil_grid(x.shape(), block),
      .in_specs = {tile, tile},
      .out_specs = {tile},
      .out_shape = xp.aval(),
      .mode = mode,
  })(xp, yp);
  return pl::crop(z, x.shape());
}

// z = max(x + bias[column], 0).
pl::Array fused_bias_relu(pl::Array x, pl::Array bias, pl::Block block, pl::Mode mode) {
  require_matrix(x, "x");
  pl::require(bias.shape().size() == 1, "bias must be a vector");
  pl::require(bias.shape()[0] == x.shape()[1], "bias must have one element a column of x");
  pl::require(bias.dtype() == x.dtype(), "bias must have x's dtype");
  require_block(block, mode);

  // As one row the bias can be cut along the same columns as the matrix.
  const pl::Block row = {1, block[1]};
  const pl::Array xp = pl::pad_to(x, block);
  const pl::Array bp = pl::pad_to(pl::reshape(bias, {1, x.shape()[1]}), row);

  // The matrix moves with both grid indices, the bias with the column only: every row of programs sees the same biases.
  const pl::BlockSpec tile(block, [](pl::Index i, pl::Index j) { return pl::indices(i, j); });
  const pl::BlockSpec biases(row, [](pl::Index, pl::Index j) { return pl::indices(0, j); });

  const auto kernel = [](pl::Ref x, pl::Ref bias, pl::Ref z) {
    const pl::Value sum = x.load().astype(pl::f32) + bias.load().astype(pl::f32);
    // pl::maximum keeps a NaN. `where(sum > 0, sum, 0)` would turn it into 0, because no comparison with a NaN holds.
    z.store(pl::maximum(sum, 0.0f).astype(z.dtype()));
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

// z = 2 x + y, by a kernel that fetches its own blocks: while it computes on one, the next are on their way.
pl::Array pipelined_axpy(pl::Array x, pl::Array y, pl::Block block, pl::Pipeline pipeline, pl::Mode mode) {
  require_same_matrices(x, y);
  require_block(block, mode);
  pl::require(pipeline.buffers >= 1, "an input needs at least one slot, not " + std::to_string(pipeline.buffers));

  const pl::Array xp = pl::pad_to(x, block);
  const pl::Array yp = pl::pad_to(y, block);

  // With n slots an input is fetched n - 1 steps ahead. An output never needs a third: its copy is awaited one step after it began.
  const pl::BlockSpec tile(block, [](pl::Index i, pl::Index j) { return pl::indices(i, j); });
  const pl::BlockSpec in = tile.buffered(pipeline.buffers), out = tile.buffered(2);

  const auto kernel = [&](pl::Ref x, pl::Ref y, pl::Ref z) {
    pl::emit_pipeline(axpy, {
        .grid = pl::ceil_grid(xp.shape(), block),
        .in_specs = {in, in},
        .out_specs = {out},
        .synchronous = pipeline.synchronous,
    })(x, y, z);
  };

  // One program, and whole arrays that stay in HBM: nothing moves but what the pipeline moves.
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
