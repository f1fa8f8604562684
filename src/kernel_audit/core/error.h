// The four kinds of trouble that never mix: a finding is data (sim/finding.h); a failure is an Error inside a Result; a misuse of the
// front end is a TraceError; a bug of this project is an InternalError.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <tl/expected.hpp>

#include "kernel_audit/core/source_location.h"

namespace kernel_audit::core {

enum class ErrorCode {
  kBadInput,     // a file, an argument or a module that is not what it must be; exit status 3
  kUnsupported,  // well formed, but not something this version can do; exit status 3
  kRefused,      // an unmet guard: no TPU, no sandbox; exit status 2
  kFailed,       // a check failed or the program under test went wrong; exit status 1
  kPlugin,       // a PJRT plugin said no; its words are in `message`; exit status 3
  kIo,           // the operating system said no; exit status 3
};

struct Error {
  ErrorCode code;
  std::string message;      // one line: the thing, the rule, what to do
  SourceLocation location;  // the user's file and line; empty where there is none

  // "FILE:LINE: message", or the message alone.
  std::string ToString() const;
};

template <typename T>
using Result = tl::expected<T, Error>;

// `return Fail(ErrorCode::kBadInput, "...")` from a function that returns Result<T>.
inline tl::unexpected<Error> Fail(ErrorCode code, std::string message, SourceLocation location = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(location)});
}

// A state that no input may lead to. Ends the process with exit status 4.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace kernel_audit::core
