#include "kernel_audit/import/host_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_audit/import/import_testing.h"

namespace kernel_audit::import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kConfig = "\"{\\22custom_call_config\\22: {\\22body\\22: \\22QUJD\\22}, \\22scoped_memory_configs\\22: [{\\22memory_space\\22: 1, \\22size\\22: 4096}]}\"";

TEST(HostProgram, FindsCallsInEveryFunctionAndRegionAndKeepsTheRest) {
  const std::string text = R"(module { // stablehlo.custom_call @tpu_custom_call(
  func.func private @f(%a: tensor<i32>) -> tensor<i32> {
    %s = stablehlo.constant dense<"{stablehlo.custom_call @tpu_custom_call \22"> : tensor<1x!s>
    %0 = stablehlo.custom_call @Sharding(%a) {backend_config = ""} : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.if"(%c) ({
      %2 = stablehlo.custom_call @tpu_custom_call(%a) {backend_config = CONFIG, kernel_name = "one", has_side_effect = true, operand_layouts = [dense<> : tensor<0xindex>]} : (tensor<i32>) -> tensor<i32>
    }) : () -> ()
  }
  func.func public @main(%arg0: tensor<17x257xbf16> {jax.arg_info = "x", sdy.sharding = #sdy.sharding<@m, [{}, {"a"}]>} loc("x"), %arg1: tensor<i1>) -> (tensor<2xui8> {jax.result_info = "r"}, tensor<i32>) {
    %3:2 = "stablehlo.custom_call"(%arg0, %arg1) <{call_target_name = "tpu_custom_call", backend_config = CONFIG}> {mhlo.x = 1 : i32} : (tensor<17x257xbf16>, tensor<i1>) -> (tensor<2xui8>, tensor<i32>)
    return
  }
}
)";
  std::string source = text;
  for (int i = 0; i < 2; ++i) source = testing::Replace(source, "CONFIG", kConfig);
  const auto host = ReadHostProgram(source, 5);
  ASSERT_TRUE(host.has_value()) << host.error().ToString();
  ASSERT_EQ(host->calls.size(), 2u);
  EXPECT_EQ(host->calls[0].name, "one");
  EXPECT_EQ(host->calls[0].body, "ABC");
  EXPECT_EQ(host->calls[0].vmem_limit_bytes, 4096);
  EXPECT_THAT(host->calls[1].inputs, ElementsAre(core::ArrayType{core::DType::kBFloat16, {17, 257}}, core::ArrayType{core::DType::kBool, {}}));
  EXPECT_THAT(host->calls[1].outputs, ElementsAre(core::ArrayType{core::DType::kUInt8, {2}}, core::ArrayType{core::DType::kInt32, {}}));
  EXPECT_THAT(host->input_names, ElementsAre("x", "arg1"));
  EXPECT_EQ(host->outputs.size(), 2u);
  std::string expected = testing::Replace(
      text, R"({backend_config = CONFIG, kernel_name = "one", has_side_effect = true, operand_layouts = [dense<> : tensor<0xindex>]})",
      "{api_version = 4 : i32, backend_config = {kernel = 0 : i64, program = 5 : i64}, has_side_effect = true, operand_layouts = [dense<> : tensor<0xindex>]}");
  expected = testing::Replace(
      expected, R"(<{call_target_name = "tpu_custom_call", backend_config = CONFIG}> {mhlo.x = 1 : i32})",
      "{api_version = 4 : i32, backend_config = {kernel = 1 : i64, program = 5 : i64}, call_target_name = \"tpu_custom_call\"}");
  EXPECT_EQ(host->text, expected);
}

TEST(HostProgram, AliasesNameOperandAndResult) {
  const std::string text = testing::Replace(
      "module { func.func @main(%a: tensor<4xf32>) { %0:2 = stablehlo.custom_call @tpu_custom_call(%a) {backend_config = CONFIG, "
      "output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = []>]} "
      ": (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) } }",
      "CONFIG", kConfig);
  const auto host = ReadHostProgram(text, 1);
  ASSERT_TRUE(host.has_value()) << host.error().ToString();
  EXPECT_THAT(host->calls[0].aliases, ElementsAre(std::pair(0, 1)));
  const auto wrong = ReadHostProgram(testing::Replace(text, "operand_index = 0", "operand_index = 3"), 1);
  ASSERT_FALSE(wrong.has_value());
  EXPECT_THAT(wrong.error().message, HasSubstr("does not have"));
}

}  // namespace
}  // namespace kernel_audit::import
