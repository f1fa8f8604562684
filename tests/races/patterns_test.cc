// Each pattern in its faulty and in its right form, under every schedule, against what must be found and against the slow judge.
#include <algorithm>

#include "races/compare.h"
#include "races/patterns.h"

namespace kernel_audit::testing {
namespace {

using ::testing::IsEmpty;

struct Seen {
  std::vector<sim::Finding> findings;
  std::vector<std::string> lines, disagreements;
  std::vector<std::uint32_t> bits;
  bool operator==(const Seen& other) const { return lines == other.lines && bits == other.bits; }
};

Seen RunPattern(const Kernel& kernel, const sim::RunOptions& wanted) {
  const HostArray x = PatternInput();
  sim::EventLog events;
  sim::RunOptions options = wanted;
  options.events = &events;
  const KernelRun run = kernel.Run({&x}, options);
  return {run.report.findings, Findings(run.report), Disagreements(run.report, kernel.program().kernel().grid, events), Bits(run.outputs[0])};
}

bool EndsWith(const std::string& text, const std::string& end) { return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0; }

void ExpectPlace(const core::SourceLocation& location, int line) {
  EXPECT_TRUE(EndsWith(location.file, "patterns.cc")) << location.ToString();
  EXPECT_EQ(location.line, line);
}

void ExpectSide(const sim::FindingAccess& got, const ExpectedSide& want, const MarkedLines& lines) {
  EXPECT_EQ(got.agent.substr(0, want.agent.size()), want.agent);
  EXPECT_EQ(got.write, want.write);
  EXPECT_EQ(got.region, want.region);
  EXPECT_EQ(got.grid_point, want.grid_point);
  ExpectPlace(got.location, lines.*want.line);
}

void ExpectFinding(const sim::Finding& got, const ExpectedFinding& want, const MarkedLines& lines) {
  EXPECT_EQ(sim::Name(got.kind), sim::Name(want.kind));
  EXPECT_EQ(got.buffer, want.buffer);
  ExpectPlace(got.location, lines.*want.sides[0].line);
  EXPECT_EQ(got.grid_point, want.sides[0].grid_point);
  if (want.kind == sim::FindingKind::kUninitialized) ExpectPlace(got.other_location, lines.earlier);
  if (want.kind != sim::FindingKind::kRace) return;
  ASSERT_EQ(got.accesses.size(), 2u);
  ExpectPlace(got.other_location, lines.*want.sides[1].line);
  for (std::size_t i = 0; i < 2; ++i) ExpectSide(got.accesses[i], want.sides[i], lines);
}

sim::RunOptions OptionsOf(const Pattern& pattern, const NamedSchedule& schedule) {
  sim::RunOptions options;
  options.schedule = schedule.schedule;
  options.cores = pattern.cores;
  return options;
}

void ExpectAllFound(const Pattern& pattern) {
  SCOPED_TRACE(pattern.number + " " + pattern.what);
  MarkedLines lines;
  const Kernel kernel = TracePattern(pattern, true, lines);
  const Seen first = RunPattern(kernel, OptionsOf(pattern, Schedules()[0]));
  ASSERT_EQ(first.findings.size(), pattern.expected.size()) << ::testing::PrintToString(first.lines);
  for (std::size_t i = 0; i < first.findings.size(); ++i) ExpectFinding(first.findings[i], pattern.expected[i], lines);
  for (const NamedSchedule& schedule : Schedules()) {
    SCOPED_TRACE(schedule.name);
    const Seen seen = RunPattern(kernel, OptionsOf(pattern, schedule));
    EXPECT_EQ(seen.lines, first.lines);
    EXPECT_THAT(seen.disagreements, IsEmpty());
    for (int i = 0; i < 10; ++i) EXPECT_EQ(RunPattern(kernel, OptionsOf(pattern, schedule)), seen);
  }
}

void ExpectSilent(const Pattern& pattern) {
  SCOPED_TRACE(pattern.number + " " + pattern.what + ", right");
  MarkedLines lines;
  const Kernel kernel = TracePattern(pattern, false, lines);
  const Seen first = RunPattern(kernel, OptionsOf(pattern, Schedules()[0]));
  EXPECT_THAT(first.lines, IsEmpty());
  for (const NamedSchedule& schedule : Schedules()) {
    SCOPED_TRACE(schedule.name);
    sim::RunOptions options = OptionsOf(pattern, schedule);
    for (int i = 0; i < 10; ++i) {
      // The same bytes in every order of parallel programs and on any number of cores, too.
      if (i % 2 == 1) options.permute_parallel = i;
      options.cores = 1 + i % 4;
      const Seen seen = RunPattern(kernel, options);
      EXPECT_EQ(seen, first);
      EXPECT_THAT(seen.disagreements, IsEmpty());
    }
  }
}

TEST(RacePatterns, FaultyOnesAreFoundUnderEverySchedule) {
  for (const Pattern& pattern : Patterns()) ExpectAllFound(pattern);
}

TEST(RacePatterns, RightOnesAreSilentUnderEverySchedule) {
  for (const Pattern& pattern : Patterns()) ExpectSilent(pattern);
}

TEST(RacePatterns, RightProgramsThatLookWrongAreSilent) {
  for (const Pattern& pattern : CleanPatterns()) ExpectSilent(pattern);
}

// Which program meets which depends on the order, that two meet does not.
TEST(RacePatterns, RacesBetweenCoresAreFoundInEveryOrder) {
  for (const Pattern& pattern : Patterns()) {
    if (pattern.cores == 1) continue;
    MarkedLines lines;
    const Kernel kernel = TracePattern(pattern, true, lines);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      sim::RunOptions options = OptionsOf(pattern, Schedules()[seed]);
      options.permute_parallel = seed;
      const Seen seen = RunPattern(kernel, options);
      ASSERT_EQ(seen.findings.size(), 1u);
      EXPECT_EQ(seen.findings[0].kind, sim::FindingKind::kRace);
      ExpectPlace(seen.findings[0].location, lines.later);
      EXPECT_THAT(seen.disagreements, IsEmpty());
      options.cores = 1;
      EXPECT_THAT(RunPattern(kernel, options).lines, IsEmpty());
    }
  }
}

TEST(RacePatterns, AStaticSlicePastTheEndIsRefusedWhileTracing) {
  const HostArray x = PatternInput();
  int line = 0;
  try {
    Trace({&x}, Single([&](const std::vector<pl::Array>& a) {
      const auto kernel = [&](pl::Ref x, pl::Ref) { line = __LINE__, x.at({pl::ds(25, 8)}); };
      return pl::pallas_call(kernel, {.in_specs = {pl::BlockSpec(pl::any)}, .out_specs = {pl::BlockSpec(pl::any)}, .out_shape = a[0].aval()})(a[0]);
    }));
    FAIL() << "was not refused";
  } catch (const pl::TraceError& error) {
    EXPECT_EQ(error.location().line, line);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("[at] 8 elements from 25 on are not inside dimension 0 of extent 32"));
  }
}

}  // namespace
}  // namespace kernel_audit::testing
