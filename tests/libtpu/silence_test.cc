// What the TPU compiler never objects to, and what must be refused before it.
#include <filesystem>

#include "field_cases/prefetch_module.h"
#include "kernel_audit/core/json.h"
#include "kernel_audit/core/npy.h"
#include "kernel_audit/trace/trace_error.h"
#include "libtpu/doc_section.h"
#include "libtpu/libtpu_fixture.h"
#include "libtpu/wrong_kernels.h"
#include "races/patterns.h"

namespace kernel_audit::testing {
namespace {

using ::testing::Ne;

const std::vector<core::ArrayType> kInput = {{DType::kFloat32, {32, 128}}};

// The topologies that these are compiled for: v5e's alone, or all with KA_LIBTPU_CHIPS=all.
std::span<const target::Topology> Chips() { return std::getenv("KA_LIBTPU_CHIPS") == nullptr ? V5e() : target::AllTopologies(); }

struct Judged {
  std::string what, module, found;  // found: by the simulator
};

std::vector<Judged> JaxsKernels() {
  const std::filesystem::path folder = std::filesystem::path(KA_SOURCE_DIR) / "tests" / "data" / "golden" / "races";
  std::vector<Judged> kernels;
  const auto truth = core::ParseJson(core::ReadFile(folder / "truth.json", 1 << 20).value());
  for (const auto& [name, verdict] : truth->items()) {
    const std::string module = core::ReadFile(folder / (name + ".mlir"), 1 << 20).value();
    const HostArray x = core::ReadNpy(folder / (name + ".in0.npy")).value();
    const bool two_cores = name.rfind("two_cores", 0) == 0;
    const sim::Report report = Kernel(module).Run({&x}, {.cores = two_cores ? 2 : 1}).report;
    kernels.push_back({name + (two_cores ? " (two cores)" : ""), module, KindsOf(report)});
  }
  return kernels;
}

std::vector<Judged> WrongMapsGridsAndOutputs() {
  std::vector<Judged> kernels;
  for (const WrongKernel& wrong : WrongKernels()) {
    const HostArray x = PatternInput();
    kernels.push_back({wrong.what, ModuleOf(wrong.function, kInput), KindsOf(RunKernel(wrong.function, {&x}).report)});
  }
  return kernels;
}

std::vector<Judged> WrongCopies() {
  std::vector<Judged> kernels;
  for (const Pattern& pattern : Patterns()) {
    MarkedLines lines;
    const HostArray x = PatternInput();
    const std::string module = Trace({&x}, Single([&](const std::vector<pl::Array>& a) { return pattern.kernel(a[0], true, lines); }));
    kernels.push_back({pattern.what, module, KindsOf(Kernel(module).Run({&x}, {.cores = pattern.cores}).report)});
  }
  return kernels;
}

TEST_F(LibtpuTest, AcceptsWrongKernelsThatTheSimulatorTellsApart) {
  std::string table = "| kernel | simulated | libtpu 0.0.37 |\n| --- | --- | --- |\n";
  const auto add = [&](const std::vector<Judged>& kernels) {
    for (const Judged& kernel : kernels) {
      ExpectAccepted(kernel.what, kernel.module, Chips());
      table += "| " + kernel.what + " | " + kernel.found + " | accepted |\n";
    }
  };
  add(JaxsKernels());
  add(WrongMapsGridsAndOutputs());
  add(WrongCopies());
  ExpectSection("accepted", table);
}

TEST(WrongKernelsSimulated, EachIsFound) {
  for (const Judged& kernel : WrongMapsGridsAndOutputs()) EXPECT_THAT(kernel.found, Ne("clean")) << kernel.what;
}

std::string Refusal(const std::function<void()>& trace) {
  try {
    trace();
    return "";
  } catch (const pl::TraceError& error) {
    return error.what();
  }
}

pl::BlockSpec Rows(int buffers) {
  return pl::BlockSpec({8, 128}, [](pl::Index i) { return pl::indices(i, 0); }).buffered(buffers);
}

std::string OfAGrid(int input, std::int64_t programs) {
  return ModuleOf([&](const auto& a) {
    return pl::pallas_call([](pl::Ref x, pl::Ref z) { z.store(x.load()); }, {.grid = {programs}, .in_specs = {Rows(input)}, .out_specs = {Rows(2)}, .out_shape = a[0].aval()})(a[0]);
  }, kInput);
}

std::string OfAPipeline(int input, int output, std::int64_t steps) {
  return ModuleOf([&](const auto& a) {
    const auto kernel = [&](pl::Ref x, pl::Ref z) {
      pl::emit_pipeline([](pl::Ref x, pl::Ref z) { z.store(x.load()); }, {.grid = {steps}, .in_specs = {Rows(input)}, .out_specs = {Rows(output)}})(x, z);
    };
    return pl::pallas_call(kernel, {.in_specs = {pl::BlockSpec(pl::any)}, .out_specs = {pl::BlockSpec(pl::any)}, .out_shape = a[0].aval()})(a[0]);
  }, kInput);
}

TEST(BufferCounts, OthersAreRefused) {
  for (const int buffers : {0, 3}) EXPECT_THAT(Refusal([&] { OfAGrid(buffers, 4); }), ::testing::HasSubstr("only single (1) and double (2) buffering")) << buffers;
  EXPECT_NE(Refusal([] { OfAPipeline(0, 2, 4); }), "");
  EXPECT_NE(Refusal([] { OfAPipeline(2, 0, 4); }), "");
  EXPECT_NE(Refusal([] { OfAPipeline(2, 3, 4); }), "");
}

TEST(EmptyGrids, AreRefused) {
  EXPECT_NE(Refusal([] { OfAGrid(2, 0); }), "");
  EXPECT_NE(Refusal([] { OfAPipeline(2, 2, 0); }), "");
  const std::string map = "    %zero = \"arith.constant\"() {value = 0 : i32} : () -> i32\n    \"func.return\"(%i, %zero) : (i32, i32) -> ()\n";
  EXPECT_TRUE(import::ImportModule(PrefetchModule(PrefetchBody("8", 1, "", map), "8", 32, 32), 0));
  EXPECT_FALSE(import::ImportModule(PrefetchModule(PrefetchBody("8", 0, "", map), "8", 32, 32), 0));
}

TEST_F(LibtpuTest, BufferCountsThatCompile) {
  for (const int buffers : {1, 2}) ExpectAccepted(std::to_string(buffers) + " of a grid", OfAGrid(buffers, 4), V5e());
  for (const int buffers : {1, 2, 3, 4}) ExpectAccepted(std::to_string(buffers) + " of a pipeline", OfAPipeline(buffers, 2, 4), V5e());
}

}  // namespace
}  // namespace kernel_audit::testing
