// Damaged and hostile modules: each gives one clear line and never crashes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "kernel_audit/import/base64.h"
#include "kernel_audit/import/import_testing.h"
#include "kernel_audit/import/module.h"
#include "kernel_audit/import/mosaic.h"
#include "kernel_audit/ir/verifier.h"

namespace kernel_audit::import {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

core::Error ErrorOf(const std::string& text) {
  const auto module = ImportModule(text, 1);
  if (module) return {core::ErrorCode::kIo, "it was accepted", {}};
  EXPECT_EQ(module.error().message.find('\n'), std::string::npos) << module.error().message;
  return module.error();
}

std::string Golden(const std::string& name) { return ReadFile(DataDir() / "golden" / (name + ".mlir")); }

std::string HandWrittenBody() {
  const std::string text = Golden("hand_written");
  const std::string begin = "body\\22: \\22";
  const std::size_t from = text.find(begin) + begin.size();
  return *DecodeBase64(std::string_view(text).substr(from, text.find('\\', from) - from));
}

// The hand-written module with its body edited.
std::string WithBody(const std::string& body) {
  const std::string text = Golden("hand_written");
  const std::string begin = "body\\22: \\22";
  const std::size_t from = text.find(begin) + begin.size();
  return text.substr(0, from) + core::Base64(body) + text.substr(text.find('\\', from));
}

std::string EditedBody(const std::string& from, const std::string& to) { return WithBody(Replace(HandWrittenBody(), from, to)); }

TEST(Errors, ANewerMosaicVersionIsRefused) {
  EXPECT_EQ(ErrorOf(EditedBody("version = 10", "version = 14")).message, "it was accepted");
  const core::Error error = ErrorOf(EditedBody("version = 10", "version = 15"));
  EXPECT_EQ(error.code, core::ErrorCode::kUnsupported);
  EXPECT_EQ(error.message, "kernel 'axpy': Mosaic version 15; versions up to 14 are read");
}

TEST(Errors, AnUnknownOperationIsRefusedByNameAndPlace) {
  const core::Error error = ErrorOf(EditedBody("arith.addf", "nope.addf"));
  EXPECT_EQ(error.code, core::ErrorCode::kUnsupported);
  EXPECT_EQ(error.ToString(), "my_model.cpp:13: nope.addf: this operation is not supported");
}

TEST(Errors, UnprefixedNamesAreTheSameOperations) {
  std::string body = HandWrittenBody();
  for (std::size_t at = body.find("\"stable_mosaic."); at != std::string::npos; at = body.find("\"stable_mosaic.")) body.erase(at + 1, 14);
  EXPECT_EQ(ErrorOf(WithBody(body)).message, "it was accepted");
}

TEST(Errors, UnknownAttributesAndValuesAreRefused) {
  EXPECT_THAT(ErrorOf(EditedBody("add = false", "add = false, masked = true")).message, HasSubstr("tpu.vector_store: attribute 'masked' is not supported"));
  EXPECT_THAT(ErrorOf(EditedBody("strides = array<i32>", "strides = array<i32: 2>")).message, HasSubstr("a store with strides"));
  EXPECT_THAT(ErrorOf(EditedBody("<parallel>", "<subcore_parallel>")).message, HasSubstr("dimension semantics 'subcore_parallel'"));
  EXPECT_THAT(ErrorOf(EditedBody("transform_indices = @t0", "pipeline_mode = #tpu.pipeline_mode<triple>, transform_indices = @t0")).message, HasSubstr("pipeline_mode 'triple'"));
  EXPECT_THAT(ErrorOf(EditedBody("transform_indices = @t0", "transform_indices = @t9")).message, HasSubstr("index map 't9'"));
  EXPECT_THAT(ErrorOf(EditedBody("iteration_bounds", "tpu.core_type = #tpu.core_type<sc_vector_subcore>, iteration_bounds")).message, HasSubstr("core type"));
}

TEST(Errors, ElementWindowsAndModesAreRead) {
  const std::string kind = "window_kind = #tpu.element_window<[0, 1], [2, 0]>, pipeline_mode = #tpu.pipeline_mode<synchronous>, transform_indices = @t0";
  const auto module = ImportModule(EditedBody("transform_indices = @t0", kind), 1);
  ASSERT_TRUE(module.has_value()) << module.error().ToString();
  const ir::Window& window = *module->kernels[0]->windows[0];
  EXPECT_TRUE(window.element_indexed);
  EXPECT_EQ(window.padding_low, (core::Shape{0, 1}));
  EXPECT_EQ(window.padding_high, (core::Shape{2, 0}));
  EXPECT_EQ(window.buffers, 1);
}

TEST(Errors, LayoutsAndSpacesOtherThanOursAreRefused) {
  const std::string ops = "    %m = \"memref.alloca\"() : () -> memref<8x128xf32, TYPE>\n";
  EXPECT_THAT(ErrorOf(ModuleWithOps(Replace(ops, "TYPE", "#tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<vmem>"))).message, HasSubstr("row-major"));
  EXPECT_THAT(ErrorOf(ModuleWithOps(Replace(ops, "TYPE", "affine_map<(d0, d1) -> (d1, d0)>, #tpu.memory_space<vmem>"))).message, HasSubstr("row-major"));
  EXPECT_EQ(ErrorOf(ModuleWithOps(Replace(ops, "TYPE", "affine_map<(d0, d1) -> (d0, d1)>, #tpu.memory_space<vmem>"))).message, "it was accepted");
  EXPECT_THAT(ErrorOf(ModuleWithOps(Replace(ops, "TYPE", "#tpu.memory_space<cmem>"))).message, HasSubstr("memory space 'cmem'"));
  EXPECT_THAT(ErrorOf(ModuleWithOps(Replace(ops, "f32, TYPE", "f8E4M3FN, #tpu.memory_space<vmem>"))).message, HasSubstr("f8E4M3FN"));
}

TEST(Errors, TheCallMustFitTheKernel) {
  const std::string body = BodyWith("");
  const auto with = [&](const char* in, const char* types, const char* out) { return ErrorOf(ModuleWith(body, in, types, out)).message; };
  EXPECT_EQ(with("%a: tensor<8x128xf32>", "(tensor<8x128xf32>) -> tensor<8x128xf32>", "tensor<8x128xf32>"), "it was accepted");
  EXPECT_THAT(with("%a: tensor<8x256xf32>", "(tensor<8x256xf32>) -> tensor<8x128xf32>", "tensor<8x128xf32>"), HasSubstr("shape of the array float32(8, 256)"));
  EXPECT_THAT(with("%a: tensor<8x128xi32>", "(tensor<8x128xi32>) -> tensor<8x128xf32>", "tensor<8x128xf32>"), HasSubstr("element type"));
  EXPECT_THAT(with("%a: tensor<8x128xf32>", "(tensor<8x128xf32>, tensor<1xf32>) -> tensor<8x128xf32>", "tensor<8x128xf32>"), HasSubstr("main takes 2 arrays"));
  EXPECT_THAT(with("%a: tensor<8x128xf32>", "(tensor<?x128xf32>) -> tensor<8x128xf32>", "tensor<8x128xf32>"), HasSubstr("dynamic"));
  EXPECT_THAT(ErrorOf(Replace(Replace(Golden("hand_written"), "(tensor<32x256xf32>, tensor<32x256xf32>) ->", "(tensor<32x256xf32>, tensor<8192xf32>) ->"), "operand_layouts", "other")).message,
              HasSubstr("must have the rank of the array"));
}

TEST(Errors, CallsThatAreDamaged) {
  const std::string text = ModuleWithOps("");
  const std::string config = "\"{\\22custom_call_config\\22: {\\22body\\22: \\22";
  EXPECT_THAT(ErrorOf(Replace(text, config, "\"{\\22custom_call_config\\22: {\\22body\\22: \\22*")).message, HasSubstr("body is not base64"));
  EXPECT_THAT(ErrorOf(Replace(text, config, "\"{{\\22custom_call_config\\22: {\\22body\\22: \\22")).message, HasSubstr("not a JSON object"));
  EXPECT_THAT(ErrorOf(Replace(text, config, "\"{\\22custom_call\\22: {\\22body\\22: \\22")).message, HasSubstr("custom_call_config"));
  EXPECT_THAT(ErrorOf(Replace(text, "backend_config", "other_config")).message, HasSubstr("backend_config"));
  EXPECT_THAT(ErrorOf(Replace(text, "{backend_config", "(backend_config")).message, HasSubstr("line 3"));
  EXPECT_THAT(ErrorOf(Replace(text, "\"{\\22", "\"{\\2")).message, HasSubstr("JSON"));
  EXPECT_THAT(ErrorOf(Replace(text, "kernel_name", "operand_layouts = [dense<[0, 1]> : tensor<2xindex>], kernel_name")).message, HasSubstr("not row-major"));
  EXPECT_THAT(ErrorOf(Replace(text, "return %r", "return (%r")).message, HasSubstr("bracket"));
  EXPECT_THAT(ErrorOf("").message, HasSubstr("no function @main"));
  EXPECT_THAT(ErrorOf("ML\xefR").message, HasSubstr("as text"));
  EXPECT_THAT(ErrorOf(ModuleWith("garbage", "%a: tensor<1xf32>", "(tensor<1xf32>) -> tensor<1xf32>", "tensor<1xf32>")).message, HasSubstr("generic form"));
}

TEST(Errors, NestingIsBounded) {
  const std::string many(100000, '[');
  EXPECT_THAT(ErrorOf(ModuleWithOps("    \"a\"() {x = " + many + "} : () -> ()\n")).message, HasSubstr("nested"));
  std::string regions;
  for (int i = 0; i < 20000; ++i) regions += "\"tpu.region\"() ({";
  EXPECT_THAT(ErrorOf(ModuleWithOps(regions)).message, HasSubstr("nested"));
  std::string aliases;
  for (int i = 0; i < 40; ++i) aliases += "#l" + std::to_string(i) + " = loc(fused[#l" + std::to_string(i + 1) + ", #l" + std::to_string(i + 1) + "])\n";
  aliases += "#l40 = loc(\"deep.py\":3:1)\n";
  const std::string body = aliases + BodyWith("    \"nope.x\"() : () -> () loc(#l0)\n");
  const core::Error error = ErrorOf(ModuleWith(body, "%a: tensor<8x128xf32>", "(tensor<8x128xf32>) -> tensor<8x128xf32>", "tensor<8x128xf32>"));
  EXPECT_EQ(error.location, (core::SourceLocation{"deep.py", 3})) << error.ToString();
}

KernelCall CallOf(const std::string& name) {
  const std::string text = Golden(name);
  const std::string begin = "body\\22: \\22";
  const std::size_t from = text.find(begin) + begin.size();
  KernelCall call;
  call.name = "k";
  call.body = *DecodeBase64(std::string_view(text).substr(from, text.find('\\', from) - from));
  const core::ArrayType array{core::DType::kFloat32, {24, 384}};
  call.inputs = {array, array};
  call.outputs = {array};
  return call;
}

bool ReadsAndVerifies(const KernelCall& call) {
  const auto kernel = ReadMosaic(call);
  return kernel && ir::Verify(**kernel);
}

TEST(Errors, BytecodeCutAtEveryLengthIsRefused) {
  KernelCall call = CallOf("data/axpy_f32_17x257");
  ASSERT_TRUE(ReadsAndVerifies(call));
  const std::string whole = call.body;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    call.body = whole.substr(0, size);
    EXPECT_FALSE(ReadMosaic(call).has_value()) << size;
  }
}

