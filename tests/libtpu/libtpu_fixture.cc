#include "libtpu/libtpu_fixture.h"

#include <map>

#include "kernel_audit/sandbox/landlock.h"
#include "kernel_audit/trace/module.h"

namespace kernel_audit::testing {

using ::testing::HasSubstr;
using target::CompileOutcome;

void LibtpuTest::SetUpTestSuite() { setenv("KERNEL_AUDIT_LIBTPU_COMPILER", KA_BINARY_DIR "/bin/libtpu_compiler", 1); }

void LibtpuTest::SetUp() {
  if (sandbox::LandlockAbi() == 0) GTEST_SKIP() << "no Landlock in this kernel";
  static std::map<std::string, core::Result<target::Libtpu>> found;  // each is hashed once
  const auto [at, fresh] = found.try_emplace(version(), core::Fail(core::ErrorCode::kIo, ""));
  if (fresh) at->second = target::FindLibtpu(version(), false);
  if (!at->second) GTEST_SKIP() << at->second.error().message;
  libtpu_ = *at->second;
}

CompileOutcome LibtpuTest::CompileForV5e(const std::string& module) {
  auto outcome = CompileFor(V5e()[0], module);
  EXPECT_TRUE(outcome) << outcome.error().message;
  return outcome ? std::move(*outcome) : CompileOutcome{};
}

void LibtpuTest::ExpectAccepted(const std::string& name, const std::string& module, std::span<const target::Topology> topologies) {
  for (const target::Topology& topology : topologies) {
    const auto outcome = CompileFor(topology, module);
    ASSERT_TRUE(outcome) << name << ": " << outcome.error().message;
    EXPECT_TRUE(outcome->accepted) << name << " for " << topology.name << ": " << outcome->refusal;
    if (!outcome->accepted) continue;
    EXPECT_GT(outcome->code_bytes, 0) << name;
    if (module.find("tpu_custom_call") == std::string::npos) continue;
    ASSERT_FALSE(outcome->kernels.empty()) << name << " for " << topology.name;
    EXPECT_GT(outcome->kernels[0].bundles, 0);
    EXPECT_THAT(outcome->kernels[0].units, ::testing::Not(::testing::IsEmpty()));
  }
}

void LibtpuTest::ExpectRefused(const std::string& name, const std::string& module, const std::string& words) {
  const CompileOutcome outcome = CompileForV5e(module);
  EXPECT_FALSE(outcome.accepted) << name;
  EXPECT_THAT(outcome.refusal, HasSubstr(words)) << name;
}

std::string ModuleOf(const SingleFunction& function, const std::vector<core::ArrayType>& inputs) {
  std::vector<trace::ArgumentType> arguments;
  for (const core::ArrayType& input : inputs) arguments.push_back({input.dtype, input.shape});
  return trace::TraceModule("m", arguments, Single(function));
}

}  // namespace kernel_audit::testing
