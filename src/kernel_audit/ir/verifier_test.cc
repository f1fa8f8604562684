#include "kernel_audit/ir/verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_audit/ir/verifier_rules.h"

namespace kernel_audit::ir {
namespace {

using ::testing::HasSubstr;

const Type kTile = Type::Ref(DType::kFloat32, {8, 128}, MemorySpace::kVmem);

// A kernel without a grid: reads x, works on it, writes z; the parts that tests bend are members.
struct Sample {
  Sample() {
    kernel.name = "sample";
    kernel.body = kernel.NewRegion();
    x = Argument(kTile);
    z = Argument(kTile);
    kernel.inputs = kernel.outputs = {{DType::kFloat32, {8, 128}}};
    kernel.windows.resize(2);
  }

  Value* Argument(Type type) {
    kernel.body->arguments.push_back(kernel.NewValue(std::move(type)));
    return kernel.body->arguments.back();
  }

  Op* Add(OpCode code, std::vector<Value*> operands, std::vector<Type> results, Region* region = nullptr) {
    Op* op = kernel.NewOp(code);
    op->operands = std::move(operands);
    op->location = {"k.cpp", 7};
    for (Type& type : results) {
      op->results.push_back(kernel.NewValue(std::move(type)));
      op->results.back()->producer = op;
    }
    (region == nullptr ? kernel.body : region)->ops.push_back(op);
    return op;
  }

  Value* Constant(DType dtype) {
    Op* op = Add(OpCode::kConstant, {}, {Type::Scalar(dtype)});
    op->attributes.value.bytes.assign(core::ByteSize(dtype), 0);
    return op->result();
  }

  Value* Load() {
    Value* zero = Constant(DType::kIndex);
    return Add(OpCode::kVectorLoad, {x, zero, zero}, {Type::Vector(DType::kFloat32, {8, 128})})->result();
  }

  // The message of the broken rule, "" when there is none.
  std::string Verdict() {
    Add(OpCode::kReturn, {}, {});
    const auto verified = Verify(kernel);
    return verified ? "" : verified.error().ToString();
  }

