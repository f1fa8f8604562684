// The simulator against a second reading of the IR, on kernels made at random: every element, bit for bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>

#include "kernel_audit/ir/mosaic_text.h"
#include "kernel_audit/ir/verifier.h"
#include "kernel_audit/sim/chain.h"
#include "kernel_audit/sim/random_kernel_testing.h"
#include "kernel_audit/sim/run.h"
#include "kernel_audit/sim/scalar_interpreter_testing.h"

namespace kernel_audit::sim::testing {
namespace {

struct Given {
  std::vector<float> x;
  std::vector<std::int32_t> k;
};

Given RandomInputs(const ir::Kernel& kernel, std::uint64_t seed) {
  std::mt19937_64 random(seed ^ 0x9e3779b97f4a7c15u);
  Given given;
  for (std::int64_t i = core::NumElements(kernel.inputs[0].shape); i > 0; --i) {
    given.x.push_back(random() % 32 == 0 ? std::numeric_limits<float>::infinity() : std::ldexp(static_cast<float>(static_cast<std::int32_t>(random())), -28));
  }
  for (int i = 0; i < 8; ++i) given.k.push_back(random() % 16 == 0 ? static_cast<std::int32_t>(random()) : static_cast<std::int32_t>(random() % 14) - 4);
  return given;
}

struct Got {
  std::vector<std::uint32_t> z;
  std::vector<std::int32_t> w;
};

Got Simulated(const ir::Kernel& kernel, const Given& given, bool observe) {
  const auto program = Program::Decode(kernel);
  if (!program) throw std::runtime_error(program.error().ToString());
  Got got;
  got.z.resize(given.x.size());
  got.w.resize(static_cast<std::size_t>(core::NumElements(kernel.outputs[1].shape)));
  const std::vector<const std::byte*> inputs = {reinterpret_cast<const std::byte*>(given.x.data()), reinterpret_cast<const std::byte*>(given.k.data())};
  const std::vector<std::byte*> outputs = {reinterpret_cast<std::byte*>(got.z.data()), reinterpret_cast<std::byte*>(got.w.data())};
  RunOptions options;
  options.observe = observe;
  const auto report = sim::Run(**program, inputs, outputs, options);
  if (!report) throw std::runtime_error(report.error().ToString());
  return got;
}

bool SameFloat(std::uint32_t a, std::uint32_t b) {
  return a == b || (std::isnan(std::bit_cast<float>(a)) && std::isnan(std::bit_cast<float>(b)));
}

// The first difference, or nothing.
std::string Difference(const ir::Kernel& kernel, const Given& given, bool observe) {
  Words x, k;
  for (float element : given.x) x.push_back(WordOf(element));
  for (std::int32_t element : given.k) k.push_back(element);
  const auto [z, w] = ScalarInterpreter(kernel).Run(x, k);
  const Got got = Simulated(kernel, given, observe);
  for (std::size_t e = 0; e < z.size(); ++e) {
    if (!SameFloat(got.z[e], static_cast<std::uint32_t>(z[e]))) {
      return "z[" + std::to_string(e) + "] is " + std::to_string(std::bit_cast<float>(got.z[e])) + ", not " + std::to_string(Real(z[e], DType::kFloat32));
    }
  }
  for (std::size_t e = 0; e < w.size(); ++e) {
    if (got.w[e] != w[e]) return "w[" + std::to_string(e) + "] is " + std::to_string(got.w[e]) + ", not " + std::to_string(w[e]);
  }
  return "";
}

TEST(RandomKernels, AgreeWithASecondReadingOfTheIr) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const std::unique_ptr<ir::Kernel> kernel = RandomKernel(seed).Make();
    const auto verified = ir::Verify(*kernel);
    ASSERT_TRUE(verified) << "seed " << seed << ": " << verified.error().ToString();
    const std::string difference = Difference(*kernel, RandomInputs(*kernel, seed), seed % 4 != 0);
    ASSERT_EQ(difference, "") << "seed " << seed << "\n" << (std::getenv("KA_SHOW_KERNEL") != nullptr ? ir::MosaicText(*kernel) : "");
  }
}

TEST(RandomKernels, AgreeWithTheSecondReadingInChainsToo) {
  int chains = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const std::unique_ptr<ir::Kernel> kernel = RandomKernel(seed, true).Make();
    const auto verified = ir::Verify(*kernel);
    ASSERT_TRUE(verified) << "seed " << seed << ": " << verified.error().ToString();
    const auto program = Program::Decode(*kernel);
    ASSERT_TRUE(program) << "seed " << seed << ": " << program.error().ToString();
    const std::vector<Instruction>& code = (*program)->code();
    chains += static_cast<int>(std::count_if(code.begin(), code.end(), [](const Instruction& each) { return each.run == RunChain; }));
    const std::string difference = Difference(*kernel, RandomInputs(*kernel, seed), seed % 2 != 0);
    ASSERT_EQ(difference, "") << "seed " << seed << "\n" << (std::getenv("KA_SHOW_KERNEL") != nullptr ? ir::MosaicText(*kernel) : "");
  }
  EXPECT_GE(chains, 400);
}

// What the kernels are made of: a generator that stops making something would test nothing.
void Count(const ir::Region& region, std::map<std::string, int>& counts) {
  for (const ir::Op* op : region.ops) {
    ++counts[op->info().name];
    for (const ir::Region* inner : op->regions) Count(*inner, counts);
  }
}

TEST(RandomKernels, UseEveryOperationThatTheyKnow) {
  std::map<std::string, int> counts;
  for (std::uint64_t seed = 0; seed < 300; ++seed) Count(*RandomKernel(seed).Make()->body, counts);
  for (const char* name : {"arith.addf", "arith.divf", "arith.maximumf", "arith.remsi", "arith.shrui", "arith.select", "arith.cmpf", "arith.truncf", "arith.fptosi",
                           "tpu.bitcast", "tpu.iota", "vector.broadcast", "vector.shape_cast", "vector.extract_strided_slice", "vector.multi_reduction",
                           "tpu.transpose", "tpu.dynamic_rotate", "tpu.concatenate", "memref.load", "memref.store", "vector.load", "tpu.vector_store", "scf.if", "scf.for"}) {
    EXPECT_GE(counts[name], 20) << name;
  }
}

}  // namespace
}  // namespace kernel_audit::sim::testing
