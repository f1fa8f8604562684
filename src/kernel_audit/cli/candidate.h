// A model, compiled and traced for a subcommand.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernel_audit/core/error.h"
#include "kernel_audit/report/finding.h"
#include "kernel_audit/worker/trace_candidate.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kernel_audit::cli {

struct TracedCandidate {
  report::SourceText source;  // what findings point into
  std::vector<worker::TraceReply> replies;
};

// A kernel of the contract on matrices of `shape` (fused: and a bias of its columns), from options that were checked by name.
struct ModelOptions {
  std::string kernel, dtype = "float32";
  std::vector<std::int64_t> shape, block;
  int buffers = 2;
  bool synchronous = false;
};
worker::TraceRequest RequestOf(const ModelOptions& options);

// --kernel (which is returned), --shape, --block, --dtype, --buffers and --synchronous, the first three `required` or as `options` has them.
CLI::Option* AddModelOptions(CLI::App& command, ModelOptions& options, bool required);

// `implementation` as FindImplementation takes it. One reply a request; a refusal fails with kBadInput: the requests are the person's own
// arrays, blocks and options.
core::Result<TracedCandidate> TraceImplementation(const std::string& implementation, std::span<const worker::TraceRequest> requests);

}  // namespace kernel_audit::cli
