// The simulated tier: XLA:CPU runs a module's host operations, and each kernel's call reaches our simulator through XLA's FFI.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "kernel_audit/core/error.h"
#include "kernel_audit/core/host_array.h"
#include "kernel_audit/evidence/tier.h"
#include "kernel_audit/pjrt/client.h"
#include "kernel_audit/sim/run.h"

namespace kernel_audit::simulated {

// What a simulated run may say: values, findings, ownership, traffic. It has no time.
struct Outcome {
  std::vector<core::HostArray> outputs;
  std::vector<sim::Report> kernels;  // one a call, in the order they ran
  bool clean() const;                // no kernel has a finding
};

// The same, its outputs where the host program left them.
struct PlacedOutcome {
  std::vector<pjrt::Buffer> outputs;
  std::vector<sim::Report> kernels;
};

class Simulator;

// A module ready to run any number of times.
class SimulatedProgram {
 public:
  SimulatedProgram(SimulatedProgram&&) noexcept;
  SimulatedProgram& operator=(SimulatedProgram&&) noexcept;
  ~SimulatedProgram();

  // Of the module's text: the program's identity.
  const std::string& sha256() const;
  // Of @main.
  const std::vector<core::ArrayType>& inputs() const;
  const std::vector<core::ArrayType>& outputs() const;
  std::size_t num_kernels() const;
  const ir::Kernel& kernel(std::size_t index) const;

  // kBadInput for arrays that are not what inputs() says; kFailed when a kernel reaches the work limit.
  core::Result<Outcome> Run(std::span<const core::HostArray* const> inputs, const sim::RunOptions& options = {}) const;

  // Run in its parts, for many runs on the same arrays: RunPlaced takes what Place gave.
  core::Result<std::vector<pjrt::Buffer>> Place(std::span<const core::HostArray* const> inputs) const;
  core::Result<PlacedOutcome> RunPlaced(std::span<const pjrt::Buffer> inputs, const sim::RunOptions& options = {}) const;

 private:
  friend class Simulator;
  struct State;
  explicit SimulatedProgram(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The plugin that set-up fetched, or the one that KERNEL_AUDIT_XLA_CPU_PLUGIN names.
std::string CpuPluginPath();

// XLA:CPU with our handler for kernels.
class Simulator {
 public:
  // Loads the plugin at CpuPluginPath().
  static core::Result<Simulator> Create();

  // Judges a host program before XLA sees it.
  using AcceptHost = std::function<core::Result<void>(std::string_view host_text)>;

  // `name` begins messages about the module ("my.mlir"). What `accept`, if given, refuses is not loaded.
  core::Result<SimulatedProgram> Load(std::string_view module, std::string_view name, const AcceptHost& accept = {}) const;

  const pjrt::Client& client() const { return client_; }

  // The ground for saying what simulated runs showed.
  evidence::Witness<evidence::Tier::kSimulated> witness() const { return {}; }

 private:
  explicit Simulator(pjrt::Client client) : client_(std::move(client)) {}
  pjrt::Client client_;
};

}  // namespace kernel_audit::simulated
