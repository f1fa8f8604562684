// docs/races.md says how often each pattern was found; this runs them and compares. KA_UPDATE_DOCS=1 writes the table anew.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "races/patterns.h"

namespace kernel_audit::testing {
namespace {

constexpr const char* kBegin = "<!-- made by tests/races/docs_test.cc -->\n";
constexpr const char* kEnd = "<!-- end -->\n";

struct Score {
  int right = 0, wrong = 0;
  std::string Text() const { return std::to_string(right) + " of " + std::to_string(right + wrong); }
  void Add(bool is_right) { ++(is_right ? right : wrong); }
  void Add(const Score& other) {
    right += other.right;
    wrong += other.wrong;
  }
};

using Found = std::multiset<std::pair<std::string, std::string>>;  // kind, buffer

Found FindingsOf(const Kernel& kernel, const Pattern& pattern, const NamedSchedule& schedule) {
  const HostArray x = PatternInput();
  sim::RunOptions options;
  options.schedule = schedule.schedule;
  options.cores = pattern.cores;
  Found found;
  for (const sim::Finding& finding : kernel.Run({&x}, options).report.findings) found.emplace(sim::Name(finding.kind), finding.buffer);
  return found;
}

// Runs in which exactly the expected was found; runs of the right form in which nothing was.
Score ScoreOf(const Pattern& pattern, bool faulty) {
  MarkedLines lines;
  const Kernel kernel = TracePattern(pattern, faulty, lines);
  Found want;
  for (const ExpectedFinding& finding : pattern.expected) want.emplace(sim::Name(finding.kind), finding.buffer);
  Score score;
  for (const NamedSchedule& schedule : Schedules()) score.Add(FindingsOf(kernel, pattern, schedule) == (faulty ? want : Found{}));
  return score;
}

std::string Kinds(const Pattern& pattern) {
  std::string kinds;
  for (const ExpectedFinding& finding : pattern.expected) kinds += (kinds.empty() ? "" : ", ") + std::string(sim::Name(finding.kind));
  return kinds;
}

std::string MakeTable() {
  std::string table = "| # | fault | found as | racing pair | faulty form found | right form silent | JAX 0.9.2 at its defaults |\n| --- | --- | --- | --- | --- | --- | --- |\n";
  Score found, silent;
  for (const Pattern& pattern : Patterns()) {
    const Score faulty = ScoreOf(pattern, true), right = ScoreOf(pattern, false);
    found.Add(faulty);
    silent.Add(right);
    table += "| " + pattern.number + " | " + pattern.what + " | " + Kinds(pattern) + " | " + pattern.pair + " | " + faulty.Text() + " | " + right.Text() + " | " +
             (pattern.jax.empty() ? "not measured" : pattern.jax) + " |\n";
  }
  table += "\n| right program that looks wrong | silent |\n| --- | --- |\n";
  for (const Pattern& pattern : CleanPatterns()) {
    const Score right = ScoreOf(pattern, false);
    silent.Add(right);
    table += "| " + pattern.what + " | " + right.Text() + " |\n";
  }
  table += "\nIn all: " + std::to_string(found.right) + " true positives, " + std::to_string(found.wrong) + " false negatives, " + std::to_string(silent.right) +
           " true negatives, " + std::to_string(silent.wrong) + " false positives.\n";
  return table;
}

TEST(RaceDocs, SayWhatTheTestsSee) {
  const std::filesystem::path path = std::filesystem::path(KA_SOURCE_DIR) / "docs" / "races.md";
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t begin = text.find(kBegin), end = text.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const std::size_t first = begin + std::string(kBegin).size();
  const std::string table = MakeTable();
  if (std::getenv("KA_UPDATE_DOCS") != nullptr) std::ofstream(path, std::ios::binary) << text.substr(0, first) << table << text.substr(end);
  else EXPECT_EQ(text.substr(first, end - first), table) << "run it once with KA_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace kernel_audit::testing
