// Kernels in the IR, written operation by operation; every statement gets a line of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <vector>

#include "kernel_audit/ir/kernel.h"

namespace kernel_audit::testing {

using core::DType;
using core::Shape;
using ir::MemorySpace;

class KernelBuilder {
 public:
  explicit KernelBuilder(ir::Kernel& kernel) : kernel_(kernel) {}

  // What is added from here on was written on the next line.
  void NextLine() { ++line_; }
  core::SourceLocation here() const { return {"program", line_}; }

  ir::Value* AddArgument(ir::Region* region, const ir::Type& type);
  // Adds to `region` while `f` runs, then ends it with `end`.
  ir::Region* Fill(ir::Region* region, ir::OpCode end, const std::function<void()>& f);

  ir::Value* I32(std::int64_t number) { return Constant(DType::kInt32, {}, number); }
  ir::Value* ToIndex(ir::Value* value);
  ir::Value* Binary(ir::OpCode code, ir::Value* a, ir::Value* b) { return Add(code, {a, b}, a->type)->result(); }
  ir::Value* Equal(ir::Value* a, ir::Value* b);
  // A float32 vector with `number` everywhere, or a scalar.
  ir::Value* Floats(const Shape& shape, float number);

  // A part of a reference; one semaphore of several.
  ir::Value* Slice(ir::Value* reference, const std::vector<ir::Value*>& starts, const Shape& sizes);
  ir::Value* Semaphore(ir::Value* semaphores, ir::Value* index);

  ir::Value* Load(ir::Value* reference, const std::vector<ir::Value*>& starts, const Shape& sizes);
  void Store(ir::Value* value, ir::Value* reference, const std::vector<ir::Value*>& starts);
  void Start(ir::Value* source, ir::Value* target, ir::Value* semaphore);
  void WaitDma(ir::Value* source, ir::Value* target, ir::Value* semaphore);
  void Signal(ir::Value* semaphore, ir::Value* amount);
  void Wait(ir::Value* semaphore, ir::Value* amount);

  void For(std::int64_t steps, const std::function<void(ir::Value*)>& body);
  void If(ir::Value* condition, const std::function<void()>& then, const std::function<void()>& otherwise);
  void Scoped(const std::vector<ir::Type>& memory, const std::function<void(const std::vector<ir::Value*>&)>& body);

 private:
  ir::Op* Add(ir::OpCode code, std::vector<ir::Value*> operands, const ir::Type& result, std::vector<std::int32_t> segments = {});
  ir::Op* AddEffect(ir::OpCode code, std::vector<ir::Value*> operands, std::vector<std::int32_t> segments = {});
  ir::Value* Constant(DType dtype, const Shape& shape, std::int64_t bits);

  ir::Kernel& kernel_;
  ir::Region* region_ = nullptr;
  int line_ = 1;
};

}  // namespace kernel_audit::testing
