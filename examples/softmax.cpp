// Softmax of each row. A block holds whole rows; the columns that padding added are masked.
#include <kernel_audit/pallas.h>

#include <limits>

namespace pl = kernel_audit::pallas;

// x is a float32 or bfloat16 matrix; `rows` of it make one block. The result has x's dtype.
pl::Array softmax(pl::Array x, std::int64_t rows) {
  pl::require(x.shape().size() == 2, "softmax takes a matrix");
  const std::int64_t columns = x.shape()[1];
  const std::int64_t padded = pl::cdiv(columns, 128) * 128;
  const pl::Block block = {rows, padded};
  const pl::Array xp = pl::pad_to(x, block);
  const pl::BlockSpec whole_rows(block, [](pl::Index i) { return pl::indices(i, 0); });

  const auto kernel = [columns](pl::Ref x, pl::Ref z) {
    // A zero would add exp(0) to the row's sum; minus infinity adds nothing and is never the maximum.
    const pl::Value inside = pl::iota(x.shape(), 1) < columns;
    const pl::Value v = pl::where(inside, x.load().astype(pl::f32), -std::numeric_limits<float>::infinity());
    const pl::Value e = pl::exp(v - pl::max(v, -1, true));
    z.store((e / pl::sum(e, -1, true)).astype(z.dtype()));
  };

  const pl::Array z = pl::pallas_call(kernel, {
      .name = "softmax",
      .grid = {pl::cdiv(x.shape()[0], rows)},
      .in_specs = {whole_rows},
      .out_specs = {whole_rows},
      .out_shape = xp.aval(),
  })(xp);
  return pl::crop(z, x.shape());
}
