#include "module_fuzz.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace kernel_audit::fuzz {
namespace {

std::vector<std::uint8_t> Bytes(std::size_t call) {
  const std::string& body = GoldenCalls()[call].body;
  std::vector<std::uint8_t> bytes(body.size() + 1);
  bytes[0] = static_cast<std::uint8_t>(call);
  std::copy(body.begin(), body.end(), bytes.begin() + 1);
  return bytes;
}

// A short walk with a fixed seed; the long one is the fuzzer's.
TEST(ModuleFuzz, DamagedBodiesNeverCrash) {
  std::mt19937_64 random(20240607);
  ASSERT_GT(GoldenCalls().size(), 40u);
  for (int round = 0; round < 60; ++round) {
    for (std::size_t call = 0; call < GoldenCalls().size(); ++call) {
      std::vector<std::uint8_t> bytes = Bytes(call);
      const std::size_t flips = 1 + random() % 3;
      for (std::size_t i = 0; i < flips; ++i) bytes[1 + random() % (bytes.size() - 1)] = static_cast<std::uint8_t>(random());
      if (random() % 8 == 0) bytes.resize(1 + random() % bytes.size());
      TryBody(bytes.data(), bytes.size());
    }
  }
}

TEST(ModuleFuzz, BodiesWithOtherCallsArraysNeverCrash) {
  for (std::size_t call = 0; call < GoldenCalls().size(); ++call) {
    std::vector<std::uint8_t> bytes = Bytes(call);
    for (std::size_t other = 0; other < GoldenCalls().size(); ++other) {
      bytes[0] = static_cast<std::uint8_t>(other);
      TryBody(bytes.data(), bytes.size());
    }
  }
}

}  // namespace
}  // namespace kernel_audit::fuzz
