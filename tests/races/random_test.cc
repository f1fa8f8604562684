// The race engine against the slow judge, on programs that nobody chose.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "kernel_audit/ir/verifier.h"
#include "races/compare.h"
#include "races/random_program.h"
#include "simulate.h"

namespace kernel_audit::testing {
namespace {

using Kind = sim::Schedule::Kind;

std::uint64_t Setting(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : otherwise;
}

sim::RunOptions OptionsFor(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  sim::RunOptions options;
  options.schedule = {static_cast<Kind>(random() % 3), random()};
  options.cores = 1 + static_cast<int>(random() % 3);
  if (random() % 3 == 0) options.permute_parallel = random();
  return options;
}

// Kinds of findings, and how many programs had them.
using Tally = std::map<std::string, int>;

std::vector<std::string> Check(std::uint64_t seed, Tally& tally) {
  const std::unique_ptr<ir::Kernel> kernel = RandomProgram(seed);
  if (const auto ok = ir::Verify(*kernel); !ok) return {ok.error().ToString()};
  const auto program = sim::Program::Decode(*kernel);
  if (!program) return {program.error().ToString()};
  const HostArray input = Floats({kRandomRows, kRandomColumns}, [](std::int64_t i) { return i; });
  HostArray first(input.type()), second(input.type());
  sim::EventLog events;
  sim::RunOptions options = OptionsFor(seed);
  options.events = &events;
  const std::vector<const std::byte*> in = {input.data(), input.data()};
  const std::vector<std::byte*> out = {first.data(), second.data()};
  const auto report = sim::Run(**program, in, out, options);
  if (!report) return {report.error().ToString()};
  std::set<std::string> kinds;
  for (const sim::Finding& finding : report->findings) kinds.insert(sim::Name(finding.kind));
  for (const std::string& kind : kinds) ++tally[kind];
  const bool clean = kinds.count("race") + kinds.count("leak") + kinds.count("deadlock") == 0;
  ++tally[clean ? "clean" : "not clean"];
  if (clean && !events.events.empty()) tally["clean DMAs"] += static_cast<int>(std::count_if(events.events.begin(), events.events.end(), [](const auto& e) { return e.dma > 0; }) > 0);
  if (report->cores > 1) ++tally["several cores"];
  return Disagreements(*report, kernel->grid, events);
}

TEST(RandomPrograms, BothEnginesAgree) {
  const std::uint64_t count = Setting("KA_RACE_PROGRAMS", 10000), first = Setting("KA_RACE_SEED", 1);
  Tally tally;
  int shown = 0;
  for (std::uint64_t seed = first; seed < first + count && shown < 5; ++seed) {
    const std::vector<std::string> differences = Check(seed, tally);
    if (differences.empty()) continue;
    ++shown;
    ADD_FAILURE() << "KA_RACE_SEED=" << seed << " KA_RACE_PROGRAMS=1: " << ::testing::PrintToString(differences);
  }
  for (const auto& [what, times] : tally) RecordProperty(what, times);
  for (const auto& [what, times] : tally) std::printf("%s: %d\n", what.c_str(), times);
  if (count < 1000) return;
  // The programs are worth the time: each verdict is common.
  for (const char* what : {"race", "leak", "deadlock", "clean", "several cores"}) EXPECT_GT(tally[what], static_cast<int>(count / 20)) << what;
}

}  // namespace
}  // namespace kernel_audit::testing
