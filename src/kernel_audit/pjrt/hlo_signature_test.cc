#include "kernel_audit/pjrt/hlo_signature.h"

#include <random>

#include "kernel_audit/pjrt/test_support.h"

namespace kernel_audit::pjrt {
namespace {

using namespace std::string_literals;

// program shape (4) { parameter (1) { element type (2) = F32 (11), dimensions (3) packed = 2, 300 },
//                     parameter (1) { element type = PRED (1) }, parameter { element type = C64 (15), dimension one by one = 7 } }
const std::string kModule =
    "\x0a\x01m"
    "\x22\x13"
    "\x0a\x07\x10\x0b\x1a\x03\x02\xac\x02"
    "\x0a\x02\x10\x01"
    "\x0a\x04\x10\x0f\x18\x07"s;

TEST(HloSignatureTest, ReadsParameterTypes) {
  const ParameterTypes expected = {core::ArrayType{core::DType::kFloat32, {2, 300}}, core::ArrayType{core::DType::kBool, {}},
                                   std::nullopt};
  EXPECT_EQ(Unwrap(ParseParameterTypes(kModule, "hlo")), expected);
  const std::string with_config = "\x0a"s + static_cast<char>(kModule.size()) + kModule;
  EXPECT_EQ(Unwrap(ParseParameterTypes(with_config, "hlo_with_config")), expected);
}

TEST(HloSignatureTest, RefusesOtherFormats) {
  EXPECT_EQ(ParseParameterTypes(kModule, "mlir").error().code, core::ErrorCode::kPlugin);
}

TEST(HloSignatureTest, CutAndBrokenBytesAreErrors) {
  for (std::size_t size = 0; size < kModule.size(); ++size) {
    EXPECT_FALSE(ParseParameterTypes(kModule.substr(0, size), "hlo")) << size;
  }
  // A length of 2^64 - 1, a varint without end, a wire type that does not exist, an extent of -1.
  EXPECT_FALSE(ParseParameterTypes("\x22\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s, "hlo"));
  EXPECT_FALSE(ParseParameterTypes(std::string(64, '\xff'), "hlo"));
  EXPECT_FALSE(ParseParameterTypes("\x22\x01\x0f"s, "hlo"));
  EXPECT_FALSE(ParseParameterTypes("\x22\x0f\x0a\x0d\x1a\x0b\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01"s, "hlo"));
}

TEST(HloSignatureTest, AnyBytesAreReadWithoutHarm) {
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = kModule;
    for (int i = 0; i < 3; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    static_cast<void>(ParseParameterTypes(bytes, "hlo"));
    static_cast<void>(ParseParameterTypes(bytes, "hlo_with_config"));
  }
}

}  // namespace
}  // namespace kernel_audit::pjrt
