#include "races/kernel_builder.h"

#include <bit>
#include <cstring>

namespace kernel_audit::testing {

using ir::Op;
using ir::OpCode;
using ir::Region;
using ir::Type;
using ir::Value;

Value* KernelBuilder::AddArgument(Region* region, const Type& type) { return region->arguments.emplace_back(kernel_.NewValue(type)); }

Region* KernelBuilder::Fill(Region* region, OpCode end, const std::function<void()>& f) {
  Region* outer = region_;
  region_ = region;
  f();
  AddEffect(end, {});
  region_ = outer;
  return region;
}

Op* KernelBuilder::AddEffect(OpCode code, std::vector<Value*> operands, std::vector<std::int32_t> segments) {
  Op* op = kernel_.NewOp(code);
  op->operands = std::move(operands);
  op->attributes.segments = std::move(segments);
  op->location = here();
  region_->ops.push_back(op);
  return op;
}

Op* KernelBuilder::Add(OpCode code, std::vector<Value*> operands, const Type& result, std::vector<std::int32_t> segments) {
  Op* op = AddEffect(code, std::move(operands), std::move(segments));
  op->results.push_back(kernel_.NewValue(result));
  op->results.back()->producer = op;
  return op;
}

Value* KernelBuilder::Constant(DType dtype, const Shape& shape, std::int64_t bits) {
  Op* op = Add(OpCode::kConstant, {}, shape.empty() ? Type::Scalar(dtype) : Type::Vector(dtype, shape));
  op->attributes.value.bytes.resize(core::ByteSize(dtype));
  std::memcpy(op->attributes.value.bytes.data(), &bits, op->attributes.value.bytes.size());
  return op->result();
}

Value* KernelBuilder::Floats(const Shape& shape, float number) { return Constant(DType::kFloat32, shape, std::bit_cast<std::int32_t>(number)); }

Value* KernelBuilder::ToIndex(Value* value) { return Add(OpCode::kIndexCast, {value}, Type::Scalar(DType::kIndex))->result(); }

Value* KernelBuilder::Equal(Value* a, Value* b) { return Add(OpCode::kCmpI, {a, b}, Type::Scalar(DType::kBool))->result(); }

Value* KernelBuilder::Slice(Value* reference, const std::vector<Value*>& starts, const Shape& sizes) {
  std::vector<Value*> operands = {reference};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return Add(OpCode::kRefSlice, std::move(operands), Type::Ref(reference->type.dtype, sizes, reference->type.space),
             {1, static_cast<std::int32_t>(starts.size()), 0})->result();
}

Value* KernelBuilder::Semaphore(Value* semaphores, Value* index) {
  Value* one = Slice(semaphores, {index}, {1});
  return Add(OpCode::kRefSqueeze, {one}, Type::Ref(one->type.dtype, {}, one->type.space))->result();
}

Value* KernelBuilder::Load(Value* reference, const std::vector<Value*>& starts, const Shape& sizes) {
  std::vector<Value*> operands = {reference};
  for (Value* start : starts) operands.push_back(ToIndex(start));
  const bool scalar = reference->type.space == MemorySpace::kSmem;
  return Add(scalar ? OpCode::kLoad : OpCode::kVectorLoad, std::move(operands),
             scalar ? Type::Scalar(reference->type.dtype) : Type::Vector(reference->type.dtype, sizes))->result();
}

void KernelBuilder::Store(Value* value, Value* reference, const std::vector<Value*>& starts) {
  std::vector<Value*> operands = {value, reference};
  for (Value* start : starts) operands.push_back(ToIndex(start));
  if (value->type.is_scalar()) {
    AddEffect(OpCode::kStore, std::move(operands));
  } else {
    AddEffect(OpCode::kVectorStore, std::move(operands), {1, 1, static_cast<std::int32_t>(starts.size()), 0});
  }
}

void KernelBuilder::Start(Value* source, Value* target, Value* semaphore) { AddEffect(OpCode::kEnqueueDma, {source, target, semaphore}, {1, 0, 1, 1, 0, 0}); }
void KernelBuilder::WaitDma(Value* source, Value* target, Value* semaphore) { AddEffect(OpCode::kWaitDma, {semaphore, source, target}, {1, 1, 1, 0, 0}); }
void KernelBuilder::Signal(Value* semaphore, Value* amount) { AddEffect(OpCode::kSemSignal, {semaphore, amount}, {1, 1, 0, 0}); }
void KernelBuilder::Wait(Value* semaphore, Value* amount) { AddEffect(OpCode::kSemWait, {semaphore, amount}); }

void KernelBuilder::For(std::int64_t steps, const std::function<void(Value*)>& body) {
  Op* op = AddEffect(OpCode::kFor, {I32(0), I32(steps), I32(1)});
  Region* region = kernel_.NewRegion();
  Value* counter = AddArgument(region, Type::Scalar(DType::kInt32));
  op->regions = {Fill(region, OpCode::kYield, [&] { body(counter); })};
}

void KernelBuilder::If(Value* condition, const std::function<void()>& then, const std::function<void()>& otherwise) {
  Op* op = AddEffect(OpCode::kIf, {condition});
  op->regions = {Fill(kernel_.NewRegion(), OpCode::kYield, then)};
  op->regions.push_back(Fill(kernel_.NewRegion(), OpCode::kYield, otherwise));
}

void KernelBuilder::Scoped(const std::vector<Type>& memory, const std::function<void(const std::vector<Value*>&)>& body) {
  Op* op = AddEffect(OpCode::kRegion, {});
  op->regions = {Fill(kernel_.NewRegion(), OpCode::kRegionYield, [&] {
    std::vector<Value*> references;
    for (const Type& type : memory) references.push_back(Add(core::IsSemaphore(type.dtype) ? OpCode::kSemAlloc : OpCode::kAlloca, {}, type)->result());
    body(references);
  })};
}

}  // namespace kernel_audit::testing
