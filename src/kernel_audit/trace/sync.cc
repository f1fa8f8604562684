#include "kernel_audit/trace/sync.h"

#include <numeric>
#include <string>

#include "kernel_audit/trace/build.h"
#include "kernel_audit/trace/session.h"

namespace kernel_audit::pallas {
namespace {

using ir::OpCode;
using trace::Misuse;
using trace::Node;

Node* UsableNode(const char* what, const Ref& ref, Here here) {
  Node* node = ref.NodeFor(what, here);
  trace::GraphOf(node).CheckUsable(what, node, here);
  return node;
}

Node* SemaphoreNode(const char* what, const Ref& ref, DType wanted, Here here) {
  Node* node = UsableNode(what, ref, here);
  if (node->type.dtype != wanted) {
    Misuse(what, std::string("takes a ") + (wanted == DType::kDmaSemaphore ? "pl::DMA" : "regular pl::Semaphore") + ", not " +
                     std::string(core::Name(node->type.dtype)), here);
  }
  if (!node->type.shape.empty()) Misuse(what, "takes one semaphore; choose it with at({i})", here);
  return node;
}

Node* Amount(const char* what, const Operand& amount, trace::Graph& graph) {
  Node* node = trace::AsNode(what, amount, i32, graph);
  if (node->type != ir::Type::Scalar(i32)) Misuse(what, "the amount must be an int32 scalar", amount.here());
  if (amount.kind() != Operand::Kind::kValue && amount.number() < 1) Misuse(what, "the amount must be positive", amount.here());
  return node;
}

}  // namespace

AsyncCopy make_async_copy(const Ref& source, const Ref& target, const Ref& semaphore, Here here) {
  constexpr const char* kWhat = "make_async_copy";
  const ir::Type& from = UsableNode(kWhat, source, here)->type;
  const ir::Type& to = UsableNode(kWhat, target, here)->type;
  SemaphoreNode(kWhat, semaphore, DType::kDmaSemaphore, here);
  if (from.dtype != to.dtype || from.shape != to.shape) {
    Misuse(kWhat, "source and target differ: " + ir::ToString(from) + ", " + ir::ToString(to), here);
  }
  if (core::IsSemaphore(from.dtype)) Misuse(kWhat, "semaphores can't be copied", here);
  if (from.space == smem && to.space == smem) Misuse(kWhat, "a copy from SMEM to SMEM has no DMA", here);
  return AsyncCopy(source, target, semaphore);
}

void AsyncCopy::start(Here here) const {
  Node* source = UsableNode("start", source_, here);
  ir::Attributes attributes;
  attributes.segments = {1, 0, 1, 1, 0, 0};
  std::vector<Node*> operands = {source, UsableNode("start", target_, here), UsableNode("start", semaphore_, here)};
  trace::GraphOf(source).AddEffect("start", OpCode::kEnqueueDma, std::move(operands), attributes, here);
}

void AsyncCopy::wait(Here here) const {
  Node* source = UsableNode("wait", source_, here);
  ir::Attributes attributes;
  attributes.segments = {1, 1, 1, 0, 0};
  std::vector<Node*> operands = {UsableNode("wait", semaphore_, here), source, UsableNode("wait", target_, here)};
  trace::GraphOf(source).AddEffect("wait", OpCode::kWaitDma, std::move(operands), attributes, here);
}

void sync_copy(const Ref& source, const Ref& target, Here here) {
  run_scoped([&](Ref semaphore) {
    const AsyncCopy copy = make_async_copy(source, target, semaphore, here);
    copy.start(here);
    copy.wait(here);
  }, {DMA()}, here);
}

void semaphore_signal(const Ref& semaphore, const Operand& increment) {
  Node* node = SemaphoreNode("semaphore_signal", semaphore, DType::kSemaphore, increment.here());
  trace::Graph& graph = trace::GraphOf(node);
  ir::Attributes attributes;
  attributes.segments = {1, 1, 0, 0};
  graph.AddEffect("semaphore_signal", OpCode::kSemSignal, {node, Amount("semaphore_signal", increment, graph)}, attributes, increment.here());
}

void semaphore_wait(const Ref& semaphore, const Operand& value) {
  Node* node = SemaphoreNode("semaphore_wait", semaphore, DType::kSemaphore, value.here());
  trace::Graph& graph = trace::GraphOf(node);
  graph.AddEffect("semaphore_wait", OpCode::kSemWait, {node, Amount("semaphore_wait", value, graph)}, {}, value.here());
}

Value semaphore_read(const Ref& semaphore, Here here) {
  Node* node = SemaphoreNode("semaphore_read", semaphore, DType::kSemaphore, here);
  trace::Graph& graph = trace::GraphOf(node);
  return Value(graph.Result(graph.AddEffect("semaphore_read", OpCode::kSemRead, {node}, {}, here), ir::Type::Scalar(i32)));
}

namespace detail {

void RunScoped(const std::function<void(const std::vector<Ref>&)>& body, const std::vector<Scratch>& memory, Here here) {
  constexpr const char* kWhat = "run_scoped";
  trace::Graph& graph = trace::CurrentGraph(kWhat, here);
  trace::Scope* scope = graph.Nested([&](trace::Scope* inner) {
    inner->terminator = OpCode::kRegionYield;
    std::vector<Ref> refs;
    for (const Scratch& each : memory) {
      if (core::CheckedNumElements(each.shape) < 1) Misuse(kWhat, "memory of shape " + core::ToString(each.shape), here);
      trace::Effect* effect = graph.AddEffect(kWhat, core::IsSemaphore(each.dtype) ? OpCode::kSemAlloc : OpCode::kAlloca, {}, {}, here);
      std::vector<int> kept(each.shape.size());
      std::iota(kept.begin(), kept.end(), 0);
      refs.emplace_back(graph.Result(effect, ir::Type::Ref(each.dtype, each.shape, each.space)), kept);
    }
    try {
      body(refs);
    } catch (const std::bad_function_call&) {
      Misuse(kWhat, "the function doesn't take " + std::to_string(refs.size()) + " references", here);
    }
  });
  graph.AddEffect(kWhat, OpCode::kRegion, {}, {}, here)->scopes = {scope};
}

}  // namespace detail

}  // namespace kernel_audit::pallas
