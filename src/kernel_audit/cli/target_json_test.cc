#include "kernel_audit/cli/target_json.h"

#include <gtest/gtest.h>

#include "kernel_audit/core/json.h"

namespace kernel_audit::cli {
namespace {

TEST(ReceiptJson, IsOneCanonicalExecutedDocument) {
  check::TargetOptions options{"model.cpp", {}, UINT64_MAX};
  options.request.block = {8, 128};
  options.request.inputs = {{core::DType::kFloat32, {17, 257}, true}, {core::DType::kFloat32, {17, 257}, true}};
  const target::Timing timing{"candidate", 7, {3, 4}, 3, 4, {"a", "b"}, {"c", "d"}};
  const check::TargetReceipt receipt{"11", "22", {"tpu", "TPU v5 lite", 2, {timing, timing}}};
  const auto document = core::ParseCanonicalJson(ReceiptJson(options, receipt, {"/libtpu.so", "33", "0.98", "two\nlines", 4, 820'000'000'000}));
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ((*document)["tier"], "executed");
  EXPECT_EQ((*document)["seed"], UINT64_MAX);
  EXPECT_EQ((*document)["timings"].size(), 2u);
  EXPECT_EQ((*document)["timings"][0]["samples_ns"], core::Json({3, 4}));
  EXPECT_EQ((*document)["library"]["pjrt_api"], "0.98");
  EXPECT_EQ((*document)["floor_ns"], 2);
}

}  // namespace
}  // namespace kernel_audit::cli
