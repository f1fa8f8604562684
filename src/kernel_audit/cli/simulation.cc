#include "kernel_audit/cli/simulation.h"

#include "kernel_audit/check/run_evidence.h"
#include "kernel_audit/cli/output.h"
#include "kernel_audit/core/npy.h"

namespace kernel_audit::cli {
namespace {

using core::ErrorCode;
using core::HostArray;

core::Result<sim::Schedule> ParseSchedule(const std::string& text) {
  using Kind = sim::Schedule::Kind;
  if (text == "early") return sim::Schedule{Kind::kEarly, 0};
  if (text == "late") return sim::Schedule{Kind::kLate, 0};
  const std::string prefix = "random:";
  if (text.starts_with(prefix) && text.size() > prefix.size() && text.size() < 26 &&
      text.find_first_not_of("0123456789", prefix.size()) == std::string::npos) {
    return sim::Schedule{Kind::kRandom, std::stoull(text.substr(prefix.size()))};
  }
  return core::Fail(ErrorCode::kBadInput, "--schedule is early, late or random:SEED, not " + text);
}

core::Result<void> AddArrays(const std::string& name, const std::vector<HostArray>& arrays, evidence::Bundle& bundle) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    auto header = core::NpyHeader(arrays[i].type());
    if (!header) return tl::unexpected(header.error());
    bundle.Add(evidence::Role::kArray, "arrays/" + name + std::to_string(i) + ".npy", *header + std::string(reinterpret_cast<const char*>(arrays[i].data()), arrays[i].byte_size()));
  }
  return {};
}

}  // namespace

core::Result<Simulation> Simulate(const SimulationRequest& request) {
  sim::RunOptions options;
  const auto schedule = ParseSchedule(request.schedule);
  if (!schedule) return tl::unexpected(schedule.error());
  options.schedule = *schedule;
  options.cores = request.cores;
  options.chip = request.chip;
  const auto simulator = simulated::Simulator::Create();
  if (!simulator) return tl::unexpected(simulator.error());
  const auto program = simulator->Load(request.module, request.name);
  if (!program) return core::Fail(program.error().code, request.name + ": " + program.error().ToString());
  if (program->num_kernels() == 0) return core::Fail(ErrorCode::kBadInput, request.name + ": the module has no kernel (no tpu_custom_call): there is nothing to simulate");
  auto inputs = request.inputs(program->inputs());
  if (!inputs) return tl::unexpected(inputs.error());
  std::vector<const HostArray*> pointers;
  for (const HostArray& input : *inputs) pointers.push_back(&input);
  ShowProgress("simulating");
  auto outcome = program->Run(pointers, options);
  if (!outcome) return tl::unexpected(outcome.error());
  ClearProgress();
  evidence::SimulatedClaim claim = check::RunClaim(*simulator, check::DescribeRun(program->sha256(), *inputs, request.schedule, request.cores, *request.chip), *outcome);
  return Simulation{program->sha256(), std::move(*inputs), std::move(*outcome), std::move(claim)};
}

core::Result<void> AddSimulation(const SimulationRequest& request, const Simulation& simulation, evidence::Bundle& bundle) {
  bundle.Add("run", simulation.claim);
  bundle.Add(evidence::Role::kModule, "modules/" + simulation.module_sha256 + ".mlir", request.module);
  if (auto added = AddArrays("in", simulation.inputs, bundle); !added) return added;
  return AddArrays("out", simulation.outcome.outputs, bundle);
}

}  // namespace kernel_audit::cli