  Kernel kernel;
  Value *x = nullptr, *z = nullptr;
};

const Type kVector = Type::Vector(DType::kFloat32, {8, 128});

TEST(Verifier, EveryOperationHasARule) {
  for (const OpInfo& info : AllOps()) EXPECT_NE(RuleOf(info.code), nullptr) << info.name;
}

TEST(Verifier, AGoodKernelPasses) {
  Sample s;
  Value* value = s.Load();
  s.Add(OpCode::kAddF, {value, value}, {kVector});
  EXPECT_EQ(s.Verdict(), "");
}

TEST(Verifier, NamesOperationRuleAndPlace) {
  Sample s;
  Value* value = s.Load();
  s.Add(OpCode::kAddF, {value, s.Constant(DType::kFloat32)}, {kVector});
  EXPECT_EQ(s.Verdict(), "k.cpp:7: arith.addf: its operands must have the type of its result, vector<8x128xf32>");
}

TEST(Verifier, Scope) {
  Sample before;
  Value* late = before.kernel.NewValue(kVector);
  before.Add(OpCode::kAddF, {late, late}, {kVector});
  EXPECT_THAT(before.Verdict(), HasSubstr("an operand is not defined here"));

  Sample outside;
  Op* region = outside.Add(OpCode::kRegion, {}, {});
  Region* inner = outside.kernel.NewRegion();
  region->regions = {inner};
  Op* constant = outside.Add(OpCode::kConstant, {}, {Type::Scalar(DType::kInt32)}, inner);
  constant->attributes.value.bytes.assign(4, 0);
  outside.Add(OpCode::kRegionYield, {}, {}, inner);
  outside.Add(OpCode::kAddI, {constant->result(), constant->result()}, {Type::Scalar(DType::kInt32)});
  EXPECT_THAT(outside.Verdict(), HasSubstr("arith.addi: an operand is not defined here"));

  Sample own;
  Op* self = own.Add(OpCode::kNegF, {own.x}, {kVector});
  self->operands = {self->result()};
  EXPECT_THAT(own.Verdict(), HasSubstr("an operand is not defined here"));
}

TEST(Verifier, Terminators) {
  Sample s;
  Op* region = s.Add(OpCode::kRegion, {}, {});
  Region* inner = s.kernel.NewRegion();
  region->regions = {inner};
  s.Add(OpCode::kYield, {}, {}, inner);
  EXPECT_THAT(s.Verdict(), HasSubstr("this region ends with tpu.yield"));
  Sample empty;
  empty.Add(OpCode::kRegion, {}, {})->regions = {empty.kernel.NewRegion()};
  EXPECT_THAT(empty.Verdict(), HasSubstr("no operation to end it"));
  Sample twice;
  twice.Add(OpCode::kReturn, {}, {});
  EXPECT_THAT(twice.Verdict(), HasSubstr("can't stand inside"));
}

TEST(Verifier, TypesAreBounded) {
  for (const Shape& shape : {Shape{}, Shape{0, 4}, Shape{1 << 20, 1 << 20}, Shape{-3}}) {
    Sample s;
    s.Add(OpCode::kBroadcast, {s.Constant(DType::kFloat32)}, {Type::Vector(DType::kFloat32, shape)});
    EXPECT_NE(s.Verdict(), "") << core::ToString(shape);
  }
  Sample semaphore;
  semaphore.Add(OpCode::kAlloca, {}, {Type::Ref(DType::kSemaphore, {1}, MemorySpace::kVmem)});
  EXPECT_THAT(semaphore.Verdict(), HasSubstr("semaphore memory"));
  Sample dynamic;
  dynamic.Add(OpCode::kAlloca, {}, {Type::Ref(DType::kFloat32, {core::kDynamicExtent}, MemorySpace::kVmem)});
  EXPECT_THAT(dynamic.Verdict(), HasSubstr("not known"));
}

// One operation on a loaded vector, bent by `edit`.
template <typename Edit>
std::string OneOp(OpCode code, std::vector<Type> results, Edit edit) {
  Sample s;
  Value* value = s.Load();
  Op* op = s.Add(code, {value}, std::move(results));
  edit(s, *op);
  // What edit made stands behind op; op must be last.
  auto& ops = s.kernel.body->ops;
  std::erase(ops, op);
  ops.push_back(op);
  return s.Verdict();
}

TEST(Verifier, Shapes) {
  const auto f32 = [](Shape shape) { return Type::Vector(DType::kFloat32, std::move(shape)); };
  const auto none = [](Sample&, Op&) {};
  EXPECT_EQ(OneOp(OpCode::kShapeCast, {f32({1024})}, none), "");
  EXPECT_NE(OneOp(OpCode::kShapeCast, {f32({1023})}, none), "");
  EXPECT_EQ(OneOp(OpCode::kBroadcast, {f32({2, 8, 128})}, none), "");
  EXPECT_NE(OneOp(OpCode::kBroadcast, {f32({8, 256})}, none), "");
  const auto transpose = [](std::vector<std::int64_t> permutation) { return [permutation](Sample&, Op& op) { op.attributes.dims = permutation; }; };
  EXPECT_EQ(OneOp(OpCode::kTranspose, {f32({128, 8})}, transpose({1, 0})), "");
  EXPECT_NE(OneOp(OpCode::kTranspose, {f32({128, 8})}, transpose({1, 1})), "");
  EXPECT_NE(OneOp(OpCode::kTranspose, {f32({128, 8})}, transpose({1, -1})), "");
  const auto slice = [](std::int64_t offset) {
    return [offset](Sample&, Op& op) {
      op.attributes.dims = {0, offset};
      op.attributes.sizes = {8, 64};
    };
  };
  EXPECT_EQ(OneOp(OpCode::kExtractStridedSlice, {f32({8, 64})}, slice(64)), "");
  EXPECT_NE(OneOp(OpCode::kExtractStridedSlice, {f32({8, 64})}, slice(65)), "");
  EXPECT_NE(OneOp(OpCode::kExtractStridedSlice, {f32({8, 64})}, slice(INT64_MAX)), "");
  const auto reduce = [](std::vector<std::int64_t> dims, ReductionKind kind) {
    return [dims, kind](Sample& s, Op& op) {
      op.attributes.dims = dims;
      op.attributes.reduction = kind;
      op.operands.push_back(s.Add(OpCode::kBroadcast, {s.Constant(DType::kFloat32)}, {Type::Vector(DType::kFloat32, {8})})->result());
    };
  };
  EXPECT_EQ(OneOp(OpCode::kReduce, {f32({8})}, reduce({1}, ReductionKind::kAdd)), "");
  EXPECT_NE(OneOp(OpCode::kReduce, {f32({8})}, reduce({0}, ReductionKind::kAdd)), "");
  EXPECT_NE(OneOp(OpCode::kReduce, {f32({8})}, reduce({1, 1}, ReductionKind::kAdd)), "");
  EXPECT_NE(OneOp(OpCode::kReduce, {f32({8})}, reduce({2}, ReductionKind::kAdd)), "");
  EXPECT_THAT(OneOp(OpCode::kReduce, {f32({8})}, reduce({1}, ReductionKind::kMaxSI)), HasSubstr("kind"));
}

TEST(Verifier, Matmul) {
  const auto product = [](auto edit) {
    return OneOp(OpCode::kMatmul, {Type::Vector(DType::kFloat32, {8, 8})}, [&](Sample& s, Op& op) {
      op.operands.push_back(op.operands[0]);
      op.operands.push_back(s.Add(OpCode::kBroadcast, {s.Constant(DType::kFloat32)}, {Type::Vector(DType::kFloat32, {8, 8})})->result());
      op.attributes.dot = {{1}, {1}, {0}, {0}, {0, 0, 1, 0}, {}, {}};
      edit(op.attributes.dot);
    });
  };
  EXPECT_EQ(product([](DotDimensionNumbers&) {}), "");
  EXPECT_NE(product([](DotDimensionNumbers& dot) { dot.lhs_contracting = {0}; }), "");
  EXPECT_NE(product([](DotDimensionNumbers& dot) { dot = {{1}, {0}, {0}, {1}, {0, 0, 1, 1}, {}, {}}; }), "");  // 128 against 8
  EXPECT_NE(product([](DotDimensionNumbers& dot) { dot.output_order = {0, 0, 0, 0}; }), "");
  EXPECT_NE(product([](DotDimensionNumbers& dot) { dot.output_order = {0, 0, 1, 7}; }), "");
  EXPECT_NE(product([](DotDimensionNumbers& dot) { dot.output_order = {0, 0, 2, 0}; }), "");
  EXPECT_NE(product([](DotDimensionNumbers& dot) { dot.output_order = {0, 0}; }), "");
}

TEST(Verifier, MemoryIsReachedAsItsSpaceAllows) {
  Sample hbm;
  hbm.x->type.space = MemorySpace::kAny;
  hbm.Load();
  EXPECT_THAT(hbm.Verdict(), HasSubstr("reached by DMA only"));
  Sample few;
  few.Add(OpCode::kVectorLoad, {few.x, few.Constant(DType::kIndex)}, {kVector});
  EXPECT_THAT(few.Verdict(), HasSubstr("it needs an index a dimension"));
  Sample segments;
  Value* value = segments.Load();
  Value* zero = segments.Constant(DType::kIndex);
  segments.Add(OpCode::kVectorStore, {value, segments.z, zero, zero}, {})->attributes.segments = {1, 1, 1, 0};
  EXPECT_THAT(segments.Verdict(), HasSubstr("operandSegmentSizes"));
}

TEST(Verifier, TheCallFitsTheKernel) {
  Sample rank;
  rank.kernel.inputs[0].shape = {8, 64};
  EXPECT_THAT(rank.Verdict(), HasSubstr("argument 0 of main"));
  Sample count;
  count.kernel.inputs.push_back(count.kernel.inputs[0]);
  EXPECT_THAT(count.Verdict(), HasSubstr("main takes 2 arrays"));
  Sample sign;
  sign.x->type.dtype = DType::kInt32;
  sign.kernel.inputs[0].dtype = DType::kUInt32;
  EXPECT_EQ(sign.Verdict(), "");
  Sample alias;
  alias.kernel.aliases = {{0, 1}};
  EXPECT_THAT(alias.Verdict(), HasSubstr("alias"));
  Sample window;
  window.kernel.windows[0].emplace();
  window.kernel.windows[0]->block_shape = {8, 128};
  EXPECT_THAT(window.Verdict(), HasSubstr("no index map"));
}

}  // namespace
}  // namespace kernel_audit::ir
