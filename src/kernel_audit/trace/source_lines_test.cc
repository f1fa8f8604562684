#include "kernel_audit/trace/source_lines.h"

#include <gtest/gtest.h>

namespace kernel_audit::trace {
namespace {

TEST(StatementLines, AStatementOverSeveralLinesHasItsFirst) {
  const std::vector<int> lines = StatementLines("int a = f(1,\n  2,\n  3)\n  + 4;\nint b;\n");
  EXPECT_EQ(lines[1], 1);
  EXPECT_EQ(lines[2], 1);
  EXPECT_EQ(lines[4], 1);
  EXPECT_EQ(lines[5], 5);
}

TEST(StatementLines, ALambdasStatementsAreTheirOwnAndTheCallGoesOn) {
  const std::vector<int> lines = StatementLines(
      "void f() {\n"                           // 1
      "  auto z = call([&](Ref x) {\n"         // 2
      "    x.store(x.load()\n"                 // 3
      "        + 1);\n"                        // 4
      "  }, {.name = \"n\",\n"                 // 5
      "      .grid = {1,\n"                    // 6
      "               2}})(\n"                 // 7
      "    y);\n"                              // 8
      "  auto k = [&]() -> V { return a; };\n"  // 9
      "  if (a) {\n"                           // 10
      "    b;\n"                               // 11
      "  }\n"                                  // 12
      "  c;\n"                                 // 13
      "}\n"                                    // 14
      "void g() {\n"                           // 15
      "}\n");
  EXPECT_EQ(lines[2], 2);
  EXPECT_EQ(lines[4], 3);
  for (int line : {5, 6, 7, 8}) EXPECT_EQ(lines[static_cast<std::size_t>(line)], 2) << line;
  EXPECT_EQ(lines[9], 9);
  EXPECT_EQ(lines[11], 11);
  EXPECT_EQ(lines[13], 13);
  EXPECT_EQ(lines[15], 15);
}

TEST(StatementLines, BracketsInsideLiteralsAndCommentsDoNotCount) {
  const std::vector<int> lines = StatementLines("a(\"({\"); // ({\n/* {\n */ b('{'\n);\nc(R\"x(\n{)x\"\n);\nd = 1'000;\n#define X {\ne;\n");
  EXPECT_EQ(lines[4], 3);
  EXPECT_EQ(lines[7], 5);
  EXPECT_EQ(lines[8], 8);
  EXPECT_EQ(lines[10], 10);
}

TEST(StatementLines, EveryPrefixOfASourceIsTaken) {
  const std::string source = "void f() { a({1, [&] { b; }}); } /* c */ \"d\\\"\" R\"(x)\" 'e' }}})";
  for (std::size_t size = 0; size <= source.size(); ++size) StatementLines(source.substr(0, size));
}

TEST(CanonicalLocation, AnUnreadableFileKeepsItsLine) {
  EXPECT_EQ(CanonicalLocation({"missing.cpp", 7}), (core::SourceLocation{"missing.cpp", 7}));
  EXPECT_EQ(CanonicalLocation({"/nowhere/missing.cpp", 7}).file, "missing.cpp");
}

}  // namespace
}  // namespace kernel_audit::trace
