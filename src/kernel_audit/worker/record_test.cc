#include "kernel_audit/worker/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernel_audit::worker {
namespace {

const std::vector<Record> kSome = {{RecordKind::kBegin, 0, "", ""},
                                   {RecordKind::kModule, 0, "", std::string("module\0text", 11)},
                                   {RecordKind::kBegin, 1, "", ""},
                                   {RecordKind::kRefusal, 1, "std::invalid_argument", "no"}};

std::string Bytes() {
  std::string bytes;
  for (const Record& record : kSome) bytes += Encode(record);
  return bytes;
}

TEST(RecordTest, DecodesWhatWasEncoded) {
  const auto decoded = Decode(Bytes());
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->records, kSome);
  EXPECT_FALSE(decoded->cut);
  EXPECT_TRUE(Decode("")->records.empty());
}

TEST(RecordTest, ACutStreamGivesItsWholeRecords) {
  const std::string bytes = Bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto decoded = Decode(std::string_view(bytes).substr(0, size));
    ASSERT_TRUE(decoded.has_value()) << size;
    EXPECT_LT(decoded->records.size(), kSome.size());
  }
}

TEST(RecordTest, AnyOtherHeadIsRefused) {
  const std::string record = Encode(kSome[1]);
  for (const std::size_t at : {0, 1, 2, 3, 4, 7, 15}) {  // mark, kind, size of the class
    std::string changed = record;
    changed[at] = static_cast<char>(changed[at] ^ 0x40);
    EXPECT_FALSE(Decode(changed).has_value()) << at;
  }
  EXPECT_FALSE(Decode(std::string(4096, 'x')).has_value());
  std::string begin_with_text = Encode({RecordKind::kModule, 0, "", "abc"});
  begin_with_text[4] = 0;
  EXPECT_FALSE(Decode(begin_with_text).has_value());
}

TEST(RecordTest, AClaimedSizeAllocatesNothing) {
  std::string record = Encode(kSome[1]);
  for (std::size_t at = 16; at < 20; ++at) record[at] = static_cast<char>(0xff);
  const auto decoded = Decode(record);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_TRUE(decoded->cut);
  EXPECT_TRUE(decoded->records.empty());
}

}  // namespace
}  // namespace kernel_audit::worker
