// Every module that JAX lowered, simulated: its outputs are what JAX's kernels must give, and nothing is found.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "kernel_audit/core/json.h"
#include "kernel_audit/core/npy.h"
#include "simulate.h"

namespace kernel_audit::testing {
namespace {

std::filesystem::path Folder() { return std::filesystem::path(KA_SOURCE_DIR) / "tests" / "data" / "golden" / "data"; }

std::string ReadText(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const core::Json& Cases() {
  static const core::Json cases = core::ParseJson(ReadText(Folder() / "cases.json")).value();
  return cases;
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& [name, _] : Cases().items()) names.push_back(name);
  return names;
}

HostArray ReadArray(const std::string& file, const std::string& dtype) {
  core::Result<HostArray> array = core::ReadNpy(Folder() / file);
  if (array && dtype == "bfloat16") array = core::Reinterpret(std::move(*array), DType::kBFloat16);
  if (!array) throw std::runtime_error(array.error().ToString());
  return std::move(*array);
}

std::vector<HostArray> ReadArrays(const std::string& name, const char* key, const char* suffix) {
  std::vector<HostArray> arrays;
  for (const core::Json& type : Cases()[name][key]) {
    arrays.push_back(ReadArray(name + suffix + std::to_string(arrays.size()) + ".npy", type[1].get<std::string>()));
  }
  return arrays;
}

// Relative to max(1, |value|); 0: bit for bit, any NaN for any NaN.
void ExpectWithin(const HostArray& got, const HostArray& want, double tolerance) {
  ASSERT_EQ(got.type(), want.type());
  const std::vector<double> a = Values(got), b = Values(want);
  const std::vector<std::uint32_t> bits_a = Bits(got), bits_b = Bits(want);
  int shown = 0;
  for (std::size_t i = 0; i < a.size() && shown < 5; ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    const bool same = tolerance == 0 ? bits_a[i] == bits_b[i] : std::abs(a[i] - b[i]) <= tolerance * std::max(1.0, std::abs(b[i])) || a[i] == b[i];
    if (!same && ++shown > 0) ADD_FAILURE() << "element " << i << " is " << a[i] << " and not " << b[i] << " (tolerance " << tolerance << ")";
  }
}

class GoldenTest : public SimulatedTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(GoldenTest, RunsCleanlyAndGivesTheRightOutputs) {
  const std::string name = GetParam();
  const auto program = TheSimulator().Load(ReadText(Folder() / (name + ".mlir")), name + ".mlir");
  ASSERT_TRUE(program) << program.error().ToString();
  const std::vector<HostArray> inputs = ReadArrays(name, "inputs", ".in"), want = ReadArrays(name, "outputs", ".out");
  std::vector<const HostArray*> arguments;
  for (const HostArray& input : inputs) arguments.push_back(&input);
  const auto outcome = program->Run(arguments);
  ASSERT_TRUE(outcome) << outcome.error().ToString();
  EXPECT_THAT(Findings(*outcome), ::testing::IsEmpty());
  ASSERT_EQ(outcome->outputs.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) ExpectWithin(outcome->outputs[i], want[i], Cases()[name]["tolerance"].get<double>());
}

INSTANTIATE_TEST_SUITE_P(All, GoldenTest, ::testing::ValuesIn(Names()), [](const auto& info) { return info.param; });

TEST(GoldenTable, HasAllModules) { EXPECT_EQ(Names().size(), 30u); }

}  // namespace
}  // namespace kernel_audit::testing
