// What the solution refuses, and that the starter does nothing yet.
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "front_end/kernels.h"

namespace starter {
#include "projects/kernel-audit/starter/model.cpp"
}

// The solution's, compiled into kernels.cc.
namespace pl = kernel_audit::pallas;
pl::Array blocked_axpy(pl::Array x, pl::Array y, pl::Block block, pl::Mode mode);
pl::Array fused_bias_relu(pl::Array x, pl::Array bias, pl::Block block, pl::Mode mode);
pl::Array pipelined_axpy(pl::Array x, pl::Array y, pl::Block block, pl::Pipeline pipeline, pl::Mode mode);

namespace front_end_tests {
namespace {

using Model = Array (*)(Array, Array, pl::Block, pl::Mode);
using testing::HasSubstr;
using testing::StartsWith;

std::string Trace(Model model, const ArgumentType& a, const ArgumentType& b, const pl::Block& block, pl::Mode mode = pl::Mode::interpret) {
  return ModuleOf({"program", {a, b}, [&](const auto& arrays) { return model(arrays[0], arrays[1], block, mode); }});
}

std::string Refusal(Model model, const ArgumentType& a, const ArgumentType& b, const pl::Block& block, pl::Mode mode = pl::Mode::interpret) {
  try {
    return "not refused: " + Trace(model, a, b, block, mode);
  } catch (const pl::TraceError& error) {
    return error.what();
  }
}

const ArgumentType kMatrix{pl::f32, {5, 11}}, kFar{pl::f32, {5, 11}, true};

TEST(Solution, RefusesWhatStageOneNames) {
  const pl::Block block = {2, 4};
  const auto refusal = [&](const ArgumentType& a, const ArgumentType& b) { return Refusal(blocked_axpy, a, b, block); };
  EXPECT_THAT(refusal(kMatrix, {pl::f32, {1, 11}}), HasSubstr("x and y must have one shape"));
  EXPECT_THAT(refusal(kMatrix, {pl::bf16, {5, 11}}), HasSubstr("x and y must have one dtype"));
  EXPECT_THAT(refusal({pl::i32, {5, 11}}, {pl::i32, {5, 11}}), HasSubstr("x must be float32 or bfloat16"));
  EXPECT_THAT(refusal({pl::f32, {11}}, {pl::f32, {11}}), HasSubstr("x must be a matrix"));
  EXPECT_THAT(refusal({pl::f32, {}}, {pl::f32, {}}), HasSubstr("x must be a matrix"));
  EXPECT_THAT(refusal({pl::f32, {0, 11}}, {pl::f32, {0, 11}}), HasSubstr("x must not be empty"));
}

TEST(Solution, RefusesBlocksAndModes) {
  for (const Model model : {&blocked_axpy, &fused_bias_relu}) {
    const ArgumentType other = model == &blocked_axpy ? kMatrix : ArgumentType{pl::f32, {11}};
    const auto refusal = [&](const pl::Block& block, pl::Mode mode = pl::Mode::interpret) { return Refusal(model, kMatrix, other, block, mode); };
    EXPECT_THAT(refusal({4}), HasSubstr("must have 2 dimensions, it has 1"));
    EXPECT_THAT(refusal({2, 4, 1}), HasSubstr("must have 2 dimensions, it has 3"));
    EXPECT_THAT(refusal({0, 4}), HasSubstr("must be positive"));
    EXPECT_THAT(refusal({2, -4}), HasSubstr("must be positive"));
    EXPECT_THAT(refusal({std::int64_t{1} << 62, 4}), HasSubstr("too many elements"));
    EXPECT_THAT(refusal({8, 100}, pl::Mode::tpu), HasSubstr("multiples of 8 x 128"));
    EXPECT_THAT(refusal({8, 128}, pl::Mode::tpu), HasSubstr("placed on a TPU"));
    EXPECT_THAT(refusal({2, 4}, static_cast<pl::Mode>(97)), HasSubstr("mode must be interpret or tpu"));
  }
  EXPECT_THAT(Trace(blocked_axpy, kFar, kFar, {8, 128}, pl::Mode::tpu), HasSubstr("tpu_custom_call"));
}

TEST(Solution, RefusesWhatStageTwoNames) {
  const auto refusal = [](const ArgumentType& bias) { return Refusal(fused_bias_relu, kMatrix, bias, {2, 4}); };
  EXPECT_THAT(refusal({pl::f32, {1, 11}}), HasSubstr("bias must be a vector"));
  EXPECT_THAT(refusal({pl::f32, {5}}), HasSubstr("one element a column"));
  EXPECT_THAT(refusal({pl::bf16, {11}}), HasSubstr("bias must have x's dtype"));
}

// pipelined_axpy with its pipeline's options chosen.
template <int kBuffers, bool kSynchronous = false>
Array Pipelined(Array x, Array y, pl::Block block, pl::Mode mode) {
  return pipelined_axpy(x, y, block, {.buffers = kBuffers, .synchronous = kSynchronous}, mode);
}

TEST(Solution, RefusesWhatStageThreeNames) {
  EXPECT_THAT(Refusal(Pipelined<0>, kMatrix, kMatrix, {8, 128}), HasSubstr("needs at least one slot, not 0"));
  EXPECT_THAT(Refusal(Pipelined<-1>, kMatrix, kMatrix, {8, 128}), HasSubstr("needs at least one slot, not -1"));
  EXPECT_THAT(Refusal(Pipelined<2>, kMatrix, {pl::f32, {1, 11}}, {8, 128}), HasSubstr("x and y must have one shape"));
  EXPECT_THAT(Refusal(Pipelined<2>, kMatrix, kMatrix, {0, 128}), HasSubstr("must be positive"));
  EXPECT_THAT(Refusal(Pipelined<2>, kMatrix, kMatrix, {std::int64_t{1} << 62, 4}), HasSubstr("too many elements"));
  EXPECT_THAT(Refusal(Pipelined<2>, kMatrix, kMatrix, {8, 128}, static_cast<pl::Mode>(97)), HasSubstr("mode must be interpret or tpu"));
  EXPECT_THAT(Refusal(Pipelined<2>, kMatrix, kMatrix, {8, 128}, pl::Mode::tpu), HasSubstr("placed on a TPU"));
  EXPECT_THAT(Refusal(Pipelined<2>, kFar, kFar, {8, 100}, pl::Mode::tpu), HasSubstr("multiples of 8 x 128"));
}

// Synchronous copies are other modules; one slot and three are taken too.
TEST(Solution, TakesEveryPipeline) {
  const std::string two = Trace(Pipelined<2>, kMatrix, kMatrix, {2, 4});
  for (const Model model : {&Pipelined<1>, &Pipelined<3>, &Pipelined<2, true>, &Pipelined<3, true>}) EXPECT_NE(Trace(model, kMatrix, kMatrix, {2, 4}), two);
}

Array StarterPipeline(Array x, Array y, pl::Block block, pl::Mode mode) { return starter::pipelined_axpy(x, y, block, {}, mode); }

TEST(Starter, SaysWhatToWriteAndWhereAndIsNoRefusal) {
  for (const auto& [model, name] : {std::pair<Model, std::string>(&starter::blocked_axpy, "blocked_axpy"), {&starter::fused_bias_relu, "fused_bias_relu"}, {&StarterPipeline, "pipelined_axpy"}}) {
    try {
      Trace(model, kMatrix, kMatrix, {2, 4});
      ADD_FAILURE();
    } catch (const pl::TraceError&) {
      ADD_FAILURE() << "a check would take it for a refusal";
    } catch (const std::logic_error& error) {
      EXPECT_EQ(dynamic_cast<const std::invalid_argument*>(&error), nullptr);
      EXPECT_THAT(error.what(), StartsWith(name + " is not implemented yet: write it in projects/kernel-audit/my_model.cpp; "));
    }
  }
}

}  // namespace
}  // namespace front_end_tests
