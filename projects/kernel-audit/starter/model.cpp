// Your kernels. Copy this file to projects/kernel-audit/my_model.cpp and write them there, one stage after the other:
//
//   ./kernel-audit check --implementation projects/kernel-audit/my_model.cpp --stage 1
//
// The words you need are in docs/front_end.md.
#include <kernel_audit/pallas.h>

#include <stdexcept>
#include <string>

namespace pl = kernel_audit::pallas;

namespace {

[[noreturn]] void not_implemented(const std::string& function, const std::string& task) {
  throw std::logic_error(function + " is not implemented yet: write it in projects/kernel-audit/my_model.cpp; " + task);
}

}  // namespace

// Stage 1: z = 2 x + y for two matrices of one shape and one dtype, float32 or bfloat16.
//
//   1. Refuse everything else with pl::require and a sentence that says what is wrong: another rank, an empty matrix, two shapes, two
//      dtypes, a block that has not two positive extents. In mode tpu, ask for blocks that are multiples of 8 x 128.
//   2. The block need not divide the matrix. What should stand where the last blocks reach over the edge, and why can it do no harm?
//   3. Which block of x, of y and of z does program (i, j) work on? Say it once, with a BlockSpec.
//   4. How many programs does it take along each dimension, so that none of the matrix is left over?
//   5. The kernel loads its blocks, computes in float32 and stores once. Where does the single rounding to bfloat16 belong?
//   6. The caller wants a matrix of the shape that came in.
pl::Array blocked_axpy([[maybe_unused]] pl::Array x, [[maybe_unused]] pl::Array y, [[maybe_unused]] pl::Block block,
                       [[maybe_unused]] pl::Mode mode) {
  not_implemented("blocked_axpy", "return 2 * x + y, computed block by block in a kernel of its own");
}

// Stage 2: z = max(x + bias[column], 0) for a matrix and one bias a column.
//
//   1. Refuse as in stage 1, and a bias that is not a vector, or not as long as x is wide, or not of x's dtype.
//   2. A bias has one dimension, a block of the matrix two. How can both be cut along the same columns?
//   3. The matrix and the bias need different BlockSpecs: on which grid index does each of them depend?
//   4. A NaN in x must come out as a NaN. Which of the ways to write max(v, 0) loses it?
//   5. Again: float32 inside, one rounding at the end.
pl::Array fused_bias_relu([[maybe_unused]] pl::Array x, [[maybe_unused]] pl::Array bias, [[maybe_unused]] pl::Block block,
                          [[maybe_unused]] pl::Mode mode) {
  not_implemented("fused_bias_relu", "return max(x + bias[column], 0), computed block by block in one kernel");
}

// Stage 3: z = 2 x + y again, but the kernel holds the whole arrays in HBM and fetches its own blocks with pl::emit_pipeline.
//
//   1. Refuse as in stage 1, and a pipeline without a slot for an input (pipeline.buffers).
//   2. The outer pallas_call has no grid. Which BlockSpec leaves an array where it is, so that the kernel sees all of it?
//   3. Inside, emit_pipeline has the grid, and specs with as many slots as asked for: spec.buffered(n). How many does an output need?
//   4. pipeline.synchronous asks for copies that are awaited at once. The result must not change.
//   5. The body is stage 1's.
pl::Array pipelined_axpy([[maybe_unused]] pl::Array x, [[maybe_unused]] pl::Array y, [[maybe_unused]] pl::Block block,
                         [[maybe_unused]] pl::Pipeline pipeline, [[maybe_unused]] pl::Mode mode) {
  not_implemented("pipelined_axpy", "return 2 * x + y, computed block by block in a pipeline inside one kernel");
}
