#include "kernel_audit/core/printable.h"

#include <gtest/gtest.h>

namespace kernel_audit::core {
namespace {

TEST(PrintableTest, LeavesTextAlone) {
  EXPECT_EQ(Printable("x must be a matrix, (5, 11)"), "x must be a matrix, (5, 11)");
  EXPECT_EQ(Printable("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"), "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(Printable(""), "");
}

TEST(PrintableTest, EscapesWhatMovesTheCursor) {
  EXPECT_EQ(Printable("a\nPASS\r\x1b[2J\x7f"), "a\\x0aPASS\\x0d\\x1b[2J\\x7f");
  EXPECT_EQ(Printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(Printable("\xc2\x9b"), "\\xc2\\x9b") << "a control character of two bytes";
  EXPECT_EQ(Printable("\xe2\x80\xae"), "\\xe2\\x80\\xae") << "right to left";
}

TEST(PrintableTest, EscapesWhatIsNoUtf8) {
  EXPECT_EQ(Printable("\xff"), "\\xff");
  EXPECT_EQ(Printable("\xc3"), "\\xc3");
  EXPECT_EQ(Printable("\xc3x"), "\\xc3x");
  EXPECT_EQ(Printable("\xc0\x80"), "\\xc0\\x80") << "longer than it must be";
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a pair";
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond the last character";
}

TEST(PrintableTest, CutsBetweenCharacters) {
  EXPECT_EQ(Printable("abcdef", 3), "abc...");
  EXPECT_EQ(Printable("abc", 3), "abc");
  EXPECT_EQ(Printable("ab\xc3\xa9", 3), "ab...");
}

}  // namespace
}  // namespace kernel_audit::core
