#include "kernel_audit/pjrt/executable.h"

#include "kernel_audit/pjrt/test_support.h"

namespace kernel_audit::pjrt {
namespace {

using core::DType;
using core::ErrorCode;
using ::testing::HasSubstr;

// z = 2x + y in float32, rounded once.
std::string Axpy(const std::string& shape, const std::string& dtype) {
  const std::string type = "tensor<" + shape + dtype + ">", wide = "tensor<" + shape + "f32>";
  return "module @axpy { func.func @main(%x: " + type + ", %y: " + type + ") -> " + type + " {\n" +
         "%two = stablehlo.constant dense<2.0> : " + wide + "\n" +
         "%a = stablehlo.convert %x : (" + type + ") -> " + wide + "\n" +
         "%b = stablehlo.convert %y : (" + type + ") -> " + wide + "\n" +
         "%c = stablehlo.multiply %a, %two : " + wide + "\n" +
         "%d = stablehlo.add %c, %b : " + wide + "\n" +
         "%z = stablehlo.convert %d : (" + wide + ") -> " + type + "\n" +
         "return %z : " + type + " } }";
}

class ExecutableTest : public PluginTest {};

TEST_F(ExecutableTest, AxpyInFloat32) {
  const Client client = MakeClient();
  const Executable axpy = Unwrap(client.Compile(Axpy("2x3x", "f32"), "axpy"));
  const core::HostArray x = MakeArray<float>(DType::kFloat32, {2, 3}, {0, 1, -2, 3.5, 1e30f, 16777216});
  const core::HostArray y = MakeArray<float>(DType::kFloat32, {2, 3}, {7, 0.25, 4, -7, 1, 1});
  const auto outputs = Unwrap(RunOnce(client, axpy, {&x, &y}));
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].type(), x.type());
  EXPECT_EQ(Values<float>(outputs[0]), (std::vector<float>{7, 2.25, 0, 0, 2e30f, 33554432}));
}

TEST_F(ExecutableTest, AxpyInBFloat16RoundsOnceToNearestEven) {
  const Client client = MakeClient();
  const Executable axpy = Unwrap(client.Compile(Axpy("4x", "bf16"), "axpy"));
  // 2*1 + 2^-7 is half way between 2 and 2.015625; one bit more goes up. 0x3f81 is 1.0078125.
  const core::HostArray x = MakeArray<std::uint16_t>(DType::kBFloat16, {4}, {0x3f80, 0x3f80, 0x3f81, 0xbf80});
  const core::HostArray y = MakeArray<std::uint16_t>(DType::kBFloat16, {4}, {0x3c00, 0x3c01, 0x3c00, 0x4000});
  const auto outputs = Unwrap(RunOnce(client, axpy, {&x, &y}));
  EXPECT_EQ(Values<std::uint16_t>(outputs[0]), (std::vector<std::uint16_t>{0x4000, 0x4001, 0x4002, 0x0000}));
}

TEST_F(ExecutableTest, KnowsItsSignature) {
  const Client client = MakeClient();
  const Executable program = Unwrap(client.Compile(
      "func.func @main(%a: tensor<2x3xf32>, %b: tensor<i1>, %c: tensor<0x4xui16>, %d: tensor<5xcomplex<f32>>)"
      " -> (tensor<i1>, tensor<2x3xf32>) { return %b, %a : tensor<i1>, tensor<2x3xf32> }", "signature"));
  EXPECT_EQ(program.num_outputs(), 2u);
  ASSERT_TRUE(program.parameters());
  EXPECT_EQ(*program.parameters(), (ParameterTypes{core::ArrayType{DType::kFloat32, {2, 3}}, core::ArrayType{DType::kBool, {}},
                                                   core::ArrayType{DType::kUInt16, {0, 4}}, std::nullopt}));
}

TEST_F(ExecutableTest, ScalarsAndEmptyArraysRun) {
  const Client client = MakeClient();
  const Executable scalar = Unwrap(client.Compile(Axpy("", "f32"), "scalar"));
  const core::HostArray x = MakeArray<float>(DType::kFloat32, {}, {3}), y = MakeArray<float>(DType::kFloat32, {}, {0.5});
  EXPECT_EQ(Values<float>(Unwrap(RunOnce(client, scalar, {&x, &y}))[0]), std::vector<float>{6.5});

  const Executable empty = Unwrap(client.Compile(Axpy("0x3x", "f32"), "empty"));
  const core::HostArray nothing({DType::kFloat32, {0, 3}});
  EXPECT_EQ(Unwrap(RunOnce(client, empty, {&nothing, &nothing}))[0].type(), nothing.type());
}

