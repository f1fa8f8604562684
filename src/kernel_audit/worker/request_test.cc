#include "kernel_audit/worker/request.h"

#include <gtest/gtest.h>

namespace kernel_audit::worker {
namespace {

using core::DType;

TEST(RequestTest, ReadsWhatItWrites) {
  const TraceRequest requests[] = {
      {Kernel::kAxpy, Mode::kInterpret, {2, 4}, {{DType::kFloat32, {5, 11}}, {DType::kFloat32, {5, 11}}}},
      {Kernel::kFused, Mode::kTpu, {8, 128}, {{DType::kBFloat16, {17, 257}, true}, {DType::kBFloat16, {257}, true}}},
      {Kernel::kAxpy, Mode::kInvalid, {}, {{DType::kInt32, {}}, {DType::kFloat64, {0, 3, 1}}}},
      {Kernel::kAxpy, Mode::kInterpret, {-1, 0}, {{DType::kBool, {1}}, {DType::kUInt8, {1}}}},
      {Kernel::kPipeline, Mode::kInterpret, {8, 128}, {{DType::kFloat32, {1, 1}}, {DType::kFloat32, {1, 1}}}, 3, false},
      {Kernel::kPipeline, Mode::kInterpret, {8, 128}, {{DType::kFloat32, {1, 1}}, {DType::kFloat32, {1, 1}}}, -7, true},
      {Kernel::kProduct, Mode::kInterpret, {}, {{DType::kFloat32, {4, 8}}, {DType::kBFloat16, {8, 4}}}},
      {Kernel::kParticipants, Mode::kInterpret, {}, {{DType::kInt32, {3}}}},
      {Kernel::kParticipants, Mode::kInterpret, {}, {{DType::kInt32, {3}}}, 2, false, -1},
  };
  for (const TraceRequest& request : requests) {
    const auto parsed = ParseLine(ToLine(request));
    ASSERT_TRUE(parsed.has_value()) << ToLine(request);
    EXPECT_EQ(*parsed, request) << ToLine(request);
  }
  EXPECT_EQ(ToLine(requests[1]), "fused tpu block 8x128 bfloat16@tpu 17x257 bfloat16@tpu 257");
  EXPECT_EQ(ToLine(requests[5]), "pipeline interpret block 8x128 float32 1x1 float32 1x1 buffers -7 synchronous");
  EXPECT_EQ(ToLine(requests[7]), "participants interpret block scalar int32 3 without nobody");
}

TEST(RequestTest, RefusesAnythingElse) {
  for (const char* line : {"", " ", "axpy", "axpy interpret block 2x4 float32 5x11", "axpy interpret block 2x4 float32 5x11 float32 5x11 ",
                           "axpy interpret block 2x4 float32 5x11 float32 5x11 buffers 2", "axpy fast block 2x4 float32 1 float32 1",
                           "axpy interpret block 2x float32 1 float32 1", "axpy interpret block x float32 1 float32 1",
                           "axpy interpret block 2 float9 1 float32 1", "axpy interpret block 99999999999999999999 float32 1 float32 1",
                           "axpy interpret block 1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1 float32 1 float32 1",
                           "pipeline interpret block 2 float32 1 float32 1", "pipeline interpret block 2 float32 1 float32 1 buffers 2 async"}) {
    const auto parsed = ParseLine(line);
    ASSERT_FALSE(parsed.has_value()) << line;
    EXPECT_EQ(parsed.error().code, core::ErrorCode::kBadInput);
  }
}

}  // namespace
}  // namespace kernel_audit::worker
