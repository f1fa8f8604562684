// Bytes of code: the solution's and the examples' beside JAX's own lowering of the same kernels, JAX's modules beside what was noted of them, and the tables of docs/compile.md.
#include <filesystem>

#include <fmt/format.h>

#include "kernel_audit/core/json.h"
#include "kernel_audit/trace/module.h"
#include "libtpu/doc_section.h"
#include "libtpu/libtpu_fixture.h"

// projects/kernel-audit/solution/model.cpp and examples/, which tests/front_end/kernels.cc holds.
namespace pl = kernel_audit::pallas;
pl::Array blocked_axpy(pl::Array x, pl::Array y, pl::Block block, pl::Mode mode);
pl::Array fused_bias_relu(pl::Array x, pl::Array bias, pl::Block block, pl::Mode mode);
pl::Array pipelined_axpy(pl::Array x, pl::Array y, pl::Block block, pl::Pipeline pipeline, pl::Mode mode);
pl::Array matmul(pl::Array x, pl::Array y, pl::Block tile);
pl::Array softmax(pl::Array x, std::int64_t rows);

namespace kernel_audit::testing {
namespace {

std::filesystem::path Golden() { return std::filesystem::path(KA_SOURCE_DIR) / "tests" / "data" / "golden" / "data"; }

// The cases' names and what JAX's lowering of each took for v5e.
std::map<std::string, std::int64_t> JaxBytes() {
  std::map<std::string, std::int64_t> bytes;
  const auto cases = core::ParseJson(*core::ReadFile(Golden() / "cases.json", 1 << 20));
  for (const auto& [name, one] : cases->items()) bytes[name] = one["v5e_code_bytes"].get<std::int64_t>();
  return bytes;
}

struct Program {
  std::string name;  // of the golden module that does the same, or of the kernel in the docs
  std::string module;
};

std::string Axpy(DType dtype, const Shape& shape, const pl::Block& block) {
  return ModuleOf([&](const auto& a) { return blocked_axpy(a[0], a[1], block, pl::Mode::interpret); }, {{dtype, shape}, {dtype, shape}});
}
std::string Fused(DType dtype, const Shape& shape, const pl::Block& block) {
  return ModuleOf([&](const auto& a) { return fused_bias_relu(a[0], a[1], block, pl::Mode::interpret); }, {{dtype, shape}, {dtype, {shape[1]}}});
}
std::string Pipelined(DType dtype, const Shape& shape, const pl::Block& block, int buffers) {
  return ModuleOf([&](const auto& a) { return pipelined_axpy(a[0], a[1], block, {.buffers = buffers}, pl::Mode::interpret); }, {{dtype, shape}, {dtype, shape}});
}
std::string Product(DType dtype, const Shape& x, const Shape& y, const pl::Block& tile) {
  return ModuleOf([&](const auto& a) { return matmul(a[0], a[1], tile); }, {{dtype, x}, {dtype, y}});
}

constexpr DType kF32 = DType::kFloat32, kBf16 = DType::kBFloat16;

std::vector<Program> Counterparts() {
  const Shape tails{17, 257}, small{9, 129};
  return {{"axpy_f32_17x257", Axpy(kF32, tails, {8, 128})},
          {"axpy_bf16_17x257", Axpy(kBf16, tails, {16, 256})},
          {"axpy_f32_1x1", Axpy(kF32, {1, 1}, {8, 128})},
          {"bias_relu_f32_9x129", Fused(kF32, small, {8, 128})},
          {"bias_relu_bf16_9x129", Fused(kBf16, small, {16, 128})},
          {"pipeline_f32_b2_17x257", Pipelined(kF32, tails, {8, 128}, 2)},
          {"pipeline_f32_b3_17x257", Pipelined(kF32, tails, {8, 128}, 3)},
          {"pipeline_bf16_b2_17x257", Pipelined(kBf16, tails, {16, 128}, 2)},
          {"pipeline_bf16_b3_17x257", Pipelined(kBf16, tails, {16, 128}, 3)},
          {"matmul_bf16_256x256x256", Product(kBf16, {256, 256}, {256, 256}, {128, 128, 128})},
          {"matmul_f32_64x256x128", Product(kF32, {64, 256}, {256, 128}, {32, 128, 128})},
          {"softmax_f32_32x256", ModuleOf([](const auto& a) { return softmax(a[0], 8); }, {{kF32, {32, 256}}})}};
}

TEST_F(LibtpuTest, CodeIsWithinATenthOfJaxs) {
  const auto jax = JaxBytes();
  std::string table = "| kernel | ours | JAX 0.9.2's | ratio |\n| --- | --- | --- | --- |\n";
  for (const Program& program : Counterparts()) {
    const target::CompileOutcome outcome = CompileForV5e(program.module);
    ASSERT_TRUE(outcome.accepted) << program.name << ": " << outcome.refusal;
    const double ratio = static_cast<double>(outcome.code_bytes) / static_cast<double>(jax.at(program.name));
    EXPECT_NEAR(ratio, 1.0, 0.1) << program.name;
    table += fmt::format("| {} | {} | {} | {:.3f} |\n", program.name, outcome.code_bytes, jax.at(program.name), ratio);
  }
  ExpectSection("ours beside JAX's", table);
}

TEST_F(LibtpuTest, JaxsModulesTakeWhatWasNoted) {
  std::string table = "| module | code bytes | bundles | instructions |\n| --- | --- | --- | --- |\n";
  for (const auto& [name, bytes] : JaxBytes()) {
    const target::CompileOutcome outcome = CompileForV5e(*core::ReadFile(Golden() / (name + ".mlir"), 1 << 20));
    ASSERT_TRUE(outcome.accepted) << name << ": " << outcome.refusal;
    EXPECT_EQ(outcome.code_bytes, bytes) << name;
    ASSERT_EQ(outcome.kernels.size(), 1u) << name;
    table += fmt::format("| {} | {} | {} | {} |\n", name, outcome.code_bytes, outcome.kernels[0].bundles, outcome.kernels[0].instructions);
  }
  ExpectSection("JAX's modules", table);
}

std::vector<Program> Solution() {
  const Shape tails{17, 257};
  return {{"axpy, float32, (8, 128)", Axpy(kF32, tails, {8, 128})},
          {"axpy, bfloat16, (16, 256)", Axpy(kBf16, tails, {16, 256})},
          {"fused, float32, (8, 128)", Fused(kF32, tails, {8, 128})},
          {"fused, bfloat16, (16, 256)", Fused(kBf16, tails, {16, 256})},
          {"pipeline, float32, (8, 128), 2 slots", Pipelined(kF32, tails, {8, 128}, 2)},
          {"pipeline, bfloat16, (16, 256), 3 slots", Pipelined(kBf16, tails, {16, 256}, 3)}};
}

// A version's table of the solution's kernels on five chips.
class SolutionTable : public LibtpuTest, public ::testing::WithParamInterface<const char*> {
 protected:
  std::string version() const override { return GetParam(); }
};

TEST_P(SolutionTable, IsInTheDocs) {
  std::string table = "| kernel |", rule = "| --- |";
  for (const target::Topology& topology : target::AllTopologies()) {
    table += fmt::format(" {} |", topology.name);
    rule += " --- |";
  }
  table += "\n" + rule + "\n";
  for (const Program& program : Solution()) {
    table += "| " + program.name + " |";
    for (const target::Topology& topology : target::AllTopologies()) {
      const auto outcome = CompileFor(topology, program.module);
      ASSERT_TRUE(outcome && outcome->accepted) << program.name << " for " << topology.name;
      table += fmt::format(" {} |", outcome->code_bytes);
    }
    table += "\n";
  }
  ExpectSection("the solution, libtpu " + version(), table);
}

INSTANTIATE_TEST_SUITE_P(Versions, SolutionTable, ::testing::Values("0.0.37", "0.0.52"));

}  // namespace
}  // namespace kernel_audit::testing
