// A candidate's kernel on data: traced in the sandbox, simulated here.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernel_audit/core/error.h"
#include "kernel_audit/simulated/simulator.h"
#include "kernel_audit/worker/candidate.h"
#include "kernel_audit/worker/trace_candidate.h"

namespace kernel_audit::check {

// "blocked_axpy (5, 11) float32, block (2, 4)".
std::string Describe(const worker::TraceRequest& request);

// The request for a kernel of two inputs.
worker::TraceRequest MakeRequest(worker::Kernel kernel, const core::ArrayType& a, const core::ArrayType& b, core::Shape block,
                                 worker::Mode mode = worker::Mode::kInterpret);

// "threw std::out_of_range: far", of a reply that is an error.
std::string Thrown(const worker::TraceReply& reply);

// A module that the candidate returned, ready to run. Fails, with words for the user, when the reply is no module, when the module does
// more than host_rules.h allows or does not take the request's inputs, or when it does not return one array of `result`.
core::Result<simulated::SimulatedProgram> LoadReply(const simulated::Simulator& simulator, const worker::TraceRequest& request,
                                                    const worker::TraceReply& reply, const core::ArrayType& result);

}  // namespace kernel_audit::check
