// kernel-audit compile: a module through the real TPU compiler, with no TPU at hand.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

#include "kernel_audit/cli/candidate.h"
#include "kernel_audit/cli/compile_report.h"
#include "kernel_audit/cli/output.h"
#include "kernel_audit/core/file.h"
#include "kernel_audit/core/sha256.h"
#include "kernel_audit/import/module.h"
#include "kernel_audit/target/block_rules.h"

namespace kernel_audit::cli {
namespace {

struct Arguments {
  std::string module, implementation, topologies = "v5e:2x2", libtpu = target::kDefaultLibtpu, emit;
  ModelOptions model{.kernel = {}, .shape = {17, 257}, .block = {8, 128}};
  bool json = false;
};

core::Result<std::string> TracedModule(const Arguments& arguments) {
  const worker::TraceRequest request = RequestOf(arguments.model);
  auto candidate = TraceImplementation(arguments.implementation, std::span(&request, 1));
  if (!candidate) return tl::unexpected(std::move(candidate.error()));
  worker::TraceReply& reply = candidate->replies[0];
  if (reply.kind != worker::TraceReply::Kind::kModule) return core::Fail(core::ErrorCode::kFailed, reply.text);
  return std::move(reply.text);
}

core::Result<int> CompileAll(const Arguments& arguments) {
  const auto topologies = target::ParseTopologies(arguments.topologies);
  if (!topologies) return tl::unexpected(topologies.error());
  const std::string name = arguments.module.empty() ? arguments.implementation + " " + arguments.model.kernel : arguments.module;
  const auto text = arguments.module.empty() ? TracedModule(arguments) : ReadModule(arguments.module);
  if (!text) return tl::unexpected(text.error());
  if (!arguments.emit.empty()) {
    if (auto written = core::WriteFile(arguments.emit, *text); !written) return tl::unexpected(written.error());
  }
  const auto module = import::ImportModule(*text, 0);
  if (!module) return core::Fail(module.error().code, name + ": " + module.error().ToString());
  for (const auto& kernel : module->kernels) {
    if (const std::string problem = target::BlockProblem(*kernel); !problem.empty()) return core::Fail(core::ErrorCode::kFailed, problem);
  }
  const auto libtpu = target::FindLibtpu(arguments.libtpu);
  if (!libtpu) return tl::unexpected(libtpu.error());
  CompileReport report{name, core::Sha256(*text), *libtpu, *module, {}};
  for (const target::Topology& topology : *topologies) {
    ShowProgress("compiling for " + std::string(topology.name));
    auto outcome = target::Compile(*libtpu, topology, *text);
    if (!outcome) return tl::unexpected(outcome.error());
    report.outcomes.push_back({topology, std::move(*outcome)});
  }
  ClearProgress();
  std::printf("%s", (arguments.json ? CompileClaim(report).text() : CompileText(report)).c_str());
  return report.accepted() ? kPassed : kFound;
}

}  // namespace

void AddCompile(CLI::App& app, int& status) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("compile", "Send a module to the TPU's own compiler (libtpu), for TPUs that need not be there");
  CLI::Option* module = command->add_option("MODULE", arguments->module, "A StableHLO text, as JAX's lower(...).as_text() or this program writes it");
  CLI::Option* implementation = command->add_option("--implementation", arguments->implementation, "Instead of a module: a C++ file, or `starter` or `solution`")->excludes(module);
  CLI::Option* kernel = AddModelOptions(*command, arguments->model, false)->needs(implementation);
  implementation->needs(kernel);
  command->add_option("--topology", arguments->topologies, "Names with commas between them, or all: v4:2x2x1, v5e:2x2, v5p:2x2x1, v6e:2x2, tpu7x:2x2x1");
  command->add_option("--libtpu", arguments->libtpu, "A pinned version, fetched from PyPI when it is first needed, or a path to libtpu.so");
  command->add_option("--emit", arguments->emit, "Write the module that is compiled to this file")->needs(implementation);
  command->add_flag("--json", arguments->json, "One JSON document instead of text");
  command->footer("The compiler's word is no run: it says what is accepted, how large it is and how it is scheduled, never how long anything takes.\n"
                  "Example: kernel-audit compile --implementation solution --kernel axpy --topology all");
  command->callback([arguments, &status] {
    if (arguments->module.empty() && arguments->implementation.empty()) throw CLI::ValidationError("compile", "give a MODULE, or --implementation and --kernel");
    const auto done = CompileAll(*arguments);
    status = done ? *done : Fail(done.error());
  });
}

}  // namespace kernel_audit::cli
