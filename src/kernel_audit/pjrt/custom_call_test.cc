#include "kernel_audit/pjrt/custom_call.h"

#include <atomic>
#include <stdexcept>

#include "kernel_audit/pjrt/test_support.h"

namespace kernel_audit::pjrt {
namespace {

using core::DType;
using core::ErrorCode;
using ::testing::HasSubstr;

core::Result<void> Scale(const CustomCall& call) {
  auto factor = call.GetInteger("program");
  if (!factor) return tl::unexpected(factor.error());
  const auto* from = static_cast<const float*>(call.arguments[0].data);
  auto* to = static_cast<float*>(call.results[0].data);
  for (std::int64_t i = 0; i < core::NumElements(call.results[0].shape); ++i) to[i] = from[i] * static_cast<float>(*factor);
  return {};
}

// Writes what it was given: text, one byte an element.
std::string seen;
core::Result<void> Describe(const CustomCall& call) {
  seen.clear();
  for (const BufferView& view : call.arguments) seen += core::ToString({view.dtype, view.shape}) + " ";
  seen += "->";
  for (const BufferView& view : call.results) seen += " " + core::ToString({view.dtype, view.shape});
  auto name = call.GetString("name");
  if (!name) return tl::unexpected(name.error());
  seen += " name=" + std::string(*name);
  if (auto wrong = call.GetInteger("name"); !wrong) seen += " | " + wrong.error().message;
  if (auto wrong = call.GetString("number"); !wrong) seen += " | " + wrong.error().message;
  if (auto wrong = call.GetInteger("narrow"); !wrong) seen += " | " + wrong.error().message;
  if (auto wrong = call.GetInteger("absent"); !wrong) seen += " | " + wrong.error().message;
  for (const BufferView& view : call.results) {
    if (view.data == nullptr) continue;
    std::memset(view.data, 0, static_cast<std::size_t>(core::NumElements(view.shape)) * core::ByteSize(view.dtype));
  }
  return {};
}

core::Result<void> Refuse(const CustomCall&) {
  return core::Fail(ErrorCode::kFailed, "the kernel read element 9 of 8\nand then stopped: \"quoted\" 100%", {"my_model.cpp", 13});
}
core::Result<void> Throw(const CustomCall&) { throw core::InternalError("a state that no input may lead to"); }
core::Result<void> ThrowInt(const CustomCall&) { throw 7; }
core::Result<void> DoNothing(const CustomCall&) { return {}; }
core::Result<void> Unreachable(const CustomCall&) { return core::Fail(ErrorCode::kFailed, "must not be called"); }

class CustomCallTest : public PluginTest {
 protected:
  void Register(std::string_view target, Handler handler) {
    auto registered = RegisterCustomCall(plugin(), target, handler);
    ASSERT_TRUE(registered) << registered.error().ToString();
  }
  core::Result<std::vector<core::HostArray>> Run(const std::string& target) {
    const Client client = MakeClient();
    const Executable program = Unwrap(client.Compile(
        "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { %b = stablehlo.custom_call @" + target +
        "(%a) {api_version = 4 : i32, backend_config = {}} : (tensor<2xf32>) -> tensor<2xf32> return %b : tensor<2xf32> }", target));
    const core::HostArray a({DType::kFloat32, {2}});
    return RunOnce(client, program, {&a});
  }
};

constexpr char kPadded[] = R"(module @padded { func.func @main(%a: tensor<5x7xf32>) -> tensor<4x6xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.pad %a, %z, low = [0, 0], high = [3, 1], interior = [0, 0] : (tensor<5x7xf32>, tensor<f32>) -> tensor<8x8xf32>
  %r = stablehlo.custom_call @ka_test_scale(%p) {api_version = 4 : i32, backend_config = {program = 7 : i64}} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = stablehlo.slice %r [0:4, 0:6] : (tensor<8x8xf32>) -> tensor<4x6xf32>
  return %s : tensor<4x6xf32> } })";

TEST_F(CustomCallTest, RunsBetweenPadAndSlice) {
  Register("ka_test_scale", Scale);
  const Client client = MakeClient();
  const Executable program = Unwrap(client.Compile(kPadded, "padded"));
  std::vector<float> values(35), expected;
  for (int i = 0; i < 35; ++i) values[i] = static_cast<float>(i);
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 6; ++column) expected.push_back(7 * values[row * 7 + column]);
  }
  const core::HostArray a = MakeArray<float>(DType::kFloat32, {5, 7}, values);
  EXPECT_EQ(Values<float>(Unwrap(RunOnce(client, program, {&a}))[0]), expected);
}