TEST_F(ExecutableTest, BadStableHloGivesThePluginsWords) {
  const Client client = MakeClient();
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"this is no module", "custom op 'this' is unknown"},
           {"", "PJRT_Client_Compile: "},
           {"func.func @main(%a: tensor<2xf32>) -> tensor<3xf32> { return %a : tensor<2xf32> }", "tensor<3xf32>"},
           {"func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { %b = stablehlo.nope %a : tensor<2xf32> return %b : tensor<2xf32> }",
            "stablehlo.nope"}}) {
    auto program = client.Compile(text, "bad.mlir");
    ASSERT_FALSE(program);
    EXPECT_EQ(program.error().code, ErrorCode::kPlugin);
    EXPECT_THAT(program.error().message, ::testing::StartsWith("bad.mlir: PJRT_Client_Compile: "));
    EXPECT_THAT(program.error().message, HasSubstr(words));
  }
}

TEST_F(ExecutableTest, WrongArgumentsAreRefused) {
  const Client client = MakeClient();
  const Executable axpy = Unwrap(client.Compile(Axpy("2x3x", "f32"), "axpy"));
  const core::HostArray good({DType::kFloat32, {2, 3}}), turned({DType::kFloat32, {3, 2}}), integers({DType::kInt32, {2, 3}}),
      large({DType::kFloat32, {4, 3}}), flat({DType::kFloat32, {6}});
  const std::vector<std::pair<std::vector<const core::HostArray*>, std::string>> cases = {
      {{}, "axpy: 0 arguments were given; the program takes 2"},
      {{&good}, "axpy: 1 arguments were given; the program takes 2"},
      {{&good, &good, &good}, "axpy: 3 arguments were given; the program takes 2"},
      {{&good, &turned}, "axpy: argument 1 is float32(3, 2); the program takes float32(2, 3)"},
      {{&integers, &good}, "axpy: argument 0 is int32(2, 3); the program takes float32(2, 3)"},
      {{&good, &large}, "axpy: argument 1 is float32(4, 3); the program takes float32(2, 3)"},
      {{&flat, &good}, "axpy: argument 0 is float32(6,); the program takes float32(2, 3)"}};
  for (const auto& [inputs, message] : cases) {
    auto outputs = RunOnce(client, axpy, inputs);
    ASSERT_FALSE(outputs) << message;
    EXPECT_EQ(outputs.error().code, ErrorCode::kBadInput);
    EXPECT_EQ(outputs.error().message, message);
  }
  EXPECT_TRUE(RunOnce(client, axpy, {&good, &good}));
}

TEST_F(ExecutableTest, ArgumentsOfNoOrAnotherClientAreRefused) {
  const Client client = MakeClient({.cpu_device_count = 2}), other = MakeClient();
  const Executable axpy = Unwrap(client.Compile(Axpy("2x", "f32"), "axpy"));
  const core::HostArray array({DType::kFloat32, {2}});
  const Buffer good = Unwrap(client.FromHost(array)), foreign = Unwrap(other.FromHost(array)), far = Unwrap(client.FromHost(array, 1));
  Buffer source = Unwrap(client.FromHost(array));
  const Buffer taken = std::move(source);

  EXPECT_EQ(axpy.Execute(std::vector<const Buffer*>{&good, nullptr}).error().message, "axpy: argument 1 is no device array");
  EXPECT_EQ(axpy.Execute(std::vector<const Buffer*>{&source, &good}).error().message, "axpy: argument 0 is no device array");
  EXPECT_EQ(axpy.Execute(std::vector<const Buffer*>{&good, &foreign}).error().message, "axpy: argument 1 belongs to another client");
  auto on_two_devices = axpy.Execute(std::vector<const Buffer*>{&good, &far});
  ASSERT_FALSE(on_two_devices);
  EXPECT_EQ(on_two_devices.error().code, ErrorCode::kPlugin);
}

