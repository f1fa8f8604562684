// kernel-audit run: a model's kernel on a person's own data, simulated.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "kernel_audit/check/candidate_run.h"
#include "kernel_audit/check/findings.h"
#include "kernel_audit/check/run_evidence.h"
#include "kernel_audit/check/stage.h"
#include "kernel_audit/cli/chip.h"
#include "kernel_audit/cli/candidate.h"
#include "kernel_audit/cli/output.h"
#include "kernel_audit/core/npy.h"
#include "kernel_audit/core/printable.h"
#include "kernel_audit/report/ownership.h"

namespace kernel_audit::cli {
namespace {

struct Arguments {
  std::string implementation, kernel, dtype = "float32", mode = "interpret", output;
  std::vector<std::string> inputs;
  std::vector<std::int64_t> block;
  int buffers = 2;
  bool synchronous = false, json = false;
  const core::Chip* chip = &core::DefaultChip();
};

core::Result<core::HostArray> ReadInput(const std::string& path, core::DType dtype) {
  auto array = core::ReadNpy(path);
  if (!array || dtype != core::DType::kBFloat16) return array;
  if (array->dtype() != core::DType::kUInt16) {
    return core::Fail(core::ErrorCode::kBadInput, path + ": bfloat16 travels as uint16 bit patterns in .npy, this file holds " + std::string(core::Name(array->dtype())));
  }
  return core::Reinterpret(std::move(*array), core::DType::kBFloat16);
}

core::Result<void> CheckInputs(const std::vector<core::HostArray>& inputs, const Arguments& arguments) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (core::Name(inputs[i].dtype()) != arguments.dtype) {
      return core::Fail(core::ErrorCode::kBadInput, arguments.inputs[i] + ": the file holds " + std::string(core::Name(inputs[i].dtype())) + ", --dtype says " + arguments.dtype);
    }
  }
  return {};
}

void PrintOwnership(const sim::Report& run, const core::Shape& logical) {
  for (const sim::Ownership& ownership : run.ownership) {
    std::printf("  output %s in blocks of %s: %lld programs, %lld elements nobody wrote\n", core::ToString(ownership.array_shape).c_str(),
                core::ToString(ownership.block_shape).c_str(), static_cast<long long>(run.programs), static_cast<long long>(ownership.unwritten_elements));
  }
  if (run.ownership.empty() || logical.size() != 2 || run.ownership[0].array_shape.size() != 2) return;
  const sim::Ownership& first = run.ownership[0];
  std::printf("  %s", report::OwnershipText({"ownership", logical, first.array_shape, first.block_shape, run.grid, first.blocks, first.owner}).c_str());
}

std::size_t PrintRun(const simulated::Outcome& outcome, const core::Shape& logical, const report::SourceText& source) {
  for (const sim::Report& run : outcome.kernels) {
    std::printf("%s, grid %s\n", core::Printable(run.kernel).c_str(), core::ToString(run.grid).c_str());
    std::printf("  memory: at least %s; %lld DMAs of %lld bytes\n", MemoryText(run).c_str(), static_cast<long long>(run.dmas), static_cast<long long>(run.dma_bytes));
    PrintOwnership(run, logical);
    for (const sim::Traffic& traffic : run.traffic) {
      std::printf("  %s: %lld fetches of %lld bytes in all, %lld write-backs of %lld\n", traffic.operand.c_str(), static_cast<long long>(traffic.fetches),
                  static_cast<long long>(traffic.fetched_bytes), static_cast<long long>(traffic.write_backs), static_cast<long long>(traffic.written_bytes));
    }
  }
  const std::vector<report::Finding> findings = check::FindingsOf(outcome.kernels);
  std::printf("%s", report::FindingsText(findings, &source).c_str());
  return findings.size();
}

