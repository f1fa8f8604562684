#include "kernel_audit/trace/emit.h"

#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "kernel_audit/trace/source_lines.h"

namespace kernel_audit::trace {
namespace {

bool IsRead(const Node& node) {
  return node.kind == Node::Kind::kOperation && ir::Info(node.code).effect == ir::Effect::kRead;
}

// Calls `after` for every operation that `node` needs and that was not visited before, operands first, left to right. Keeps its own
// stack: an unrolled loop makes chains that are far deeper than the machine's.
template <typename After>
void PostOrder(Node* node, std::unordered_set<const Node*>& visited, After&& after) {
  std::vector<std::pair<Node*, std::size_t>> stack = {{node, 0}};
  while (!stack.empty()) {
    auto& [top, next] = stack.back();
    if (next == 0 && !visited.insert(top).second) {
      stack.pop_back();
    } else if (next < top->operands.size()) {
      Node* operand = top->operands[next++];
      stack.emplace_back(operand, 0);
    } else {
      Node* done = top;
      stack.pop_back();
      after(done);
    }
  }
}

class Emitter {
 public:
  Emitter(Graph& graph, ir::Kernel& kernel) : graph_(graph), kernel_(kernel) {}

  ir::Region* Run() {
    CollectReads(graph_.root());
    return EmitScope(graph_.root());
  }

 private:
  using Place = std::pair<const Scope*, std::size_t>;

  void CollectReads(Scope* scope) {
    const auto collect = [this](Node* node) {
      if (IsRead(*node)) reads_[{node->home, node->epoch}].push_back(node);
    };
    for (Effect* effect : scope->effects) {
      for (Node* operand : effect->operands) PostOrder(operand, reached_, collect);
      for (Scope* inner : effect->scopes) CollectReads(inner);
    }
    for (Node* node : scope->yields) PostOrder(node, reached_, collect);
  }

  ir::Region* EmitScope(Scope* scope) {
    ir::Region* region = kernel_.NewRegion();
    regions_[scope] = region;
    for (Node* argument : scope->arguments) {
      ir::Value* value = kernel_.NewValue(argument->type);
      region->arguments.push_back(value);
      values_[argument] = value;
    }
    for (std::size_t i = 0; i < scope->effects.size(); ++i) {
      EmitReads({scope, i});
      EmitEffect(*scope->effects[i], region);
    }
    EmitReads({scope, scope->effects.size()});
    ir::Op* end = kernel_.NewOp(scope->terminator);
    for (Node* node : scope->yields) end->operands.push_back(Use(node));
    region->ops.push_back(end);
    return region;
  }

  void EmitReads(Place place) {
    const auto found = reads_.find(place);
    if (found == reads_.end()) return;
    for (Node* read : found->second) Use(read);
  }

  void EmitEffect(const Effect& effect, ir::Region* region) {
    ir::Op* op = kernel_.NewOp(effect.code);
    for (Node* operand : effect.operands) op->operands.push_back(Use(operand));
    for (Scope* scope : effect.scopes) op->regions.push_back(EmitScope(scope));
    Complete(op, effect.attributes, effect.here);
    for (Node* result : effect.results) values_[result] = AddResult(op, result->type);
    region->ops.push_back(op);
  }

  ir::Value* Use(Node* node) {
    const auto found = values_.find(node);
    if (found != values_.end()) return found->second;
    PostOrder(node, emitted_, [this](Node* ready) {
      if (!values_.contains(ready)) values_[ready] = EmitOperation(*ready);
    });
    return values_.at(node);
  }

  ir::Value* EmitOperation(const Node& node) {
    if (node.code == ir::OpCode::kConstant) return EmitConstant(node);
    return AppendOperation(node);
  }

  ir::Value* EmitConstant(const Node& node) {
    const ir::Constant& constant = node.attributes.value;
    ir::Value*& shared = constants_[{ir::ToString(node.type), constant.bytes}];
    if (shared == nullptr) shared = AppendOperation(node);
    return shared;
  }

  ir::Value* AppendOperation(const Node& node) {
    ir::Op* op = kernel_.NewOp(node.code);
    for (Node* operand : node.operands) op->operands.push_back(values_.at(operand));
    Complete(op, node.attributes, node.here);
    regions_.at(node.home)->ops.push_back(op);
    return AddResult(op, node.type);
  }

  ir::Value* AddResult(ir::Op* op, const ir::Type& type) {
    ir::Value* value = kernel_.NewValue(type);
    value->producer = op;
    op->results.push_back(value);
    return value;
  }

  static void Complete(ir::Op* op, const ir::Attributes& attributes, Here here) {
    op->attributes = attributes;
    op->location = CanonicalLocation(here);
  }

  Graph& graph_;
  ir::Kernel& kernel_;
  std::unordered_set<const Node*> reached_, emitted_;
  std::map<Place, std::vector<Node*>> reads_;
  std::unordered_map<const Scope*, ir::Region*> regions_;
  std::unordered_map<const Node*, ir::Value*> values_;
  std::map<std::pair<std::string, std::vector<std::uint8_t>>, ir::Value*> constants_;
};

}  // namespace

ir::Region* Emit(Graph& graph, ir::Kernel& kernel) { return Emitter(graph, kernel).Run(); }

}  // namespace kernel_audit::trace