TEST_F(ExecutableTest, DonatedArgumentsStayUsable) {
  const Client client = MakeClient();
  const Executable program = Unwrap(client.Compile(
      "func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32>"
      " { %b = stablehlo.add %a, %a : tensor<4xf32> return %b : tensor<4xf32> }", "donor"));
  const Buffer a = Unwrap(client.FromHost(MakeArray<float>(DType::kFloat32, {4}, {1, 2, 3, 4})));
  for (int run = 0; run < 2; ++run) {
    const auto outputs = Unwrap(program.Execute(std::vector<const Buffer*>{&a}));
    EXPECT_EQ(Values<float>(Unwrap(outputs[0].ToHost())), (std::vector<float>{2, 4, 6, 8}));
  }
  EXPECT_EQ(Values<float>(Unwrap(a.ToHost())), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(ExecutableTest, HostArraysAreRowMajorWhateverTheDeviceLayout) {
  const Client client = MakeClient();
  for (const char* layout : {"{2,1,0}", "{0,1,2}", "{1,2,0}", "{2,0,1}"}) {
    const Executable program = Unwrap(client.Compile(
        "func.func @main(%a: tensor<2x3x2xi16>) -> (tensor<2x3x2xi16> {mhlo.layout_mode = \"" + std::string(layout) +
            "\"}) { %b = stablehlo.add %a, %a : tensor<2x3x2xi16> return %b : tensor<2x3x2xi16> }", layout));
    const core::HostArray a = MakeArray<std::int16_t>(DType::kInt16, {2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    EXPECT_EQ(Values<std::int16_t>(Unwrap(RunOnce(client, program, {&a}))[0]),
              (std::vector<std::int16_t>{2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24}));
  }
}

TEST_F(ExecutableTest, ChainsWithoutTheHost) {
  const Client client = MakeClient();
  const Executable axpy = Unwrap(client.Compile(Axpy("2x", "f32"), "axpy"));
  const Buffer one = Unwrap(client.FromHost(MakeArray<float>(DType::kFloat32, {2}, {1, 1})));
  std::vector<Buffer> state;
  state.push_back(Unwrap(client.FromHost(MakeArray<float>(DType::kFloat32, {2}, {0, 1}))));
  for (int step = 0; step < 5; ++step) state = Unwrap(axpy.Execute(std::vector<const Buffer*>{&state[0], &one}));
  EXPECT_EQ(Values<float>(Unwrap(state[0].ToHost())), (std::vector<float>{31, 63}));
}

TEST_F(ExecutableTest, OutputOfATypeWithoutDTypeIsRefused) {
  const Client client = MakeClient();
  const Executable program = Unwrap(client.Compile(
      "func.func @main(%a: tensor<2xf32>) -> tensor<2xcomplex<f32>>"
      " { %b = stablehlo.complex %a, %a : tensor<2xcomplex<f32>> return %b : tensor<2xcomplex<f32>> }", "complex"));
  const Buffer a = Unwrap(client.FromHost(MakeArray<float>(DType::kFloat32, {2}, {1, 2})));
  const auto outputs = Unwrap(program.Execute(std::vector<const Buffer*>{&a}));
  EXPECT_EQ(outputs[0].ToHost().error().code, ErrorCode::kUnsupported);
}

TEST_F(ExecutableTest, StartsWithoutWaiting) {
  const Client client = MakeClient();
  const Executable executable = Unwrap(client.Compile("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                                                      "  %b = stablehlo.add %a, %a : tensor<4xf32>\n  return %b : tensor<4xf32>\n}\n",
                                                      "add"));
  const Buffer input = Unwrap(client.FromHost(MakeArray<float>(core::DType::kFloat32, {4}, {1, 2, 3, 4})));
  const Buffer* arguments[] = {&input};
  const auto outputs = Unwrap(executable.Start(arguments));
  ASSERT_EQ(outputs.size(), 1u);
  ASSERT_TRUE(outputs[0].AwaitReady());
  EXPECT_TRUE(Unwrap(outputs[0].IsReady()));
  EXPECT_EQ(Values<float>(Unwrap(outputs[0].ToHost())), (std::vector<float>{2, 4, 6, 8}));
  EXPECT_FALSE(executable.Start({})) << "arguments are checked as for Execute";
}

// A CPU's memory is no accelerator's, whichever of its devices it belongs to.
TEST_F(ExecutableTest, ArraysOnTheCpuLieOnNoDevice) {
  const Client client = MakeClient();
  const Buffer array = Unwrap(client.FromHost(MakeArray<float>(core::DType::kFloat32, {1}, {1})));
  EXPECT_FALSE(Unwrap(array.IsOnDevice(0)));
  EXPECT_FALSE(Unwrap(array.IsOnDevice(99)));
}

}  // namespace
}  // namespace kernel_audit::pjrt
