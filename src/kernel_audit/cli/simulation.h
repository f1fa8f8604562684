// One simulated run of a module on given inputs: what `simulate` does, and `verify --rerun` does again.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernel_audit/core/chip.h"
#include "kernel_audit/core/error.h"
#include "kernel_audit/evidence/bundle.h"
#include "kernel_audit/simulated/simulator.h"

namespace kernel_audit::cli {

struct SimulationRequest {
  std::string module, name;  // its text, and how messages call it
  std::string schedule = "early";
  int cores = 1;
  const core::Chip* chip = &core::DefaultChip();
  // The arrays for a module that takes these.
  std::function<core::Result<std::vector<core::HostArray>>(const std::vector<core::ArrayType>&)> inputs;
};

struct Simulation {
  std::string module_sha256;
  std::vector<core::HostArray> inputs;
  simulated::Outcome outcome;
  evidence::SimulatedClaim claim;
};

// kBadInput for a schedule that there is not, a module without a kernel, inputs that don't fit.
core::Result<Simulation> Simulate(const SimulationRequest& request);

// The document, the module and all arrays: simulated/run.json, modules/, arrays/in0.npy, arrays/out0.npy.
core::Result<void> AddSimulation(const SimulationRequest& request, const Simulation& simulation, evidence::Bundle& bundle);

}  // namespace kernel_audit::cli
