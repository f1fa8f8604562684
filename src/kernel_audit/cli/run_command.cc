// kernel-audit run: a model's kernel on a person's own data, simulated.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "kernel_audit/check/candidate_run.h"
#include "kernel_audit/check/stage.h"
#include "kernel_audit/cli/output.h"
#include "kernel_audit/core/npy.h"
#include "kernel_audit/core/printable.h"
#include "kernel_audit/worker/toolchain.h"

namespace kernel_audit::cli {
namespace {

constexpr std::size_t kMostFindings = 5;

struct Arguments {
  std::string implementation, kernel, dtype = "float32", mode = "interpret", output;
  std::vector<std::string> inputs;
  std::vector<std::int64_t> block;
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

core::Result<worker::TraceReply> Trace(const Arguments& arguments, const worker::TraceRequest& request) {
  const auto path = FindImplementation(arguments.implementation);
  if (!path) return tl::unexpected(path.error());
  const auto toolchain = worker::FindToolchain();
  if (!toolchain) return tl::unexpected(toolchain.error());
  ShowProgress("compiling " + path->string());
  const auto candidate = worker::BuildCandidate(*path, *toolchain);
  if (!candidate) return tl::unexpected(candidate.error());
  const auto replies = worker::TraceCandidate(*candidate, std::span(&request, 1));
  if (!replies) return tl::unexpected(replies.error());
  const worker::TraceReply& reply = replies->front();
  // The person's own arrays were refused: their input, not our failure.
  if (reply.kind == worker::TraceReply::Kind::kRefusal) return core::Fail(core::ErrorCode::kBadInput, "the model refuses these inputs: " + reply.text);
  return reply;
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

std::size_t PrintRun(const simulated::Outcome& outcome, const core::Shape& logical) {
  std::size_t findings = 0;
  for (const sim::Report& run : outcome.kernels) {
    std::printf("%s, grid %s\n", core::Printable(run.kernel).c_str(), core::ToString(run.grid).c_str());
    PrintOwnership(run, logical);
    for (const sim::Traffic& traffic : run.traffic) {
      std::printf("  %s: %lld fetches of %lld bytes in all, %lld write-backs of %lld\n", traffic.operand.c_str(), static_cast<long long>(traffic.fetches),
                  static_cast<long long>(traffic.fetched_bytes), static_cast<long long>(traffic.write_backs), static_cast<long long>(traffic.written_bytes));
    }
    for (std::size_t i = 0; i < std::min(run.findings.size(), kMostFindings); ++i) std::printf("  finding: %s\n", core::Printable(check::Text(run.findings[i])).c_str());
    if (run.findings.size() > kMostFindings) std::printf("  and %zu more findings\n", run.findings.size() - kMostFindings);
    findings += run.findings.size();
  }
  return findings;
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
  const auto kernel = arguments.kernel == "axpy" ? worker::Kernel::kAxpy : worker::Kernel::kFused;
  const worker::TraceRequest request = check::MakeRequest(kernel, inputs[0].type(), inputs[1].type(), arguments.block);
  const auto reply = Trace(arguments, request);
  if (!reply) return tl::unexpected(reply.error());
  const auto simulator = simulated::Simulator::Create();
  if (!simulator) return tl::unexpected(simulator.error());
  const auto program = check::LoadReply(*simulator, request, *reply, inputs[0].type());
  if (!program) return tl::unexpected(program.error());
  ShowProgress("simulating");
  const std::vector<const core::HostArray*> pointers = {&inputs[0], &inputs[1]};
  const auto outcome = program->Run(pointers);
  if (!outcome) return tl::unexpected(outcome.error());
  ClearProgress();
  if (auto done = core::WriteNpy(arguments.output, outcome->outputs[0]); !done) return tl::unexpected(done.error());
  std::printf("tier simulated, actual backend cpu; module sha256 %s\n", program->sha256().c_str());
  const std::size_t findings = PrintRun(*outcome, inputs[0].shape());
  std::printf("%s written: %s; %zu findings\n", arguments.output.c_str(), core::ToString(outcome->outputs[0].type()).c_str(), findings);
  return findings == 0 ? kPassed : kFound;
}

}  // namespace

void AddRun(CLI::App& app, int& status) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("run", "Run a model's kernel on your own arrays, by simulation");
  command->add_option("--implementation", arguments->implementation, "A C++ file, or `starter` or `solution`")->required();
  command->add_option("--kernel", arguments->kernel, "axpy: z = 2x + y; fused: z = max(x + bias, 0)")->required()->check(CLI::IsMember({"axpy", "fused"}));
  command->add_option("--input", arguments->inputs, "A .npy file; twice: x and y, or x and the bias")->required()->expected(1, 64)->allow_extra_args(false);
  command->add_option("--block", arguments->block, "Rows and columns of a block")->required()->expected(2);
  command->add_option("--output", arguments->output, "Where to write the result (.npy; bfloat16 as uint16)")->required();
  command->add_option("--dtype", arguments->dtype, "float32, or bfloat16 for files of uint16 bit patterns")->check(CLI::IsMember({"float32", "bfloat16"}));
  command->add_option("--mode", arguments->mode, "interpret simulates; tpu needs a TPU")->check(CLI::IsMember({"interpret", "tpu"}));
  command->footer("Example: kernel-audit run --implementation solution --kernel axpy --input x.npy --input y.npy --block 8 128 --output z.npy");
  command->callback([arguments, &status] {
    if (arguments->inputs.size() != 2) throw CLI::ValidationError("--input", "is needed twice");
    const auto done = RunKernel(*arguments);
    status = done ? *done : Fail(done.error());
  });
}

}  // namespace kernel_audit::cli
