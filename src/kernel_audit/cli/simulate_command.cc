// kernel-audit simulate: any module that JAX lowered for a TPU.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <random>

#include "kernel_audit/check/findings.h"
#include "kernel_audit/cli/chip.h"
#include "kernel_audit/cli/environment.h"
#include "kernel_audit/cli/output.h"
#include "kernel_audit/cli/simulation.h"
#include "kernel_audit/core/bfloat16.h"
#include "kernel_audit/core/file.h"
#include "kernel_audit/core/npy.h"
#include "kernel_audit/evidence/bundle_writer.h"

namespace kernel_audit::cli {
namespace {

struct Arguments {
  std::string module, output, evidence_dir, schedule = "early";
  std::vector<std::string> inputs;
  std::optional<std::uint64_t> random_inputs;
  int cores = 1;
  const core::Chip* chip = &core::DefaultChip();
  bool json = false;
};

std::string InputList(const std::vector<core::ArrayType>& types) {
  std::string text;
  for (const core::ArrayType& type : types) text += (text.empty() ? "" : ", ") + core::ToString(type);
  return text.empty() ? "no inputs" : text;
}

core::Result<core::HostArray> ReadInput(const std::string& path, const core::ArrayType& wanted) {
  auto array = core::ReadNpy(path);
  if (!array) return array;
  if (wanted.dtype == core::DType::kBFloat16 && array->dtype() == core::DType::kUInt16) array = core::Reinterpret(std::move(*array), core::DType::kBFloat16);
  if (array && array->type() != wanted) {
    return core::Fail(core::ErrorCode::kBadInput, path + ": holds " + core::ToString(array->type()) + ", the module takes " + core::ToString(wanted));
  }
  return array;
}

// Small numbers of both signs, exact in every float type; small integers.
core::HostArray RandomInput(const core::ArrayType& type, std::mt19937_64& random) {
  core::HostArray array(type);
  const std::size_t size = core::ByteSize(type.dtype), count = array.byte_size() / size;
  for (std::size_t i = 0; i < count; ++i) {
    const int number = static_cast<int>(random() % 64) - 32;
    std::byte* to = array.data() + i * size;
    const float fraction = static_cast<float>(number) / 8;
    const double wide = fraction;
    const std::uint16_t half = core::FloatToBFloat16(fraction);
    const std::int64_t integer = type.dtype == core::DType::kBool ? number & 1 : std::abs(number);
    switch (type.dtype) {
      case core::DType::kFloat32: std::copy_n(reinterpret_cast<const std::byte*>(&fraction), size, to); break;
      case core::DType::kFloat64: std::copy_n(reinterpret_cast<const std::byte*>(&wide), size, to); break;
      case core::DType::kBFloat16: std::copy_n(reinterpret_cast<const std::byte*>(&half), size, to); break;
      default: std::copy_n(reinterpret_cast<const std::byte*>(&integer), size, to); break;
    }
  }
  return array;
}

core::Result<std::vector<core::HostArray>> Inputs(const Arguments& arguments, const std::vector<core::ArrayType>& types) {
  std::vector<core::HostArray> arrays;
  if (arguments.random_inputs) {
    std::mt19937_64 random(*arguments.random_inputs);
    for (const core::ArrayType& type : types) arrays.push_back(RandomInput(type, random));
    return arrays;
  }
  if (arguments.inputs.size() != types.size()) {
    return core::Fail(core::ErrorCode::kBadInput, "the module takes " + InputList(types) + "; give one --input FILE.npy for each (" +
                          std::to_string(arguments.inputs.size()) + " given), or --random-inputs SEED");
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    auto array = ReadInput(arguments.inputs[i], types[i]);
    if (!array) return tl::unexpected(array.error());
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

core::Result<void> WriteOutputs(const std::string& folder, const std::vector<core::HostArray>& outputs) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return core::Fail(core::ErrorCode::kIo, folder + ": " + error.message());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (auto done = core::WriteNpy(std::filesystem::path(folder) / ("out" + std::to_string(i) + ".npy"), outputs[i]); !done) return done;
  }
  return {};
}

void Print(const Arguments& arguments, const Simulation& simulation) {
  std::printf("kernel-audit simulate %s\ntier simulated, %s; module sha256 %s\n", arguments.module.c_str(), ChipText(*arguments.chip).c_str(), simulation.module_sha256.c_str());
  for (const sim::Report& run : simulation.outcome.kernels) {
    std::printf("%s: grid %s, %lld programs, %d %s, %zu findings\n", run.kernel.c_str(), core::ToString(run.grid).c_str(), static_cast<long long>(run.programs),
                run.cores, run.cores == 1 ? "core" : "cores", run.findings.size());
    std::printf("  memory: at least %s; %lld DMAs of %lld bytes\n", MemoryText(run).c_str(), static_cast<long long>(run.dmas), static_cast<long long>(run.dma_bytes));
  }
  const std::vector<report::Finding> findings = check::FindingsOf(simulation.outcome.kernels);
  std::printf("%s", report::FindingsText(findings).c_str());
  const std::vector<core::HostArray>& outputs = simulation.outcome.outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i) std::printf("output %zu: %s\n", i, core::ToString(outputs[i].type()).c_str());
  std::printf("%s\n", findings.empty() ? "clean" : "findings");
}

core::Result<void> WriteEvidence(const SimulationRequest& request, const Simulation& simulation, const std::filesystem::path& folder) {
  auto bundle = NewBundle();
  if (!bundle) return tl::unexpected(bundle.error());
  if (auto added = AddSimulation(request, simulation, *bundle); !added) return added;
  return evidence::WriteBundle(folder, *bundle);
}

core::Result<int> SimulateModule(const Arguments& arguments) {
  if (!arguments.evidence_dir.empty()) {
    if (auto free = evidence::RequireNewFolder(arguments.evidence_dir); !free) return tl::unexpected(free.error());
  }
  auto text = ReadModule(arguments.module);
  if (!text) return tl::unexpected(text.error());
  const SimulationRequest request{std::move(*text), arguments.module, arguments.schedule, arguments.cores, arguments.chip,
                                  [&](const std::vector<core::ArrayType>& types) { return Inputs(arguments, types); }};
  const auto simulation = Simulate(request);
  if (!simulation) return tl::unexpected(simulation.error());
  if (!arguments.output.empty()) {
    if (auto done = WriteOutputs(arguments.output, simulation->outcome.outputs); !done) return tl::unexpected(done.error());
  }
  if (!arguments.evidence_dir.empty()) {
    if (auto done = WriteEvidence(request, *simulation, arguments.evidence_dir); !done) return tl::unexpected(done.error());
  }
  if (arguments.json) {
    std::printf("%s", simulation->claim.text().c_str());
  } else {
    Print(arguments, *simulation);
  }
  if (!arguments.evidence_dir.empty()) AnnounceBundle(arguments.evidence_dir);
  return simulation->outcome.clean() ? kPassed : kFound;
}

}  // namespace

