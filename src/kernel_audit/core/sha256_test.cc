#include "kernel_audit/core/sha256.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "kernel_audit/core/file.h"

namespace kernel_audit::core {
namespace {

// Digests from FIPS 180-4's examples.
constexpr const char* kEmpty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr const char* kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr const char* kMillionA = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

TEST(Sha256, DigestsBytes) {
  EXPECT_EQ(Sha256(""), kEmpty);
  EXPECT_EQ(Sha256("abc"), kAbc);
  EXPECT_EQ(Sha256(std::string(1'000'000, 'a')), kMillionA);
}

TEST(Sha256, DigestsFilesInPieces) {
  const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) / ("sha256_" + std::to_string(::getpid()));
  for (std::size_t size : {0, 1, 1 << 20, (1 << 20) + 1, 3'000'000}) {
    const std::string text(size, 'a');
    ASSERT_TRUE(WriteFile(path, text));
    EXPECT_EQ(Sha256OfFile(path).value(), Sha256(text)) << size;
  }
  std::filesystem::remove(path);
  EXPECT_EQ(Sha256OfFile(path).error().code, ErrorCode::kIo);
  EXPECT_EQ(Sha256OfFile(::testing::TempDir()).error().code, ErrorCode::kBadInput);
}

}  // namespace
}  // namespace kernel_audit::core
