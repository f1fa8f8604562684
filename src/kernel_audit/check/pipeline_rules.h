// What makes a kernel a pipeline: whole arrays in HBM, slots of its own in VMEM, DMAs between the two.
#pragma once

#include <cstdint>
#include <string>

#include "kernel_audit/core/chip.h"
#include "kernel_audit/ir/kernel.h"
#include "kernel_audit/worker/request.h"

namespace kernel_audit::check {

// What is wrong with how the kernel sees its arrays and moves data, or nothing.
std::string PipelineProblem(const ir::Kernel& kernel);

inline constexpr int kOutputSlots = 2;

// The model of a pipeline's buffers: (2 x input slots + output slots) x block bytes.
std::int64_t ModelledBufferBytes(const worker::TraceRequest& request);

// Blocks along each dimension, multiplied: the steps of the pipeline.
std::int64_t PipelineSteps(const worker::TraceRequest& request);

// "synchronous copies", "3 input slots".
std::string DescribePipeline(const worker::TraceRequest& request);

}  // namespace kernel_audit::check
