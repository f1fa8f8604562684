#include "kernel_audit/cli/candidate.h"

#include <CLI/CLI.hpp>

#include "kernel_audit/check/candidate_run.h"
#include "kernel_audit/cli/output.h"
#include "kernel_audit/worker/candidate.h"
#include "kernel_audit/worker/toolchain.h"

namespace kernel_audit::cli {

worker::TraceRequest RequestOf(const ModelOptions& options) {
  const auto kernel = *worker::KernelFromName(options.kernel);
  const core::DType dtype = *core::DTypeFromName(options.dtype);
  const core::ArrayType first{dtype, options.shape}, second{dtype, kernel == worker::Kernel::kFused ? core::Shape{options.shape[1]} : first.shape};
  worker::TraceRequest request = check::MakeRequest(kernel, first, second, options.block);
  request.buffers = options.buffers;
  request.synchronous = options.synchronous;
  return request;
}

CLI::Option* AddModelOptions(CLI::App& command, ModelOptions& options, bool required) {
  const CLI::Validator positive([](std::string& text) { return text.find_first_not_of("0123456789") == std::string::npos && text.find_first_not_of('0') != std::string::npos ? "" : "'" + text + "' is no positive number"; },
                                "", "positive");
  CLI::Option* kernel = command.add_option("--kernel", options.kernel, "axpy, fused or pipeline")->required(required)->check(CLI::IsMember({"axpy", "fused", "pipeline"}));
  command.add_option("--shape", options.shape, "Rows and columns of the matrix")->required(required)->expected(2)->check(positive);
  command.add_option("--block", options.block, "Rows and columns of a block; a TPU takes multiples of 8 and 128, or the array's own")->required(required)->expected(2)->check(positive);
  command.add_option("--dtype", options.dtype, "float32 or bfloat16")->check(CLI::IsMember({"float32", "bfloat16"}));
  command.add_option("--buffers", options.buffers, "pipeline: slots an input");
  command.add_flag("--synchronous", options.synchronous, "pipeline: await each copy in its own step");
  return kernel;
}

core::Result<TracedCandidate> TraceImplementation(const std::string& implementation, std::span<const worker::TraceRequest> requests) {
  const auto path = FindImplementation(implementation);
  if (!path) return tl::unexpected(path.error());
  const auto toolchain = worker::FindToolchain();
  if (!toolchain) return tl::unexpected(toolchain.error());
  ShowProgress("compiling " + path->string());
  const auto candidate = worker::BuildCandidate(*path, *toolchain);
  if (!candidate) return tl::unexpected(candidate.error());
  auto replies = worker::TraceCandidate(*candidate, requests);
  if (!replies) return tl::unexpected(replies.error());
  for (const worker::TraceReply& reply : *replies) {
    if (reply.kind == worker::TraceReply::Kind::kRefusal) return core::Fail(core::ErrorCode::kBadInput, "the model refuses these inputs: " + reply.text);
  }
  return TracedCandidate{{candidate->file_name, candidate->source}, std::move(*replies)};
}

}  // namespace kernel_audit::cli
