#include "kernel_audit/cli/candidate.h"

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
