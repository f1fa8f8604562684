// Asks a built candidate for modules.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernel_audit/core/error.h"
#include "kernel_audit/worker/candidate.h"
#include "kernel_audit/worker/request.h"

namespace kernel_audit::worker {

struct TraceReply {
  enum class Kind {
    kModule,   // text: the module, to be judged as untrusted data
    kRefusal,  // the candidate threw pl::TraceError or std::invalid_argument; text: what it said
    kError,    // it threw something else
    kMissing,  // it does not define the function; text says which
    kEnded,    // its process crashed, hung, hit a limit or left; text says how: "model.cpp crashed with SIGSEGV while tracing request 3 (...)"
  };
  Kind kind = Kind::kModule;
  std::string error_class;  // the exception's type, for kRefusal and kError
  std::string text;
};

// One reply a request, in order. A request that ends the process is told so and the rest goes on in a new one; after the limit of
// time or of results was hit, which all of them share, the rest is not traced, and told so. kFailed: the process did not come to its first request (a static constructor crashed or left), or what
// it wrote is not the worker's records. kRefused: no sandbox. What it prints and its exit status mean nothing.
core::Result<std::vector<TraceReply>> TraceCandidate(const BuiltCandidate& candidate, std::span<const TraceRequest> requests);

}  // namespace kernel_audit::worker
