#include "kernel_audit/trace/control.h"

#include <string>

#include "kernel_audit/trace/build.h"
#include "kernel_audit/trace/session.h"

namespace kernel_audit::pallas {
namespace {

using ir::OpCode;
using trace::Node;
using trace::Scope;

Node* Bound(const Operand& bound, trace::Graph& graph) {
  Node* node = trace::AsNode("fori_loop", bound, i32, graph);
  if (node->type != ir::Type::Scalar(i32)) trace::Misuse("fori_loop", "a bound must be an int32 scalar", bound.here());
  return node;
}

}  // namespace

void when(const Operand& condition, const std::function<void()>& body) {
  if (condition.kind() != Operand::Kind::kValue) {
    if (condition.number() != 0) body();
    return;
  }
  Node* node = trace::ValueOperand("when", condition);
  if (node->type != ir::Type::Scalar(boolean)) trace::Misuse("when", "the condition must be a boolean scalar", condition.here());
  trace::Graph& graph = trace::GraphOf(node);
  graph.CheckUsable("when", node, condition.here());
  Scope* taken = graph.Nested([&](Scope*) { body(); });
  Scope* otherwise = graph.Nested([](Scope*) {});
  graph.AddEffect("when", OpCode::kIf, {node}, {}, condition.here())->scopes = {taken, otherwise};
}

std::vector<Value> fori_loop(const Operand& lower, const Operand& upper, const std::vector<Value>& initial,
                             const std::function<std::vector<Value>(Index, const std::vector<Value>&)>& body) {
  const Here here = lower.here();
  trace::Graph& graph = trace::CurrentGraph("fori_loop", here);
  std::vector<Node*> operands = {Bound(lower, graph), Bound(upper, graph), trace::MakeConstant(graph, "fori_loop", i32, {}, 1, here)};
  for (const Value& value : initial) operands.push_back(trace::ValueOperand("fori_loop", Operand(value, here)));
  for (const Node* operand : operands) {
    const bool flags = operand->type.is_vector() && operand->type.dtype == boolean;
    if (flags) trace::Misuse("fori_loop", "vectors of bool can't be carried, the TPU has no loop for them; carry int32", here);
  }
  for (const Node* operand : operands) graph.CheckUsable("fori_loop", operand, here);
  Scope* loop = graph.Nested([&](Scope* scope) {
    const Index counter(graph.Argument(scope, ir::Type::Scalar(i32)));
    std::vector<Value> carried;
    for (const Value& value : initial) carried.emplace_back(graph.Argument(scope, value.node()->type));
    const std::vector<Value> next = body(counter, carried);
    if (next.size() != initial.size()) trace::Misuse("fori_loop", "the body must return as many values as it carries", here);
    for (std::size_t i = 0; i < next.size(); ++i) {
      Node* node = trace::ValueOperand("fori_loop", Operand(next[i], here));
      graph.CheckUsable("fori_loop", node, here);
      if (node->type != initial[i].node()->type) {
        trace::Misuse("fori_loop", "carried value " + std::to_string(i) + " is " + ir::ToString(initial[i].node()->type) +
                                       " before the step and " + ir::ToString(node->type) + " after it", here);
      }
      scope->yields.push_back(node);
    }
  });
  trace::Effect* effect = graph.AddEffect("fori_loop", OpCode::kFor, std::move(operands), {}, here);
  effect->scopes = {loop};
  std::vector<Value> results;
  for (const Value& value : initial) results.emplace_back(graph.Result(effect, value.node()->type));
  return results;
}

void fori_loop(const Operand& lower, const Operand& upper, const std::function<void(Index)>& body) {
  fori_loop(lower, upper, std::vector<Value>{}, [&](Index i, const std::vector<Value>&) {
    body(i);
    return std::vector<Value>{};
  });
}

Value fori_loop(const Operand& lower, const Operand& upper, const Value& initial, const std::function<Value(Index, Value)>& body) {
  return fori_loop(lower, upper, std::vector<Value>{initial}, [&](Index i, const std::vector<Value>& carried) {
           return std::vector<Value>{body(i, carried[0])};
         })[0];
}

}  // namespace kernel_audit::pallas