TEST_F(CustomCallTest, SeesShapesTypesAndAttributes) {
  Register("ka_test_describe", Describe);
  const Client client = MakeClient();
  const Executable program = Unwrap(client.Compile(R"(
    func.func @main(%a: tensor<bf16>, %b: tensor<2x1x3xi1>, %c: tensor<0x4xui8>) -> (tensor<3xi64>, tensor<f16>) {
      %r:2 = stablehlo.custom_call @ka_test_describe(%a, %b, %c) {api_version = 4 : i32,
        backend_config = {name = "blocked axpy", narrow = 3 : i32, number = 3 : i64}}
        : (tensor<bf16>, tensor<2x1x3xi1>, tensor<0x4xui8>) -> (tensor<3xi64>, tensor<f16>)
      return %r#0, %r#1 : tensor<3xi64>, tensor<f16> })", "describe"));
  const core::HostArray a({DType::kBFloat16, {}}), b({DType::kBool, {2, 1, 3}}), c({DType::kUInt8, {0, 4}});
  const auto outputs = Unwrap(RunOnce(client, program, {&a, &b, &c}));
  EXPECT_EQ(outputs.size(), 2u);
  EXPECT_EQ(seen, "bfloat16() bool(2, 1, 3) uint8(0, 4) -> int64(3,) float16() name=blocked axpy"
                  " | backend_config: name is not an integer of type i64 | backend_config: number is not a string"
                  " | backend_config: narrow is not an integer of type i64 | backend_config has no entry absent");
}

TEST_F(CustomCallTest, TheHandlersErrorComesBackWhole) {
  Register("ka_test_refuse", Refuse);
  auto outputs = Run("ka_test_refuse");
  ASSERT_FALSE(outputs);
  EXPECT_EQ(outputs.error().code, ErrorCode::kPlugin);
  EXPECT_THAT(outputs.error().message, HasSubstr("my_model.cpp:13: the kernel read element 9 of 8\nand then stopped: \"quoted\" 100%"));
}

TEST_F(CustomCallTest, ExceptionsStayOutOfXla) {
  Register("ka_test_throw", Throw);
  auto outputs = Run("ka_test_throw");
  ASSERT_FALSE(outputs);
  EXPECT_THAT(outputs.error().message, HasSubstr("a state that no input may lead to"));

  Register("ka_test_throw_int", ThrowInt);
  EXPECT_THAT(Run("ka_test_throw_int").error().message, HasSubstr("no std::exception"));
}

TEST_F(CustomCallTest, AnArrayTypeWithoutDTypeIsRefused) {
  Register("ka_test_unreachable", Unreachable);
  const Client client = MakeClient();
  const Executable program = Unwrap(client.Compile(R"(func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
      %c = stablehlo.complex %a, %a : tensor<2xcomplex<f32>>
      %r = stablehlo.custom_call @ka_test_unreachable(%c) {api_version = 4 : i32, backend_config = {}} : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
      return %r : tensor<2xf32> })", "complex"));
  const core::HostArray a({DType::kFloat32, {2}});
  EXPECT_THAT(RunOnce(client, program, {&a}).error().message, HasSubstr("argument 0 of the custom call has XLA element type 15"));
}

TEST_F(CustomCallTest, RegisteringTwiceChangesNothingAndStealingIsRefused) {
  Register("ka_test_nothing", DoNothing);
  Register("ka_test_nothing", DoNothing);
  Register("ka_test_nothing_too", DoNothing);
  auto stolen = RegisterCustomCall(plugin(), "ka_test_nothing", Unreachable);
  ASSERT_FALSE(stolen);
  EXPECT_EQ(stolen.error().message, "the custom call target ka_test_nothing already has another handler");
  EXPECT_TRUE(Run("ka_test_nothing"));
  EXPECT_TRUE(Run("ka_test_nothing_too"));
  EXPECT_EQ(RegisterCustomCall(plugin(), "", DoNothing).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(RegisterCustomCall(plugin(), "ka_test_null", nullptr).error().code, ErrorCode::kBadInput);
}

TEST_F(CustomCallTest, AnUnknownTargetIsRefusedByTheCompiler) {
  const Client client = MakeClient();
  auto program = client.Compile(
      "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { %b = stablehlo.custom_call @ka_test_absent(%a)"
      " {api_version = 4 : i32, backend_config = {}} : (tensor<2xf32>) -> tensor<2xf32> return %b : tensor<2xf32> }", "absent");
  ASSERT_FALSE(program);
  EXPECT_THAT(program.error().message, HasSubstr("ka_test_absent"));
}

}  // namespace
}  // namespace kernel_audit::pjrt
