#include "kernel_audit/cli/chip.h"

#include <CLI/CLI.hpp>

namespace kernel_audit::cli {

void AddChipOption(CLI::App& command, const core::Chip*& chip) {
  const auto choose = [&chip](const std::string& name) {
    const auto found = core::FindChip(name);
    if (!found) throw CLI::ValidationError("--chip", found.error().message);
    chip = *found;
  };
  command.add_option_function<std::string>("--chip", choose, "The TPU to simulate: what fits into its memories; the backend stays cpu")->default_str(std::string(chip->name));
}

std::string ChipText(const core::Chip& chip) {
  return "actual backend cpu, simulated chip " + std::string(chip.name) + " (" + std::to_string(core::Chip::kLanes) + " lanes, " + std::to_string(core::Chip::kSublanes) + " sublanes, VMEM " +
         std::to_string(chip.vmem_bytes) + " bytes, SMEM " + std::to_string(chip.smem_bytes) + ")";
}

std::string MemoryText(const sim::Report& run) { return std::to_string(run.vmem_bytes) + " bytes of VMEM, " + std::to_string(run.smem_bytes) + " of SMEM"; }

}  // namespace kernel_audit::cli
