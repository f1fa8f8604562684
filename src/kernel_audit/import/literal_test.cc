#include "kernel_audit/import/literal.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <string>

namespace kernel_audit::import {
namespace {

std::uint64_t Bits(const std::string& text, core::DType dtype) {
  std::vector<std::uint8_t> bytes;
  EXPECT_TRUE(AppendFloat(text, dtype, bytes)) << text;
  std::uint64_t bits = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) bits = bits << 8 | bytes[i];
  return bits;
}

TEST(Literal, Float32IsTheNearestToTheDouble) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), static_cast<int>(random() % 320) - 220);
    char text[64];
    std::snprintf(text, sizeof text, "%.17g", value);
    if (std::string(text).find('.') == std::string::npos) continue;
    EXPECT_EQ(Bits(text, core::DType::kFloat32), std::bit_cast<std::uint32_t>(static_cast<float>(value))) << text;
  }
}

TEST(Literal, BitPatternsAndTiesAreExact) {
  EXPECT_EQ(Bits("0x7FC00001", core::DType::kFloat32), 0x7FC00001u);
  EXPECT_EQ(Bits("-0.0", core::DType::kFloat32), 0x80000000u);
  EXPECT_EQ(Bits("1.00390625", core::DType::kBFloat16), 0x3F80u);  // half way, to even
  EXPECT_EQ(Bits("1.01171875", core::DType::kBFloat16), 0x3F82u);
  EXPECT_EQ(Bits("3.4e38", core::DType::kBFloat16), 0x7F80u);
  EXPECT_EQ(Bits("65519.0", core::DType::kFloat16), 0x7BFFu);
  EXPECT_EQ(Bits("65520.0", core::DType::kFloat16), 0x7C00u);
  EXPECT_EQ(Bits("5.9604644775390625e-08", core::DType::kFloat16), 1u);
  EXPECT_EQ(Bits("2.98023223876953125e-08", core::DType::kFloat16), 0u);
}

TEST(Literal, WhatIsNotALiteralIsRefused) {
  std::vector<std::uint8_t> bytes;
  for (const char* text : {"", "-", "0x", "1.0.0", "0x100000000", "e5"}) EXPECT_FALSE(AppendFloat(text, core::DType::kFloat32, bytes)) << text;
  for (const char* text : {"", "-", "0x", "1.0", "99999999999999999999", "-0x8000000000000001"}) EXPECT_FALSE(ParseInteger(text)) << text;
  EXPECT_EQ(ParseInteger("-9223372036854775808"), INT64_MIN);
  EXPECT_FALSE(FitsWidth(256, 8));
  EXPECT_TRUE(FitsWidth(255, 8));
  EXPECT_FALSE(FitsWidth(-129, 8));
}

}  // namespace
}  // namespace kernel_audit::import