TEST(Errors, FlippedBytesNeverCrash) {
  for (const char* name : {"data/axpy_f32_17x257", "data/gather_blocks_f32", "data/sync_copy_f32_32x256"}) {
    KernelCall call = CallOf(name);
    const std::string whole = call.body;
    std::mt19937 random(20);
    int refused = 0;
    for (int i = 0; i < 2000; ++i) {
      call.body = whole;
      for (std::uint32_t flips = 1 + random() % 4; flips > 0; --flips) call.body[random() % whole.size()] ^= static_cast<char>(1 + random() % 255);
      refused += ReadsAndVerifies(call) ? 0 : 1;
    }
    EXPECT_GT(refused, 1000) << name;
  }
}

TEST(Errors, FlippedTextNeverCrashes) {
  const std::string body = HandWrittenBody(), module = Golden("data/two_outputs_squeezed_3x16x128");
  std::mt19937 random(21);
  for (int i = 0; i < 2000; ++i) {
    std::string edited = body, host = module;
    edited[random() % body.size()] = static_cast<char>(random() % 128);
    edited.erase(random() % body.size(), random() % 8);
    host[random() % host.size()] = static_cast<char>(random() % 128);
    ImportModule(WithBody(edited), 1).has_value();
    ImportModule(host, 1).has_value();
  }
}

}  // namespace
}  // namespace kernel_audit::import
