#include "kernel_audit/report/finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace kernel_audit::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Finding Race() {
  Finding race;
  race.kind = "race";
  race.kernel = "k";
  race.message = "core 0 writes [0:8] of scratch 0 while DMA 3 started at m.cpp:2 reads [0:8] of it and was not awaited";
  race.buffer = "scratch 0";
  race.location = {"m.cpp", 3};
  race.other_location = {"m.cpp", 2};
  race.grid_point = {1, 2};
  race.accesses.resize(2);
  race.accesses[0] = {"core 0", true, race.location, "[0:8]", {1, 2}};
  race.accesses[1] = {"DMA 3 started at m.cpp:2", false, race.other_location, "[0:8]", {1, 1}};
  race.occurrences = 4;
  return race;
}

Finding Kind(std::string kind) {
  Finding finding;
  finding.kind = std::move(kind);
  finding.message = "bad";
  finding.location = {"m.cpp", 1};
  return finding;
}

const SourceText kSource{"m.cpp", "void k() {\n  copy.start();\n\tz.store(v);  \r\n}\n"};

TEST(Finding, RaceInFullNamesBothSides) {
  const Finding race = Race();
  EXPECT_EQ(FindingsText(std::span(&race, 1), &kSource),
            "  finding: race at m.cpp:3: core 0 writes [0:8] of scratch 0 while DMA 3 started at m.cpp:2 reads [0:8] of it and was not awaited (the other at m.cpp:2), "
            "first in program (1, 2), 4 times\n"
            "    core 0 writes [0:8] in program (1, 2)\n"
            "      m.cpp:3 | z.store(v);\n"
            "    DMA 3 started at m.cpp:2 reads [0:8] in program (1, 1)\n"
            "      m.cpp:2 | copy.start();\n");
}

TEST(Finding, OnlyThePersonsOwnFileIsShown) {
  Finding race = Race();
  EXPECT_THAT(FindingsText(std::span(&race, 1)), Not(HasSubstr("|")));
  race.location.file = race.accesses[0].location.file = "/etc/passwd";
  race.other_location.line = race.accesses[1].location.line = 99;
  EXPECT_THAT(FindingsText(std::span(&race, 1), &kSource), Not(HasSubstr("|")));
}

TEST(Finding, ValueWithoutAnAccessShowsItsPlaces) {
  Finding value = Kind("uninitialized");
  value.other_location = {"m.cpp", 2};
  EXPECT_EQ(FindingsText(std::span(&value, 1), &kSource), "  finding: uninitialized at m.cpp:1: bad (read at m.cpp:2)\n      m.cpp:1 | void k() {\n      m.cpp:2 | copy.start();\n");
}

TEST(Finding, AHandfulInFullTheRestByKind) {
  std::vector<Finding> many(7, Kind("race"));
  many.push_back(Kind("leak"));
  many.push_back(Kind("leak"));
  const std::string text = FindingsText(many);
  EXPECT_THAT(text, HasSubstr("  finding: leak at m.cpp:1: bad\n"));
  EXPECT_THAT(text, ::testing::EndsWith("  and 4 more: 4 race\n"));
  EXPECT_THAT(FindingsText(many, nullptr, 2), ::testing::EndsWith("  and 7 more: 1 leak, 6 race\n"));
  EXPECT_EQ(FindingsText({}), "");
}

TEST(Finding, ForeignTextDoesNotReachTheTerminal) {
  Finding finding = Race();
  finding.message = "a\x1b[31mb\nc";
  finding.accesses[0].agent = "core\x07";
  finding.location.file = "m\n.cpp";
  const SourceText source{"m.cpp", "\n\x1b[2Jcopy\n"};
  const std::string text = FindingsText(std::span(&finding, 1), &source);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\x07")));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6);
  EXPECT_THAT(FindingLine(finding), Not(HasSubstr("\n")));
}

TEST(Finding, JsonHasEverything) {
  const Finding race = Race();
  EXPECT_EQ(core::CanonicalJson(FindingsJson(std::span(&race, 1))),
            R"([{"accesses":[{"access":"write","agent":"core 0","place":{"file":"m.cpp","line":3},"region":"[0:8]","step":[1,2]},)"
            R"({"access":"read","agent":"DMA 3 started at m.cpp:2","place":{"file":"m.cpp","line":2},"region":"[0:8]","step":[1,1]}],"buffer":"scratch 0",)"
            R"("kernel":"k","kind":"race","message":"core 0 writes [0:8] of scratch 0 while DMA 3 started at m.cpp:2 reads [0:8] of it and was not awaited",)"
            R"("occurrences":4,"other_place":{"file":"m.cpp","line":2},"place":{"file":"m.cpp","line":3},"step":[1,2]}])");
}

}  // namespace
}  // namespace kernel_audit::report
