#include "kernel_audit/core/chip.h"

#include <gmock/gmock.h>

namespace kernel_audit::core {
namespace {

const Chip& Of(const char* name) { return **FindChip(name); }

TEST(Chip, HasTheFiguresOfItsSource) {
  EXPECT_EQ(AllChips().size(), 8u);
  EXPECT_EQ(Of("v5e").vmem_bytes, 134217728);
  EXPECT_EQ(Of("v5p").vmem_bytes, 67108864);
  EXPECT_EQ(Of("v4").vmem_bytes, 16777216);
  EXPECT_EQ(Of("v3").smem_bytes, 16384);
  EXPECT_EQ(Of("v6e").smem_bytes, 1048576);
  EXPECT_EQ(Of("v6e").matrix_unit, 256);
  EXPECT_EQ(Of("7x").cores, 2);
  EXPECT_TRUE(Of("v4").megacore);
  EXPECT_EQ(&DefaultChip(), &Of("v5e"));
  // 4096 x 4096 float32 elements moved three times take at least 245.5 us.
  EXPECT_EQ(3 * (std::int64_t{4} << 24) * 10'000'000 / Of("v5e").hbm_bytes_per_second, 2455);
}

TEST(Chip, PacksNarrowTypesIntoTallerTiles) {
  EXPECT_EQ(SublaneTile(Of("v5e"), DType::kFloat32), 8);
  EXPECT_EQ(SublaneTile(Of("v5e"), DType::kBFloat16), 8);
  EXPECT_EQ(SublaneTile(Of("v5e"), DType::kInt8), 32);
  EXPECT_EQ(SublaneTile(Of("7x"), DType::kBFloat16), 16);
  EXPECT_EQ(SublaneTile(Of("7x"), DType::kInt8), 32);
  EXPECT_EQ(SublaneTile(Of("7x"), DType::kFloat32), 8);
}

TEST(Chip, NamesTheChipsThereAreWhenOneIsNot) {
  const auto chip = FindChip("v9");
  ASSERT_FALSE(chip);
  EXPECT_EQ(chip.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(chip.error().message, "no chip is called 'v9'; there are v2, v3, v4i, v4, v5e, v5p, v6e, 7x");
}

}  // namespace
}  // namespace kernel_audit::core
