// Two small computations whose data types and inputs are under audit.
#include <kernel_audit/pallas.h>

#include <cstdint>
#include <optional>
#include <string>

namespace pl = kernel_audit::pallas;

// x times weights. The weights are stored as bfloat16, which halves their memory, and multiplied as float32: storage and arithmetic are
// two decisions.
pl::Array weighted_product(pl::Array x, pl::Array weights) {
  pl::require(x.dtype() == pl::f32, "x must be float32");
  pl::require(weights.dtype() == pl::bf16, "weights must be stored as bfloat16");
  pl::require(x.shape().size() == 2 && weights.shape().size() == 2, "x and weights must be matrices");
  pl::require(x.shape()[1] == weights.shape()[0], "weights must have one row a column of x");
  return pl::dot(x, weights.astype(pl::f32));
}

// The sum of the participants' values, one element, without the participant of that index. Ordinary arithmetic: nobody communicates.
pl::Array participant_sum(pl::Array values, std::optional<std::int64_t> without) {
  pl::require(values.shape().size() == 1, "values must be a vector");
  const std::int64_t count = values.shape()[0];
  const bool valid = !without || (*without >= 0 && *without < count);
  pl::require(valid, "there is no participant " + std::to_string(without.value_or(0)) + ", only 0 to " + std::to_string(count - 1));

  std::optional<pl::Array> sum;
  for (std::int64_t i = 0; i < count; ++i) {
    if (i == without) continue;
    const pl::Array value = pl::slice(values, {i}, {1});
    sum = sum ? *sum + value : value;
  }
  pl::require(sum.has_value(), "nobody is left to sum");
  return *sum;
}
