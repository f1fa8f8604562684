// Modules that JAX lowered, kept in folders of tests/data by tests/peer/write_modules.py: each gives its right outputs, or has its faults named with
// their lines of Python, whatever the schedule.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "kernel_audit/core/json.h"
#include "kernel_audit/core/npy.h"
#include "simulate.h"

namespace kernel_audit::testing {
namespace {

using core::Json;

std::filesystem::path Data() { return std::filesystem::path(KA_SOURCE_DIR) / "tests" / "data"; }

std::string ReadText(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct StoredModule {
  std::string folder, name;
  Json entry;
};

// gtest prints a parameter by this.
void PrintTo(const StoredModule& module, std::ostream* out) { *out << module.folder << "/" << module.name; }

std::vector<StoredModule> Modules() {
  std::vector<StoredModule> modules;
  for (const char* folder : {"production", "features", "newest_jax", "user_races"}) {
    const Json cases = core::ParseJson(ReadText(Data() / folder / "cases.json")).value();
    for (const auto& [name, entry] : cases.items()) modules.push_back({folder, name, entry});
  }
  return modules;
}

// Element number i of a made input: [-32, 32), as tests/peer/stored.py has it.
int Hashed(std::int64_t i, std::int64_t salt) {
  auto u = static_cast<std::uint32_t>(i + salt * 1000003);
  u = (u ^ (u >> 16)) * 0x7feb352du;
  u = (u ^ (u >> 15)) * 0x846ca68bu;
  return static_cast<int>((u ^ (u >> 16)) & 63) - 32;
}

HostArray MakeInput(const Json& input) {
  const DType dtype = core::DTypeFromName(input["dtype"].get<std::string>()).value();
  const Shape shape = input["shape"].get<Shape>();
  if (input.contains("values")) {
    return MakeArray(dtype, shape, [&](std::int64_t i) { return input["values"][static_cast<std::size_t>(i)].get<double>(); });
  }
  const std::int64_t salt = input["salt"].get<std::int64_t>();
  const double scale = core::IsFloat(dtype) ? input["scale"].get<double>() / 8 : 1;
  return MakeArray(dtype, shape, [&](std::int64_t i) { return Hashed(i, salt) * scale; });
}

// Relative to max(1, |value|); 0: bit for bit, any NaN for any NaN.
void ExpectWithin(const HostArray& got, const HostArray& want, double tolerance) {
  ASSERT_EQ(got.type(), want.type());
  const std::vector<double> a = Values(got), b = Values(want);
  int shown = 0;
  for (std::size_t i = 0; i < a.size() && shown < 5; ++i) {
    const bool both_nan = std::isnan(a[i]) && std::isnan(b[i]);
    const bool equal = a[i] == b[i] && std::signbit(a[i]) == std::signbit(b[i]);
    if (both_nan || equal || (tolerance > 0 && std::abs(a[i] - b[i]) <= tolerance * std::max(1.0, std::abs(b[i])))) continue;
    ++shown;
    ADD_FAILURE() << "element " << i << " is " << a[i] << " and not " << b[i] << " (tolerance " << tolerance << ")";
  }
}

sim::Schedule ScheduleNumber(int number) {
  if (number < 2) return {number == 0 ? sim::Schedule::Kind::kEarly : sim::Schedule::Kind::kLate, 0};
  return {sim::Schedule::Kind::kRandom, static_cast<std::uint64_t>(number - 1)};
}

std::set<std::string> Kinds(const Outcome& outcome) {
  std::set<std::string> kinds;
  for (const sim::Report& report : outcome.kernels) {
    for (const sim::Finding& finding : report.findings) kinds.insert(sim::Name(finding.kind));
  }
  return kinds;
}

// Where findings and what took part in them are.
std::set<int> Lines(const Outcome& outcome) {
  std::set<int> lines;
  for (const sim::Report& report : outcome.kernels) {
    for (const sim::Finding& finding : report.findings) {
      lines.insert({finding.location.line, finding.other_location.line});
      for (const sim::FindingAccess& access : finding.accesses) lines.insert(access.location.line);
    }
  }
  return lines;
}

class StoredModuleTest : public SimulatedTest, public ::testing::WithParamInterface<StoredModule> {
 protected:
  void Check(const Outcome& outcome, const std::set<std::string>& kinds) {
    const auto& [folder, name, entry] = GetParam();
    ASSERT_EQ(Kinds(outcome), kinds) << ::testing::PrintToString(Findings(outcome));
    if (!kinds.empty()) {
      EXPECT_THAT(Lines(outcome), ::testing::IsSupersetOf(entry["lines"].get<std::vector<int>>())) << ::testing::PrintToString(Findings(outcome));
    }
    // What a racy or otherwise faulty kernel computes is nobody's business.
    if (!kinds.empty()) return;
    for (int i = 0; i < entry["outputs"].get<int>(); ++i) {
      const auto file = Data() / folder / (name + ".out" + std::to_string(i) + ".npy");
      auto want = core::ReadNpy(file);
      ASSERT_TRUE(want) << want.error().ToString();
      ASSERT_LT(static_cast<std::size_t>(i), outcome.outputs.size());
      const HostArray& got = outcome.outputs[static_cast<std::size_t>(i)];
      if (got.dtype() == DType::kBFloat16) want = core::Reinterpret(std::move(*want), DType::kBFloat16);
      ASSERT_TRUE(want) << want.error().ToString();
      ExpectWithin(got, *want, entry["tolerance"].get<double>());
    }
  }
};

TEST_P(StoredModuleTest, IsRightUnderEverySchedule) {
  const auto& [folder, name, entry] = GetParam();
  const auto program = TheSimulator().Load(ReadText(Data() / folder / (name + ".mlir")), name + ".mlir");
  ASSERT_TRUE(program) << program.error().ToString();
  std::vector<HostArray> inputs;
  for (const Json& input : entry["inputs"]) inputs.push_back(MakeInput(input));
  std::vector<const HostArray*> arguments;
  for (const HostArray& input : inputs) arguments.push_back(&input);
  for (const auto& [cores, kinds] : entry["cores"].items()) {
    std::set<std::vector<std::string>> said;
    for (int schedule = 0; schedule < 5; ++schedule) {
      SCOPED_TRACE(cores + " cores, schedule " + std::to_string(schedule));
      sim::RunOptions options;
      options.cores = std::stoi(cores);
      options.schedule = ScheduleNumber(schedule);
      const auto outcome = program->Run(arguments, options);
      ASSERT_TRUE(outcome) << outcome.error().ToString();
      Check(*outcome, kinds.get<std::set<std::string>>());
      said.insert(Findings(*outcome));
    }
    EXPECT_EQ(said.size(), 1u) << "the schedule changes what is found";
  }
}

INSTANTIATE_TEST_SUITE_P(All, StoredModuleTest, ::testing::ValuesIn(Modules()),
                         [](const auto& info) { return info.param.folder + "_" + info.param.name; });

TEST(StoredModules, AreThere) { EXPECT_EQ(Modules().size(), 12u + 27u + 8u + 42u); }

}  // namespace
}  // namespace kernel_audit::testing
