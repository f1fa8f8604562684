// Modules through the real TPU compiler. Skipped where libtpu has not been fetched: `kernel-audit compile` fetches it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "kernel_audit/target/compile.h"
#include "simulate.h"

namespace kernel_audit::testing {

class LibtpuTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite();
  void SetUp() override;
  // The one to compile with.
  virtual std::string version() const { return target::kDefaultLibtpu; }

  core::Result<target::CompileOutcome> CompileFor(const target::Topology& topology, const std::string& module) { return target::Compile(*libtpu_, topology, module); }
  // For v5e. A compiler that fails inside is a failure of the test.
  target::CompileOutcome CompileForV5e(const std::string& module);

  // Accepted for each topology, with code and, where it has a kernel, a schedule.
  void ExpectAccepted(const std::string& name, const std::string& module, std::span<const target::Topology> topologies = target::AllTopologies());
  // By v5e's compiler, with these words.
  void ExpectRefused(const std::string& name, const std::string& module, const std::string& words);

  std::optional<target::Libtpu> libtpu_;
};

inline std::span<const target::Topology> V5e() { return target::AllTopologies().subspan(1, 1); }

// A function of one array, or two, as a module.
std::string ModuleOf(const SingleFunction& function, const std::vector<core::ArrayType>& inputs);

}  // namespace kernel_audit::testing
