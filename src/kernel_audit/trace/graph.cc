#include "kernel_audit/trace/graph.h"

#include "kernel_audit/trace/session.h"
#include "kernel_audit/trace/trace_error.h"

namespace kernel_audit::trace {

Graph::Graph(std::string name, ir::Shape grid) : name_(std::move(name)), grid_(std::move(grid)) {
  root_ = &scopes_.emplace_back();
  root_->graph = this;
  root_->terminator = ir::OpCode::kReturn;
  current_ = root_;
}

Node* Graph::Argument(Scope* scope, ir::Type type) {
  Node& node = nodes_.emplace_back();
  node.kind = Node::Kind::kArgument;
  node.type = std::move(type);
  node.home = scope;
  scope->arguments.push_back(&node);
  return &node;
}

void Graph::CheckUsable(const char* what, const Node* node, Here here) const {
  if (node == nullptr) Misuse(what, "an operand is an empty value", here);
  if (node->home->graph != this || current_ == nullptr) {
    Misuse(what, "a value of another kernel or index map is used here; pass it as an operand instead", here);
  }
  for (const Scope* scope = current_; scope != nullptr; scope = scope->parent) {
    if (scope == node->home) return;
  }
  Misuse(what, "a value made inside a `when` or a loop is used after its body ended; store it to a reference or carry it", here);
}

Node* Graph::Operation(const char* what, ir::OpCode code, ir::Type type, std::vector<Node*> operands, ir::Attributes attributes,
                       Here here) {
  for (const Node* operand : operands) CheckUsable(what, operand, here);
  Node& node = nodes_.emplace_back();
  node.type = std::move(type);
  node.home = current_;
  node.here = PlacedAt(here);
  node.code = code;
  node.operands = std::move(operands);
  node.attributes = std::move(attributes);
  node.epoch = current_->effects.size();
  return &node;
}

Node* Graph::Constant(ir::Type type, ir::Constant value, Here here) {
  Node& node = nodes_.emplace_back();
  node.type = std::move(type);
  node.home = root_;
  node.here = PlacedAt(here);
  node.attributes.value = std::move(value);
  return &node;
}

Effect* Graph::AddEffect(const char* what, ir::OpCode code, std::vector<Node*> operands, ir::Attributes attributes, Here here) {
  for (const Node* operand : operands) CheckUsable(what, operand, here);
  Effect& effect = effects_.emplace_back();
  effect.code = code;
  effect.operands = std::move(operands);
  effect.attributes = std::move(attributes);
  effect.here = PlacedAt(here);
  current_->effects.push_back(&effect);
  return &effect;
}

Node* Graph::Result(Effect* effect, ir::Type type) {
  Node& node = nodes_.emplace_back();
  node.kind = Node::Kind::kResult;
  node.type = std::move(type);
  node.home = current_;
  effect->results.push_back(&node);
  return &node;
}

Scope* Graph::Open() {
  Scope& scope = scopes_.emplace_back();
  scope.graph = this;
  scope.parent = current_;
  current_ = &scope;
  return &scope;
}

void Graph::Close(Scope* scope) {
  scope->open = false;
  current_ = scope->parent;
}

}  // namespace kernel_audit::trace
