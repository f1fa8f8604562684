// What tracing records: pure values as a graph, effects in order. C++ does not order the operands of `+`, so nothing here depends on
// the order in which values were made: emission (emit.h) walks back from the effects.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "kernel_audit/ir/op.h"
#include "kernel_audit/trace/here.h"

namespace kernel_audit::trace {

struct Scope;
struct Effect;
class Graph;

// A value of a kernel or an index map.
struct Node {
  enum class Kind { kArgument, kOperation, kResult };

  Kind kind = Kind::kOperation;
  ir::Type type;
  Scope* home = nullptr;  // the scope it was made in
  Here here;

  // kOperation: a pure operation, or a read of memory that sees the effects before `epoch` of its home.
  ir::OpCode code = ir::OpCode::kConstant;
  std::vector<Node*> operands;
  ir::Attributes attributes;
  std::size_t epoch = 0;
};

// Something that changes memory or holds scopes; effects of a scope happen in order.
struct Effect {
  ir::OpCode code;
  std::vector<Node*> operands;
  ir::Attributes attributes;
  std::vector<Scope*> scopes;
  std::vector<Node*> results;  // Kind::kResult
  Here here;
};

// The body of a kernel, a branch or a loop.
struct Scope {
  Graph* graph = nullptr;
  Scope* parent = nullptr;
  std::vector<Node*> arguments;  // Kind::kArgument
  std::vector<Effect*> effects;
  ir::OpCode terminator = ir::OpCode::kYield;
  std::vector<Node*> yields;
  bool open = true;
};

// One function being traced: a kernel or an index map. Owns its nodes.
class Graph {
 public:
  // `grid`: extents of the kernel's grid, whose indices are the first arguments.
  Graph(std::string name, ir::Shape grid);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  const std::string& name() const { return name_; }
  const ir::Shape& grid() const { return grid_; }
  Scope* root() { return root_; }
  Scope* current() { return current_; }

  Node* Argument(Scope* scope, ir::Type type);
  // An operation in the current scope. Throws TraceError("[what] ...") when an operand belongs to another graph or a scope that ended.
  Node* Operation(const char* what, ir::OpCode code, ir::Type type, std::vector<Node*> operands, ir::Attributes attributes, Here here);
  // A constant; it lives in the root scope.
  Node* Constant(ir::Type type, ir::Constant value, Here here);
  // An effect at the end of the current scope.
  Effect* AddEffect(const char* what, ir::OpCode code, std::vector<Node*> operands, ir::Attributes attributes, Here here);
  Node* Result(Effect* effect, ir::Type type);

  // Runs `body` in a new scope below the current one.
  template <typename Body>
  Scope* Nested(Body&& body) {
    Scope* scope = Open();
    try {
      body(scope);
    } catch (...) {
      Close(scope);
      throw;
    }
    Close(scope);
    return scope;
  }

  // Ends tracing: from here on nothing can be added.
  void Finish() { Close(root_); }

  void CheckUsable(const char* what, const Node* node, Here here) const;

 private:
  Scope* Open();
  void Close(Scope* scope);

  std::string name_;
  ir::Shape grid_;
  std::deque<Node> nodes_;
  std::deque<Effect> effects_;
  std::deque<Scope> scopes_;
  Scope* root_;
  Scope* current_;
};

}  // namespace kernel_audit::trace
