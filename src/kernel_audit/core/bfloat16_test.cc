#include "kernel_audit/core/bfloat16.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace kernel_audit::core {
namespace {

float FromBits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

// A magnitude mantissa * 2^exponent, exactly. An infinity stands for the value that would follow the largest finite one.
struct Exact {
  std::int64_t mantissa;
  int exponent;
};

Exact Decode(std::uint32_t magnitude, int fraction_bits) {
  const int field = static_cast<int>(magnitude >> fraction_bits);
  const std::int64_t fraction = magnitude & ((1u << fraction_bits) - 1);
  const std::int64_t hidden = field == 0 ? 0 : std::int64_t{1} << fraction_bits;
  return {hidden + fraction, (field == 0 ? 1 : field) - 127 - fraction_bits};
}

// |a - b| in units of 2^unit, exactly; both exponents are unit or little more.
std::int64_t Distance(Exact a, Exact b, int unit) {
  return std::abs((a.mantissa << (a.exponent - unit)) - (b.mantissa << (b.exponent - unit)));
}

// The nearest of the two bfloat16 magnitudes around a float32, by distances between integers.
std::uint16_t Oracle(std::uint32_t bits) {
  const std::uint32_t magnitude = bits & 0x7fffffff;
  const std::uint16_t sign = static_cast<std::uint16_t>(bits >> 31 << 15);
  if (magnitude > 0x7f800000) return sign | 0x7fc0;
  if (magnitude == 0x7f800000) return sign | 0x7f80;
  const std::uint32_t below = magnitude / 65536, above = below + 1;
  const Exact value = Decode(magnitude, 23);
  const std::int64_t down = Distance(value, Decode(below, 7), value.exponent), up = Distance(value, Decode(above, 7), value.exponent);
  const std::uint32_t nearest = down < up ? below : up < down ? above : below % 2 == 0 ? below : above;
  return static_cast<std::uint16_t>(sign | nearest);
}

void ExpectRounds(std::uint32_t bits) {
  ASSERT_EQ(FloatToBFloat16(FromBits(bits)), Oracle(bits)) << std::hex << bits;
}

struct Row {
  std::string what;
  std::uint32_t float_bits;
  std::uint32_t rounded;
};

// The columns: a description (perhaps in quotes), float32 bits, bfloat16 bits, others.
std::vector<Row> ReadRows() {
  std::ifstream file(std::string(KA_SOURCE_DIR) + "/tests/data/cases_bf16_convert.csv");
  std::vector<Row> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::size_t first = line.find(",0x");
    const std::size_t second = line.find(",0x", first + 1);
    rows.push_back({line.substr(0, first), static_cast<std::uint32_t>(std::stoul(line.substr(first + 1), nullptr, 16)),
                    static_cast<std::uint32_t>(std::stoul(line.substr(second + 1), nullptr, 16))});
  }
  return rows;
}

TEST(BFloat16, RoundsEveryRowOfTheTable) {
  const std::vector<Row> rows = ReadRows();
  ASSERT_EQ(rows.size(), 20u);
  for (const Row& row : rows) EXPECT_EQ(FloatToBFloat16(FromBits(row.float_bits)), row.rounded) << row.what;
}

TEST(BFloat16, AllValuesComeBack) {
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const std::uint16_t narrow = static_cast<std::uint16_t>(bits);
    const float wide = BFloat16ToFloat(narrow);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(wide), bits << 16);
    const bool nan = (bits & 0x7fff) > 0x7f80;
    ASSERT_EQ(FloatToBFloat16(wide), nan ? ((bits & 0x8000) | 0x7fc0) : bits) << std::hex << bits;
  }
}

TEST(BFloat16, AgreesWithExactDistancesAtEveryBoundary) {
  for (std::uint32_t upper = 0; upper <= 0xffff; ++upper) {
    for (const std::uint32_t lower : {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) ExpectRounds(upper << 16 | lower);
  }
}

TEST(BFloat16, AgreesWithExactDistancesOnRandomBits) {
  std::mt19937 random(20240607);
  for (int i = 0; i < 1'000'000; ++i) ExpectRounds(static_cast<std::uint32_t>(random()));
}

TEST(BFloat16, NarrowingIsSeen) {
  const std::array<std::pair<float, float>, 4> cases = {
      {{1 + 0x1p-9f, 1.0f}, {3.14159274f, 3.140625f}, {1e-3f, 0.00099945068359375f}, {1 + 0x1p-8f, 1.0f}}};
  for (const auto& [value, rounded] : cases) EXPECT_EQ(BFloat16ToFloat(FloatToBFloat16(value)), rounded);
}

}  // namespace
}  // namespace kernel_audit::core
