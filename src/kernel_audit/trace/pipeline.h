// emit_pipeline: inside a kernel, runs a body on blocks of references in HBM while the next blocks are on their way.
//
// It expands into ordinary loops, DMAs and semaphores. An input with n slots is fetched n - 1 steps ahead, and only where its block index
// changes; n = 1 fetches in the same step. An output's block is copied out when its index changes or the grid ends, and a slot is
// written again only after its copy was awaited. Blocks at an edge that their extent does not divide are copied as far as the array goes.
#pragma once

#include <utility>
#include <vector>

#include "kernel_audit/trace/call.h"

namespace kernel_audit::pallas {

struct PipelineOptions {
  Grid grid = {};                         // 1 to 4 dimensions; inside the body program_id and num_programs speak of it
  std::vector<BlockSpec> in_specs = {};   // buffered(n) for n slots, from 1; 2 without it
  std::vector<BlockSpec> out_specs = {};  // 1 or 2 slots
  bool synchronous = false;               // every copy is awaited in its own step; the slots are there all the same
};

class PipelineFunction {
 public:
  PipelineFunction(Kernel body, PipelineOptions options, Here here) : body_(std::move(body)), options_(std::move(options)), here_(here) {}

  // Inputs, then outputs.
  template <typename... Refs>
  void operator()(const Refs&... refs) const {
    Run({refs...});
  }
  void Run(const std::vector<Ref>& refs) const;

 private:
  Kernel body_;
  PipelineOptions options_;
  Here here_;
};

// `body` takes one pl::Ref an input and an output: blocks in VMEM.
template <typename F>
PipelineFunction emit_pipeline(F body, PipelineOptions options, Here here = Here::Current()) {
  return PipelineFunction([body](const std::vector<Ref>& refs) mutable { detail::CallWithList<void, Ref>(body, refs); }, std::move(options), here);
}

}  // namespace kernel_audit::pallas
