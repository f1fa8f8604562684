// Your model. Copy this file to projects/tpu-runtime-audit/my_model.cpp and write it there, one stage after the other:
//
//   ./kernel-audit runtime --implementation projects/tpu-runtime-audit/my_model.cpp --stage 1
#include <kernel_audit/pallas.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace pl = kernel_audit::pallas;

namespace {

[[noreturn]] void not_implemented(const std::string& function, const std::string& task) {
  throw std::logic_error(function + " is not implemented yet: write it in projects/tpu-runtime-audit/my_model.cpp; " + task);
}

}  // namespace

// Stages 1 and 3: the product of a float32 matrix x and a matrix of weights that is stored as bfloat16.
//
//   1. Refuse other dtypes, ranks and shapes that do not fit with pl::require.
//   2. pl::dot multiplies float32 matrices and converts nothing. In which order do conversion and product come?
pl::Array weighted_product([[maybe_unused]] pl::Array x, [[maybe_unused]] pl::Array weights) {
  not_implemented("weighted_product", "convert the bfloat16 weights to float32, then return the product with x");
}

// Stages 2 and 4: the sum of a vector of int32 values, one a participant, as an array of one element.
//
//   1. `without`, when there, is the index of a participant that is left out. Refuse indexes that no participant has.
//   2. pl::slice(values, {i}, {1}) is the value of participant i.
pl::Array participant_sum([[maybe_unused]] pl::Array values, [[maybe_unused]] std::optional<std::int64_t> without) {
  not_implemented("participant_sum", "return the sum of all values but the one left out, and refuse an index that is not there");
}
