// kernel-audit inspect: what is inside a module.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

#include "kernel_audit/cli/output.h"
#include "kernel_audit/core/file.h"
#include "kernel_audit/core/sha256.h"
#include "kernel_audit/import/module.h"
#include "kernel_audit/ir/mosaic_text.h"
#include "kernel_audit/ir/summary.h"

namespace kernel_audit::cli {
namespace {

void PrintArrays(const char* what, const std::vector<core::ArrayType>& types) {
  for (std::size_t i = 0; i < types.size(); ++i) std::printf("%s %zu: %s\n", what, i, core::ToString(types[i]).c_str());
}

int Run(const std::string& path, bool ir) {
  const auto text = ReadModule(path);
  if (!text) return Fail(text.error());
  const auto module = import::ImportModule(*text, 0);
  if (!module) return Fail({module.error().code, path + ": " + module.error().ToString(), {}});
  std::printf("%s\nsha256 %s\n", path.c_str(), core::Sha256(*text).c_str());
  PrintArrays("input", module->inputs);
  PrintArrays("output", module->outputs);
  std::printf("%zu %s\n", module->kernels.size(), module->kernels.size() == 1 ? "kernel" : "kernels");
  for (const auto& kernel : module->kernels) {
    std::printf("\n%s", ir::Summary(*kernel).c_str());
    if (ir) std::printf("\n%s", ir::MosaicText(*kernel).c_str());
  }
  return kPassed;
}

}  // namespace

void AddInspect(CLI::App& app, int& status) {
  auto path = std::make_shared<std::string>();
  auto ir = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("inspect", "Show what is inside a module: kernels, grids, blocks, memory, DMAs, source lines");
  command->add_option("MODULE", *path, "A StableHLO text, as JAX's lower(...).as_text() or this program writes it")->required();
  command->add_flag("--ir", *ir, "Print each kernel's operations too");
  command->callback([path, ir, &status] { status = Run(*path, *ir); });
}

}  // namespace kernel_audit::cli
