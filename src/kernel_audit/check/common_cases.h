// Cases that several stages have.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernel_audit/check/stage.h"

namespace kernel_audit::check {

// `value`, whose module's text is kept.
Case Remembering(Case value, std::shared_ptr<std::string> text);

// A module depends on the request alone: this one, a repetition of the stage's first, must give the text that was remembered.
Case RepeatCase(Context& context, worker::TraceRequest request, std::shared_ptr<std::string> first);

// Two dtypes, other dtypes and ranks, empty matrices, blocks that are none. `second`: the type of the second input that goes with a first.
void AddCommonRefusals(worker::Kernel kernel, const std::function<core::ArrayType(const core::ArrayType&)>& second, std::vector<Case>& cases);

// The same request with inputs placed on a TPU, in mode tpu.
worker::TraceRequest OnTpu(worker::TraceRequest request);

// Mode tpu without inputs on a TPU or with small blocks, and a mode that there is not. `tiles`: a valid request for whole tiles.
void AddModeRefusals(const worker::TraceRequest& tiles, std::vector<Case>& cases);

// Inputs placed on a TPU are taken in mode tpu. The module is not run: there is no TPU here, and a simulation is no TPU run.
Case TpuTraceCase(worker::TraceRequest request);

}  // namespace kernel_audit::check
