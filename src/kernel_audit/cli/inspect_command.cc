// kernel-audit inspect: what is inside a module.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

#include "kernel_audit/cli/output.h"
#include "kernel_audit/core/file.h"
#include "kernel_audit/core/json.h"
#include "kernel_audit/core/sha256.h"
#include "kernel_audit/import/module.h"
#include "kernel_audit/ir/mosaic_text.h"
#include "kernel_audit/ir/summary.h"

namespace kernel_audit::cli {
namespace {

void PrintArrays(const char* what, const std::vector<core::ArrayType>& types) {
  for (std::size_t i = 0; i < types.size(); ++i) std::printf("%s %zu: %s\n", what, i, core::ToString(types[i]).c_str());
}

core::Json Types(const std::vector<core::ArrayType>& types) {
  core::Json list = core::Json::array();
  for (const core::ArrayType& type : types) list.push_back(core::ToString(type));
  return list;
}

void PrintJson(const std::string& sha256, const import::ImportedModule& module, bool ir) {
  core::Json kernels = core::Json::array();
  for (const auto& kernel : module.kernels) {
    kernels.push_back(ir::SummaryJson(*kernel));
    if (ir) kernels.back()["ir"] = ir::MosaicText(*kernel);
  }
  std::printf("%s\n", core::CanonicalJson({{"module_sha256", sha256}, {"inputs", Types(module.inputs)}, {"outputs", Types(module.outputs)}, {"kernels", kernels}}).c_str());
}

struct Options {
  std::string path;
  bool ir = false, json = false;
};

int Run(const Options& options) {
  const std::string& path = options.path;
  const auto text = ReadModule(path);
  if (!text) return Fail(text.error());
  const auto module = import::ImportModule(*text, 0);
  if (!module) return Fail({module.error().code, path + ": " + module.error().ToString(), {}});
  const std::string sha256 = core::Sha256(*text);
  if (options.json) {
    PrintJson(sha256, *module, options.ir);
    return kPassed;
  }
  std::printf("%s\nsha256 %s\n", path.c_str(), sha256.c_str());
  PrintArrays("input", module->inputs);
  PrintArrays("output", module->outputs);
  std::printf("%zu %s\n", module->kernels.size(), module->kernels.size() == 1 ? "kernel" : "kernels");
  for (const auto& kernel : module->kernels) {
    std::printf("\n%s", ir::Summary(*kernel).c_str());
    if (options.ir) std::printf("\n%s", ir::MosaicText(*kernel).c_str());
  }
  return kPassed;
}

}  // namespace

void AddInspect(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("inspect", "Show what is inside a module: kernels, grids, blocks, memory, DMAs, source lines");
  command->add_option("MODULE", options->path, "A StableHLO text, as JAX's lower(...).as_text() or this program writes it")->required();
  command->add_flag("--ir", options->ir, "Show each kernel's operations too");
  command->add_flag("--json", options->json, "One JSON document instead of text");
  command->callback([options, &status] { status = Run(*options); });
}

}  // namespace kernel_audit::cli