core::Result<int> RunKernel(const Arguments& arguments) {
  if (arguments.mode == "tpu") {
    return core::Fail(core::ErrorCode::kRefused, "mode tpu needs a TPU backend and this process has none; it is never simulated instead (leave --mode out to simulate)");
  }
  const core::DType dtype = *core::DTypeFromName(arguments.dtype);
  std::vector<core::HostArray> inputs;
  for (const std::string& path : arguments.inputs) {
    auto array = ReadInput(path, dtype);
    if (!array) return tl::unexpected(array.error());
    inputs.push_back(std::move(*array));
  }
  if (auto ok = CheckInputs(inputs, arguments); !ok) return tl::unexpected(ok.error());
  worker::TraceRequest request = check::MakeRequest(*worker::KernelFromName(arguments.kernel), inputs[0].type(), inputs[1].type(), arguments.block);
  request.buffers = arguments.buffers;
  request.synchronous = arguments.synchronous;
  const auto candidate = TraceImplementation(arguments.implementation, std::span(&request, 1));
  if (!candidate) return tl::unexpected(candidate.error());
  const auto simulator = simulated::Simulator::Create();
  if (!simulator) return tl::unexpected(simulator.error());
  const auto program = check::LoadReply(*simulator, request, candidate->replies[0], inputs[0].type());
  if (!program) return tl::unexpected(program.error());
  ShowProgress("simulating");
  const std::vector<const core::HostArray*> pointers = {&inputs[0], &inputs[1]};
  const auto outcome = program->Run(pointers, {.chip = arguments.chip});
  if (!outcome) return tl::unexpected(outcome.error());
  ClearProgress();
  if (auto done = core::WriteNpy(arguments.output, outcome->outputs[0]); !done) return tl::unexpected(done.error());
  if (arguments.json) {
    std::printf("%s", check::RunClaim(*simulator, check::DescribeRun(program->sha256(), inputs, "early", 1, *arguments.chip), *outcome).text().c_str());
    return outcome->clean() ? kPassed : kFound;
  }
  std::printf("tier simulated, %s; module sha256 %s\n", ChipText(*arguments.chip).c_str(), program->sha256().c_str());
  const std::size_t findings = PrintRun(*outcome, inputs[0].shape(), candidate->source);
  std::printf("%s written: %s; %zu findings\n", arguments.output.c_str(), core::ToString(outcome->outputs[0].type()).c_str(), findings);
  return findings == 0 ? kPassed : kFound;
}

}  // namespace

void AddRun(CLI::App& app, int& status) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("run", "Run a model's kernel on your own arrays, by simulation");
  command->add_option("--implementation", arguments->implementation, "A C++ file, or `starter` or `solution`")->required();
  command->add_option("--kernel", arguments->kernel, "axpy: z = 2x + y; fused: z = max(x + bias, 0); pipeline: axpy, pipelined")->required()->check(CLI::IsMember({"axpy", "fused", "pipeline"}));
  command->add_option("--input", arguments->inputs, "A .npy file; twice: x and y, or x and the bias")->required()->expected(1, 64)->allow_extra_args(false);
  command->add_option("--block", arguments->block, "Rows and columns of a block")->required()->expected(2);
  command->add_option("--output", arguments->output, "Where to write the result (.npy; bfloat16 as uint16)")->required();
  command->add_option("--dtype", arguments->dtype, "float32, or bfloat16 for files of uint16 bit patterns")->check(CLI::IsMember({"float32", "bfloat16"}));
  command->add_option("--mode", arguments->mode, "interpret simulates; tpu needs a TPU")->check(CLI::IsMember({"interpret", "tpu"}));
  command->add_option("--buffers", arguments->buffers, "pipeline: slots an input");
  command->add_flag("--synchronous", arguments->synchronous, "pipeline: await each copy in its own step");
  AddChipOption(*command, arguments->chip);
  command->add_flag("--json", arguments->json, "One JSON document instead of text");
  command->footer("Example: kernel-audit run --implementation solution --kernel axpy --input x.npy --input y.npy --block 8 128 --output z.npy");
  command->callback([arguments, &status] {
    if (arguments->inputs.size() != 2) throw CLI::ValidationError("--input", "is needed twice");
    const auto done = RunKernel(*arguments);
    status = done ? *done : Fail(done.error());
  });
}

}  // namespace kernel_audit::cli
