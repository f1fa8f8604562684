// The DMA and semaphore kernels that JAX lowered: each gets its true verdict under every schedule.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "kernel_audit/core/json.h"
#include "kernel_audit/core/npy.h"
#include "races/compare.h"
#include "races/patterns.h"

namespace kernel_audit::testing {
namespace {

std::filesystem::path Folder() { return std::filesystem::path(KA_SOURCE_DIR) / "tests" / "data" / "golden" / "races"; }

std::string ReadText(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The worst of a run's findings, or "clean".
std::string Verdict(const sim::Report& report) {
  using Kind = sim::FindingKind;
  for (const Kind kind : {Kind::kDeadlock, Kind::kRace, Kind::kOutOfBounds, Kind::kUninitialized, Kind::kOwnership, Kind::kLeak, Kind::kCapacity}) {
    for (const sim::Finding& finding : report.findings) {
      if (finding.kind == kind) return sim::Name(kind);
    }
  }
  return "clean";
}

TEST(GoldenRaces, EveryModuleHasItsVerdictUnderEverySchedule) {
  const core::Json truth = core::ParseJson(ReadText(Folder() / "truth.json")).value();
  EXPECT_EQ(truth.size(), 13u);
  for (const auto& [name, verdict] : truth.items()) {
    const Kernel kernel(ReadText(Folder() / (name + ".mlir")));
    const HostArray x = core::ReadNpy(Folder() / (name + ".in0.npy")).value();
    std::vector<std::string> first;
    for (const NamedSchedule& schedule : Schedules()) {
      SCOPED_TRACE(name + ", " + schedule.name);
      sim::EventLog events;
      sim::RunOptions options;
      options.schedule = schedule.schedule;
      options.cores = name.rfind("two_cores", 0) == 0 ? 2 : 1;
      options.events = &events;
      const KernelRun run = kernel.Run({&x}, options);
      EXPECT_EQ(Verdict(run.report), verdict.get<std::string>()) << ::testing::PrintToString(Findings(run.report));
      EXPECT_THAT(Disagreements(run.report, kernel.program().kernel().grid, events), ::testing::IsEmpty());
      if (first.empty()) first = Findings(run.report);
      EXPECT_EQ(Findings(run.report), first);
    }
  }
}

}  // namespace
}  // namespace kernel_audit::testing
