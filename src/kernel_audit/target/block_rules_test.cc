#include "kernel_audit/target/block_rules.h"

#include <gmock/gmock.h>

namespace kernel_audit::target {
namespace {

using core::DType;
using core::Shape;

std::string Problem(const Shape& array, const Shape& block, DType dtype = DType::kFloat32, ir::MemorySpace space = ir::MemorySpace::kVmem) {
  ir::Kernel kernel;
  kernel.body = kernel.NewRegion();
  kernel.body->arguments = {kernel.NewValue(ir::Type::Ref(dtype, block, space))};
  ir::Window window;
  window.block_shape = block;
  kernel.windows = {window};
  kernel.inputs = {{dtype, array}};
  kernel.location = {"m.cpp", 4};
  return BlockProblem(kernel);
}

TEST(BlockRules, TwoDimensions) {
  for (const auto& [array, block] : std::vector<std::pair<Shape, Shape>>{
           {{4, 128}, {4, 128}}, {{9, 129}, {9, 129}}, {{1, 300}, {1, 128}}, {{3, 300}, {8, 128}}, {{8, 128}, {16, 256}}, {{5, 7, 16, 128}, {1, 1, 8, 128}}}) {
    EXPECT_EQ(Problem(array, block), "") << core::ToString(block) << " of " << core::ToString(array);
  }
  for (const auto& [array, block] : std::vector<std::pair<Shape, Shape>>{{{16, 128}, {4, 128}}, {{16, 128}, {8, 64}}, {{18, 128}, {9, 128}}, {{8, 1024}, {1, 128}}}) {
    EXPECT_NE(Problem(array, block), "") << core::ToString(block) << " of " << core::ToString(array);
  }
  EXPECT_EQ(Problem({16, 300}, {8, 100}), "m.cpp:4: a TPU takes no block (8, 100) of input 0, float32(16, 300): its last extent 100 is neither a multiple of 128 nor the array's 300");
}

TEST(BlockRules, OneDimension) {
  for (const auto& [array, block] : std::vector<std::pair<std::int64_t, std::int64_t>>{{1024, 128}, {1000, 256}, {1000, 1000}, {5, 5}, {3072, 1024}}) {
    EXPECT_EQ(Problem({array}, {block}), "") << block << " of " << array;
  }
  for (const auto& [array, block] : std::vector<std::pair<std::int64_t, std::int64_t>>{{128, 64}, {3072, 384}, {2304, 1152}}) {
    EXPECT_NE(Problem({array}, {block}), "") << block << " of " << array;
  }
  EXPECT_NE(Problem({1024}, {128}, DType::kBFloat16), "");
  EXPECT_EQ(Problem({1024}, {256}, DType::kBFloat16), "");
  EXPECT_NE(Problem({1024}, {256}, DType::kInt8), "");
  EXPECT_EQ(Problem({1024}, {512}, DType::kInt8), "");
}

TEST(BlockRules, OnlyWindowsInVmem) { EXPECT_EQ(Problem({7, 7}, {3, 3}, DType::kInt32, ir::MemorySpace::kSmem), ""); }

}  // namespace
}  // namespace kernel_audit::target
