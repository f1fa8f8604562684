// Pipelines whose timelines are known, and their runs.
#pragma once

#include "kernel_audit/report/timeline.h"
#include "simulate.h"

namespace kernel_audit::testing {

struct PipelineShape {
  Shape shape = {17, 257}, block = {8, 128};
  int buffers = 2;
  bool synchronous = false;
};

// z = 2 x + y, in HBM, blocks through an emit_pipeline.
pl::Array PipelinedAxpy(const pl::Array& x, const pl::Array& y, const PipelineShape& shape);

// What core 0 did in a run of a kernel of two float32 inputs.
report::Timeline RunTimeline(const std::string& title, const Shape& shape, const SingleFunction& kernel);
report::Timeline AxpyTimeline(const std::string& title, const PipelineShape& shape);

}  // namespace kernel_audit::testing
