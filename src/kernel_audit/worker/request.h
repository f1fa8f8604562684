// What a candidate is asked to trace, as a line of text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_audit/core/dtype.h"
#include "kernel_audit/core/error.h"
#include "kernel_audit/core/shape.h"

namespace kernel_audit::worker {

// The first three are kernels; kProduct and kParticipants are the runtime audit's, and have no block and no mode.
enum class Kernel { kAxpy, kFused, kPipeline, kProduct, kParticipants };

// kInvalid is a value that pl::Mode does not have, to see it refused.
enum class Mode { kInterpret, kTpu, kInvalid };

struct Input {
  core::DType dtype = core::DType::kFloat32;
  core::Shape shape;
  bool on_tpu = false;
  bool operator==(const Input&) const = default;
};

struct TraceRequest {
  Kernel kernel = Kernel::kAxpy;
  Mode mode = Mode::kInterpret;
  core::Shape block;          // as given: extents may be zero, negative or of any number
  std::vector<Input> inputs;  // two, one for kParticipants; extents may be zero, ranks of any number
  int buffers = 2;            // kPipeline only, and so is `synchronous`
  bool synchronous = false;
  std::optional<std::int64_t> without = {};  // kParticipants only: the index left out
  bool operator==(const TraceRequest&) const = default;
};

// "axpy", "fused", "pipeline", "product", "participants".
std::string_view Name(Kernel kernel);
std::optional<Kernel> KernelFromName(std::string_view name);

// The function that a candidate must define: "blocked_axpy", and the whole of its declaration.
std::string_view FunctionName(Kernel kernel);
std::string_view Declaration(Kernel kernel);

// "axpy interpret block 2x4 float32 5x11 float32 5x11"; "pipeline interpret block 8x128 bfloat16 17x257 bfloat16 17x257 buffers 3
// synchronous"; an input on a TPU is "float32@tpu", no extents are "scalar".
std::string ToLine(const TraceRequest& request);

// The request that ToLine wrote. kBadInput for anything else.
core::Result<TraceRequest> ParseLine(std::string_view line);

}  // namespace kernel_audit::worker
