// Work that a library may end by abort, done in a child process whose one answer is kept.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "kernel_audit/core/error.h"

namespace kernel_audit::cli {

// Forks, does the work in the child and gives back its answer or its Error. The child's standard output goes to standard error. kPlugin when
// the child ends without an answer, by a signal or otherwise; kFailed when it takes longer than `limit`, at which it is killed. `what` begins
// those messages ("the measurement"). Call it before the process has threads.
core::Result<std::string> AnswerOfChild(const std::string& what, std::chrono::seconds limit, const std::function<core::Result<std::string>()>& work);

}  // namespace kernel_audit::cli
