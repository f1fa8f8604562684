// Stages 1 and 2 of the contract, line by line.
#include "kernel_audit/check/common_cases.h"
#include "kernel_audit/check/oracle.h"
#include "kernel_audit/check/stage.h"

namespace kernel_audit::check {
namespace {

using core::ArrayType;
using core::DType;
using core::HostArray;
using core::Shape;
using worker::Kernel;

// Singleton rows, divisible shapes and tails in one dimension and in both; two choices of block.
const std::vector<Shape> kShapes = {{1, 1}, {1, 7}, {5, 11}, {6, 12}, {16, 256}, {17, 257}};
const std::vector<Shape> kBlocks = {{2, 4}, {8, 128}};
const std::vector<DType> kDTypes = {DType::kFloat32, DType::kBFloat16};

bool IsDrawn(const Shape& shape, const Shape& block, DType dtype) {
  return shape == Shape{5, 11} && block == Shape{2, 4} && dtype == DType::kFloat32;
}

void AddForEveryShape(Context& context, Kernel kernel, const std::function<ArrayType(const ArrayType&)>& second,
                      const std::function<ValueRule(const ArrayType&)>& rule_for, std::vector<Case>& cases) {
  auto first = std::make_shared<std::string>();
  for (const Shape& shape : kShapes) {
    if (!context.only_shape.empty() && shape != context.only_shape) continue;
    for (const Shape& block : kBlocks) {
      for (DType dtype : kDTypes) {
        const ArrayType type{dtype, shape};
        ValueRule rule = rule_for(type);
        rule.draw = IsDrawn(shape, block, dtype);
        Case value = ValueCase(context, MakeRequest(kernel, type, second(type), block), std::move(rule));
        cases.push_back(cases.empty() ? Remembering(std::move(value), first) : std::move(value));
      }
    }
  }
  cases.push_back(RepeatCase(context, cases.front().request, first));
}

ArrayType Same(const ArrayType& type) { return type; }
ArrayType RowOf(const ArrayType& type) { return {type.dtype, {type.shape.back()}}; }

HostArray Axpy(const std::vector<HostArray>& inputs) { return AxpyOracle(inputs[0], inputs[1]); }
HostArray BiasRelu(const std::vector<HostArray>& inputs) { return BiasReluOracle(inputs[0], inputs[1]); }

std::vector<HostArray> Two(HostArray a, HostArray b) {
  std::vector<HostArray> both;
  both.push_back(std::move(a));
  both.push_back(std::move(b));
  return both;
}

ValueRule AxpyRule(InputSource& source, const ArrayType& type) {
  ValueRule rule;
  rule.inputs = [&source, type] {
    HostArray x = source.Matrix(type), y = source.Matrix(type);
    InputSource::PlantRoundings(x, y);
    return Two(std::move(x), std::move(y));
  };
  rule.oracle = Axpy;
  return rule;
}

// max(+0, -0) may be either zero.
ValueRule BiasReluRule(InputSource& source, const ArrayType& type) {
  ValueRule rule;
  rule.inputs = [&source, type] {
    HostArray x = source.Matrix(type), bias = source.Bias(RowOf(type));
    source.PlantCancellations(x, bias);
    InputSource::PlantSpecials(x);
    return Two(std::move(x), std::move(bias));
  };
  rule.oracle = BiasRelu;
  rule.zeros = Zeros::kUnsigned;
  return rule;
}

ValueRule Fixed(std::vector<float> x, std::vector<float> second, ArrayType type, ArrayType second_type,
                std::function<HostArray(const std::vector<HostArray>&)> oracle) {
  ValueRule rule;
  rule.inputs = [=] { return Two(ArrayOf(type, x), ArrayOf(second_type, second)); };
  rule.oracle = std::move(oracle);
  rule.zeros = Zeros::kUnsigned;
  return rule;
}

}  // namespace

std::vector<Case> StageOneCases(Context& context) {
  std::vector<Case> cases;
  AddForEveryShape(context, Kernel::kAxpy, Same, [&](const ArrayType& type) { return AxpyRule(context.source, type); }, cases);
  const ArrayType matrix{DType::kFloat32, {5, 11}};
  const auto refuse = [&](Shape other, std::string why) {
    cases.push_back(RefusalCase(MakeRequest(Kernel::kAxpy, matrix, {DType::kFloat32, std::move(other)}, {2, 4}), std::move(why)));
  };
  refuse({5, 1}, "to broadcast columns");
  refuse({1, 11}, "to broadcast rows");
  refuse({11, 5}, "a transposed shape");
  AddCommonRefusals(Kernel::kAxpy, Same, cases);
  return cases;
}

std::vector<Case> StageTwoCases(Context& context) {
  std::vector<Case> cases;
  AddForEveryShape(context, Kernel::kFused, RowOf, [&](const ArrayType& type) { return BiasReluRule(context.source, type); }, cases);
  for (DType dtype : kDTypes) {
    const ArrayType type{dtype, {2, 3}}, row{dtype, {3}};
    cases.push_back(ValueCase(context, MakeRequest(Kernel::kFused, type, row, {8, 128}),
                              Fixed({-1, 0, 1, 1, -2, 0.5f}, {1, 0, -1}, type, row, [type](const std::vector<HostArray>&) {
                                return ArrayOf(type, {0, 0, 0, 2, 0, 0});
                              })));
  }
  const ArrayType matrix{DType::kFloat32, {5, 11}};
  const auto refuse = [&](const ArrayType& bias, std::string why) {
    cases.push_back(RefusalCase(MakeRequest(Kernel::kFused, matrix, bias, {2, 4}), std::move(why)));
  };
  refuse({DType::kFloat32, {5}}, "a bias as long as a column");
  refuse({DType::kFloat32, {1}}, "to broadcast a bias of one element");
  refuse({DType::kFloat32, {1, 11}}, "a bias that is a matrix");
  AddCommonRefusals(Kernel::kFused, RowOf, cases);
  const worker::TraceRequest tiles = MakeRequest(Kernel::kFused, {DType::kFloat32, {16, 256}}, {DType::kFloat32, {256}}, {8, 128});
  AddModeRefusals(tiles, cases);
  cases.push_back(TpuTraceCase(OnTpu(tiles)));
  return cases;
}

}  // namespace kernel_audit::check
