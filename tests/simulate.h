// Traced functions, run: whole through the simulated tier, or their only kernel alone on the machine.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_audit/core/bfloat16.h"
#include "kernel_audit/core/host_array.h"
#include "kernel_audit/import/module.h"
#include "kernel_audit/pallas.h"
#include "kernel_audit/sim/run.h"
#include "kernel_audit/simulated/simulator.h"

namespace kernel_audit::testing {

namespace pl = kernel_audit::pallas;
using core::DType;
using core::HostArray;
using core::Shape;
using simulated::Outcome;

using Function = std::function<std::vector<pl::Array>(const std::vector<pl::Array>&)>;

// An array whose element number i, row-major, is value(i), rounded once from float32 where the dtype is bfloat16.
HostArray MakeArray(DType dtype, const Shape& shape, const std::function<double(std::int64_t)>& value);
HostArray Floats(const Shape& shape, const std::function<double(std::int64_t)>& value);
HostArray Ints(const std::vector<int>& values);

// The elements as numbers: any integer type, float32 or bfloat16.
std::vector<double> Values(const HostArray& array);
// Their bits.
std::vector<std::uint32_t> Bits(const HostArray& array);
// CRC-32 (IEEE) of the bytes.
std::uint32_t Crc(const HostArray& array);

// The distance in units in the last place of the dtype (float32 or bfloat16), counted over representable numbers; two NaN are 0 apart.
std::int64_t UlpsApart(float a, float b, DType dtype);

// The module of a function of arrays with these types.
std::string Trace(const std::vector<const HostArray*>& inputs, const Function& function);

// One simulator a test program. Throws std::runtime_error when there is none.
const simulated::Simulator& TheSimulator();

// Traces, loads and runs; a failure throws std::runtime_error with its text.
Outcome SimulateModule(std::string_view module, const std::vector<const HostArray*>& inputs, const sim::RunOptions& options = {});
Outcome Simulate(const Function& function, const std::vector<const HostArray*>& inputs, const sim::RunOptions& options = {});
// The same for a function of one result.
using SingleFunction = std::function<pl::Array(const std::vector<pl::Array>&)>;
inline Function Single(SingleFunction function) {
  return [function](const std::vector<pl::Array>& a) { return std::vector<pl::Array>{function(a)}; };
}

// The findings, one line each: "KIND of BUFFER at (GRID POINT), N times: MESSAGE". N is left out when it is 1, the point when there is none.
std::string Describe(const sim::Finding& finding);
std::vector<std::string> Findings(const sim::Report& report);
std::vector<std::string> Findings(const Outcome& outcome);

// Tests that need XLA:CPU; skipped, with the reason, where its plugin is missing.
class SimulatedTest : public ::testing::Test {
 protected:
  void SetUp() override;
};

// A kernel alone, without XLA: the function is one pallas_call whose operands are the function's arguments in their order.
struct KernelRun {
  std::vector<HostArray> outputs;
  sim::Report report;
};

class Kernel {
 public:
  // Throws std::runtime_error when the module can't be read or decoded.
  Kernel(const Function& function, const std::vector<const HostArray*>& inputs);
  explicit Kernel(std::string_view module);

  core::Result<KernelRun> TryRun(const std::vector<const HostArray*>& inputs, const sim::RunOptions& options = {}) const;
  KernelRun Run(const std::vector<const HostArray*>& inputs, const sim::RunOptions& options = {}) const;
  const sim::Program& program() const { return *program_; }

 private:
  core::Result<KernelRun> RunOnce(const std::vector<const HostArray*>& inputs, const sim::RunOptions& options) const;
  import::ImportedModule module_;
  std::unique_ptr<sim::Program> program_;
};

KernelRun RunKernel(const SingleFunction& function, const std::vector<const HostArray*>& inputs, const sim::RunOptions& options = {});

}  // namespace kernel_audit::testing
