#include "kernel_audit/import/module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "kernel_audit/import/import_testing.h"

namespace kernel_audit::import {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

ImportedModule Import(const std::string& name) {
  auto module = ImportModule(ReadFile(DataDir() / "golden" / (name + ".mlir")), 7);
  EXPECT_TRUE(module.has_value()) << name << ": " << module.error().ToString();
  return module ? std::move(*module) : ImportedModule{};
}

TEST(Module, EveryGoldenModuleImports) {
  const auto modules = GoldenModules();
  ASSERT_EQ(modules.size(), 43u);
  for (const auto& path : modules) {
    const auto module = ImportModule(ReadFile(path), 1);
    ASSERT_TRUE(module.has_value()) << path.filename() << ": " << module.error().ToString();
    EXPECT_EQ(module->kernels.size(), 1u) << path.filename();
    EXPECT_THAT(module->host_text, Not(HasSubstr("custom_call_config")));
    EXPECT_THAT(module->host_text, HasSubstr("api_version = 4 : i32, backend_config = {kernel = 0 : i64, program = 1 : i64}"));
  }
}

core::ArrayType TypeOf(const nlohmann::json& entry) {
  return {*core::DTypeFromName(entry[1].get<std::string>()), entry[0].get<core::Shape>()};
}

TEST(Module, SignaturesAreThoseOfTheCases) {
  const auto cases = nlohmann::json::parse(ReadFile(DataDir() / "golden/data/cases.json"));
  for (const auto& [name, expected] : cases.items()) {
    const ImportedModule module = Import("data/" + name);
    ASSERT_EQ(module.inputs.size(), expected["inputs"].size()) << name;
    ASSERT_EQ(module.outputs.size(), expected["outputs"].size()) << name;
    for (std::size_t i = 0; i < module.inputs.size(); ++i) EXPECT_EQ(module.inputs[i], TypeOf(expected["inputs"][i])) << name;
    for (std::size_t i = 0; i < module.outputs.size(); ++i) EXPECT_EQ(module.outputs[i], TypeOf(expected["outputs"][i])) << name;
  }
}

TEST(Module, AxpyIsWhatJaxWrote) {
  const ImportedModule module = Import("data/axpy_f32_17x257");
  const ir::Kernel& kernel = *module.kernels[0];
  EXPECT_EQ(kernel.name, "blocked_axpy");
  EXPECT_THAT(kernel.grid, ElementsAre(3, 3));
  EXPECT_EQ(kernel.windows.size(), 3u);
  EXPECT_EQ(kernel.index_maps.size(), 3u);
  EXPECT_THAT(kernel.windows[2]->block_shape, ElementsAre(8, 128));
  EXPECT_EQ(kernel.windows[2]->buffers, 2);
  EXPECT_EQ(kernel.inputs[0], (core::ArrayType{core::DType::kFloat32, {24, 384}}));
  EXPECT_EQ(kernel.body->ops.size(), 15u);
  EXPECT_EQ(CountOps(*kernel.body, ir::OpCode::kVectorLoad), 3);
  const ir::Op* scale = nullptr;
  for (const ir::Op* op : kernel.body->ops) scale = op->code == ir::OpCode::kMulF ? op : scale;
  ASSERT_NE(scale, nullptr);
  EXPECT_EQ(scale->location, (core::SourceLocation{"make_golden.py", 41}));
  float two = 0;
  const ir::Constant& constant = scale->operands[0]->producer->operands[0]->producer->attributes.value;
  ASSERT_EQ(constant.bytes.size(), 4u);
  std::memcpy(&two, constant.bytes.data(), 4);
  EXPECT_EQ(two, 2.0f);
  EXPECT_THAT(module.input_names, ElementsAre("arg0", "arg1"));
}

TEST(Module, CountsThePlacesThatTheTextItselfHas) {
  const ImportedModule axpy = Import("data/axpy_f32_17x257");
  ASSERT_EQ(axpy.places.size(), 1u);
  EXPECT_EQ(axpy.places[0].operations, 17u);
  EXPECT_EQ(axpy.places[0].placed, 14u);  // JAX gives none to the constant of each index map
  EXPECT_THAT(axpy.places[0].lines, ElementsAre(core::SourceLocation{"make_golden.py", 41}));
}

TEST(Module, AttributesOfTheRarerOperationsArrive) {
  const auto find = [](const ir::Kernel& kernel, ir::OpCode code) {
    for (const ir::Op* op : kernel.body->ops) {
      if (op->code == code) return op;
    }
    throw core::InternalError("not found");
  };
  const ImportedModule attention = Import("data/attention_tile_f32");
  const ir::DotDimensionNumbers& dot = find(*attention.kernels[0], ir::OpCode::kMatmul)->attributes.dot;
  EXPECT_THAT(dot.lhs_contracting, ElementsAre(1));
  EXPECT_THAT(dot.output_order, ElementsAre(0, 0, 1, 0));
  const ir::Op* reduce = find(*attention.kernels[0], ir::OpCode::kReduce);
  EXPECT_EQ(reduce->attributes.reduction, ir::ReductionKind::kMaximumF);
  EXPECT_THAT(reduce->attributes.dims, ElementsAre(1));
  EXPECT_THAT(reduce->operands[1]->producer->attributes.value.bytes, ElementsAre(0, 0, 0x80, 0xff));  // minus infinity
  const ImportedModule roll = Import("data/roll_concat_f32_8x128");
  EXPECT_EQ(find(*roll.kernels[0], ir::OpCode::kDynamicRotate)->attributes.dimension, 1);
  const ImportedModule leftover = Import("races/sem_leftover");
  EXPECT_THAT(find(*leftover.kernels[0], ir::OpCode::kSemSignal)->attributes.segments, ElementsAre(1, 1, 0, 0));
}

TEST(Module, ThePipelineHasTheOperationsThatMlirCounts) {
  const ImportedModule module = Import("data/pipeline_f32_b2_17x257");
  const ir::Region& body = *module.kernels[0]->body;
  const std::string text = ReadFile(DataDir() / "mosaic_text/pipeline_f32_b2_17x257.txt");
  for (const ir::OpInfo& info : ir::AllOps()) {
    int expected = 0;
    const std::string quoted = std::string("\"stable_mosaic.") + info.name + "\"";
    for (std::size_t at = text.find(quoted); at != std::string::npos; at = text.find(quoted, at + 1)) ++expected;
    EXPECT_EQ(CountOps(body, info.code), expected) << info.name;
  }
  EXPECT_EQ(module.kernels[0]->windows.size(), 3u);
  EXPECT_FALSE(module.kernels[0]->windows[0].has_value());
}

TEST(Module, AliasesScratchPrefetchAndSynchronousWindows) {
  EXPECT_THAT(Import("data/alias_add_f32_16x128").kernels[0]->aliases, ElementsAre(std::pair(0, 0)));
  EXPECT_THAT(Import("data/alias_add_f32_16x128").host_text, Not(HasSubstr("output_operand_aliases")));
  EXPECT_EQ(Import("data/gather_blocks_f32").kernels[0]->num_scalar_prefetch, 1);
  EXPECT_EQ(Import("data/matmul_f32_64x256x128").kernels[0]->num_scratch, 1);
  EXPECT_EQ(Import("data/matmul_f32_64x256x128").kernels[0]->semantics[0], ir::DimensionSemantics::kParallel);
  EXPECT_EQ(Import("data/layernorm_f32_16x256").kernels[0]->windows[1]->buffers, 1);
  EXPECT_EQ(Import("data/two_outputs_squeezed_3x16x128").kernels[0]->outputs.size(), 2u);
}

TEST(Module, HandWrittenTextImports) {
  const ImportedModule module = Import("hand_written");
  const ir::Kernel& kernel = *module.kernels[0];
  EXPECT_EQ(kernel.index_maps.size(), 1u);  // three windows share it
  EXPECT_THAT(kernel.semantics, ElementsAre(ir::DimensionSemantics::kParallel, ir::DimensionSemantics::kArbitrary));
  EXPECT_EQ(kernel.body->ops[5]->location, (core::SourceLocation{"my_model.cpp", 13}));
  EXPECT_EQ(kernel.body->ops[3]->attributes.value.bytes, (std::vector<std::uint8_t>{0, 0, 0, 0x40}));
  EXPECT_TRUE(kernel.body->ops[3]->attributes.value.splat);
}

TEST(Module, AModuleWithoutKernelsIsLeftAsItIs) {
  const std::string text = "module { func.func @main() { return } }";
  const auto module = ImportModule(text, 1);
  ASSERT_TRUE(module.has_value()) << module.error().ToString();
  EXPECT_TRUE(module->kernels.empty());
  EXPECT_EQ(module->host_text, text);
}

// What a kernel says, without its pointers, so that two kernels can be compared.
void Describe(const ir::Region& region, std::string& text) {
  const auto values = [&](const auto& list) {
    for (const ir::Value* value : list) text += " %" + std::to_string(value->id) + ":" + ir::ToString(value->type);
  };
  values(region.arguments);
  for (const ir::Op* op : region.ops) {
    const ir::Attributes& a = op->attributes;
    text += "\n" + std::string(op->info().name) + " at " + op->location.ToString();
    values(op->operands);
    text += " ->";
    values(op->results);
    text += " [" + a.message + std::to_string(a.predicate) + std::to_string(a.dimension) + std::to_string(a.level) +
            std::to_string(static_cast<int>(a.reduction)) + std::to_string(a.value.splat);
    for (const auto byte : a.value.bytes) text += "," + std::to_string(byte);
    for (const auto* list : {&a.dims, &a.sizes, &a.dot.lhs_contracting, &a.dot.rhs_free, &a.dot.output_order}) text += core::ToString(*list);
    for (const auto segment : a.segments) text += ";" + std::to_string(segment);
    text += "]";
    for (const ir::Region* inner : op->regions) Describe(*inner, text);
  }
}

TEST(Module, BytecodeAndWhatMlirPrintsOfItAreOneKernel) {
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(DataDir() / "mosaic_text")) {
    if (entry.path().extension() != ".txt") continue;
    const std::string module_text = ReadFile(DataDir() / "golden/data" / (entry.path().stem().string() + ".mlir"));
    const std::string begin = "\\22body\\22: \\22", end = "\\22, \\22serialization";
    const std::size_t from = module_text.find(begin) + begin.size(), to = module_text.find(end);
    const std::string with_text =
        module_text.substr(0, from) + core::Base64(ReadFile(entry.path())) + module_text.substr(to);
    const auto a = ImportModule(module_text, 1), b = ImportModule(with_text, 1);
    ASSERT_TRUE(a.has_value()) << a.error().ToString();
    ASSERT_TRUE(b.has_value()) << b.error().ToString();
    std::string a_text, b_text;
    Describe(*a->kernels[0]->body, a_text);
    Describe(*b->kernels[0]->body, b_text);
    for (const ir::IndexMap& map : a->kernels[0]->index_maps) Describe(*map.body, a_text);
    for (const ir::IndexMap& map : b->kernels[0]->index_maps) Describe(*map.body, b_text);
    EXPECT_EQ(a_text, b_text) << entry.path().filename();
    ++compared;
  }
  EXPECT_EQ(compared, 6);
}

}  // namespace
}  // namespace kernel_audit::import
