// kernel-audit compile: a module through the real TPU compiler, with no TPU at hand.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

#include "kernel_audit/cli/candidate.h"
#include "kernel_audit/cli/compile_report.h"
#include "kernel_audit/cli/environment.h"
#include "kernel_audit/cli/output.h"
#include "kernel_audit/core/file.h"
#include "kernel_audit/core/sha256.h"
#include "kernel_audit/evidence/bundle_writer.h"
#include "kernel_audit/import/module.h"
#include "kernel_audit/target/block_rules.h"

namespace kernel_audit::cli {
namespace {

struct Arguments {
  std::string module, implementation, topologies = "v5e:2x2", libtpu = target::kDefaultLibtpu, emit, evidence_dir;
  ModelOptions model{.kernel = {}, .shape = {17, 257}, .block = {8, 128}};
  bool json = false;
};

// What is compiled, and the source that it was traced from, if it was.
struct Input {
  std::string module;
  report::SourceText source;
};

core::Result<Input> Traced(const Arguments& arguments) {
  const worker::TraceRequest request = RequestOf(arguments.model);
  auto candidate = TraceImplementation(arguments.implementation, std::span(&request, 1));
  if (!candidate) return tl::unexpected(std::move(candidate.error()));
  worker::TraceReply& reply = candidate->replies[0];
  if (reply.kind != worker::TraceReply::Kind::kModule) return core::Fail(core::ErrorCode::kFailed, reply.text);
  return Input{std::move(reply.text), std::move(candidate->source)};
}

core::Result<Input> InputOf(const Arguments& arguments) {
  if (arguments.module.empty()) return Traced(arguments);
  auto module = ReadModule(arguments.module);
  if (!module) return tl::unexpected(std::move(module.error()));
  return Input{std::move(*module), {}};
}

core::Result<void> WriteEvidence(const CompileReport& report, const Input& input, const std::filesystem::path& folder) {
  auto bundle = NewBundle();
  if (!bundle) return tl::unexpected(bundle.error());
  bundle->Add("compile", CompileClaim(report));
  bundle->Add(evidence::Role::kModule, "modules/" + report.module_sha256 + ".mlir", input.module);
  if (!input.source.file.empty()) bundle->Add(evidence::Role::kCandidate, "candidate/" + input.source.file, input.source.text);
  return evidence::WriteBundle(folder, *bundle);
}

core::Result<CompileReport> CompileEach(const std::vector<target::Topology>& topologies, CompileReport report, const std::string& module) {
  for (const target::Topology& topology : topologies) {
    ShowProgress("compiling for " + std::string(topology.name));
    auto outcome = target::Compile(report.libtpu, topology, module);
    if (!outcome) return tl::unexpected(outcome.error());
    report.outcomes.push_back({topology, std::move(*outcome)});
  }
  ClearProgress();
  return report;
}

core::Result<int> CompileAll(const Arguments& arguments) {
  const auto topologies = target::ParseTopologies(arguments.topologies);
  if (!topologies) return tl::unexpected(topologies.error());
  const std::string name = arguments.module.empty() ? arguments.implementation + " " + arguments.model.kernel : arguments.module;
  if (!arguments.evidence_dir.empty()) {
    if (auto free = evidence::RequireNewFolder(arguments.evidence_dir); !free) return tl::unexpected(free.error());
  }
  const auto input = InputOf(arguments);
  if (!input) return tl::unexpected(input.error());
  if (!arguments.emit.empty()) {
    if (auto written = core::WriteFile(arguments.emit, input->module); !written) return tl::unexpected(written.error());
  }
  const auto module = import::ImportModule(input->module, 0);
  if (!module) return core::Fail(module.error().code, name + ": " + module.error().ToString());
  for (const auto& kernel : module->kernels) {
    if (const std::string problem = target::BlockProblem(*kernel); !problem.empty()) return core::Fail(core::ErrorCode::kFailed, problem);
  }
  const auto libtpu = target::FindLibtpu(arguments.libtpu);
  if (!libtpu) return tl::unexpected(libtpu.error());
  const auto report = CompileEach(*topologies, {name, core::Sha256(input->module), *libtpu, *module, {}}, input->module);
  if (!report) return tl::unexpected(report.error());
  if (!arguments.evidence_dir.empty()) {
    if (auto written = WriteEvidence(*report, *input, arguments.evidence_dir); !written) return tl::unexpected(written.error());
  }
  std::printf("%s", (arguments.json ? CompileClaim(*report).text() : CompileText(*report)).c_str());
  if (!arguments.evidence_dir.empty()) AnnounceBundle(arguments.evidence_dir);
  return report->accepted() ? kPassed : kFound;
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
  command->add_option("--evidence-dir", arguments->evidence_dir, "Keep the compiler's word, the module and its source as a bundle, in a new folder");
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