void AddSimulate(CLI::App& app, int& status) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("simulate", "Run any module that JAX lowered for a TPU, and find its races and other faults");
  command->add_option("MODULE", arguments->module, "A StableHLO text: jax.jit(f).trace(*args).lower(lowering_platforms=(\"tpu\",)).as_text()")->required();
  command->add_option("--input", arguments->inputs, "A .npy file for each argument, in order (bfloat16 as uint16)")->expected(1, 64)->allow_extra_args(false);
  command->add_option("--random-inputs", arguments->random_inputs, "Make the inputs from this seed instead");
  command->add_option("--output", arguments->output, "A folder for out0.npy, out1.npy, ... (bfloat16 as uint16)");
  command->add_option("--schedule", arguments->schedule, "When DMAs move data: early, late or random:SEED; findings do not depend on it");
  command->add_option("--cores", arguments->cores, "Cores that share the first parallel grid dimension")->check(CLI::Range(1, 8));
  AddChipOption(*command, arguments->chip);
  command->add_option("--evidence-dir", arguments->evidence_dir, "Write a bundle that `verify` and `report` take: the module, inputs, outputs and findings; a new folder");
  command->add_flag("--json", arguments->json, "One JSON document instead of text");
  command->footer("Example: kernel-audit simulate module.mlir --input x.npy --input y.npy --output results");
  command->callback([arguments, &status] {
    const auto done = SimulateModule(*arguments);
    status = done ? *done : Fail(done.error());
  });
}

}  // namespace kernel_audit::cli
