// StableHLO text of a host program.
#include <cstdio>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "kernel_audit/ir/mosaic_text.h"
#include "kernel_audit/trace/build.h"
#include "kernel_audit/trace/host_program.h"
#include "kernel_audit/trace/source_lines.h"
#include "kernel_audit/trace/trace_error.h"

namespace kernel_audit::trace {
namespace {

// Floats as bit patterns, so that no decimal rounding stands between the program and its constants.
std::string Literal(core::DType dtype, const std::vector<std::uint8_t>& bytes) {
  std::int64_t value = 0;
  std::memcpy(&value, bytes.data(), bytes.size());
  const int unused = static_cast<int>(64 - 8 * bytes.size());
  if (dtype == core::DType::kBool) return value != 0 ? "true" : "false";
  if (core::IsInteger(dtype)) return std::to_string(static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << unused) >> unused);
  char text[24];
  std::snprintf(text, sizeof text, "0x%0*llX", static_cast<int>(2 * bytes.size()), static_cast<unsigned long long>(value));
  return text;
}

std::string TensorType(const core::ArrayType& type) {
  std::string text = "tensor<";
  for (std::int64_t extent : type.shape) text += std::to_string(extent) + "x";
  return text + std::string(core::MlirName(type.dtype)) + ">";
}

std::string Joined(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i > 0 ? ", " : "") + parts[i];
  return text;
}

// "(a)" for several, "a" for one: how StableHLO writes results.
std::string ResultTypes(const std::vector<std::string>& types) { return types.size() == 1 ? types[0] : "(" + Joined(types) + ")"; }

std::vector<std::string> TensorTypes(const std::vector<HostNode*>& nodes) {
  std::vector<std::string> types;
  for (const HostNode* node : nodes) types.push_back(TensorType(node->type));
  return types;
}

std::string LocationText(Here here) {
  const core::SourceLocation location = CanonicalLocation(here);
  return location.known() ? " loc(" + ir::Quote(location.file) + ":" + std::to_string(location.line) + ":0)" : "";
}

class Writer {
 public:
  std::string Run(const std::string& name, const std::vector<HostNode*>& parameters, const std::vector<HostNode*>& results) {
    std::vector<std::string> arguments;
    for (const HostNode* parameter : parameters) {
      names_[parameter] = "%arg" + std::to_string(parameter->index);
      arguments.push_back(names_[parameter] + ": " + TensorType(parameter->type));
    }
    for (HostNode* result : results) Write(result);
    const std::vector<std::string> types = TensorTypes(results);
    std::string head = "module @" + name + " {\n  func.func public @main(" + Joined(arguments) + ") -> " + ResultTypes(types) + " {\n";
    return head + body_ + "    return " + Joined(Names(results)) + " : " + Joined(types) + "\n  }\n}\n";
  }

 private:
  std::vector<std::string> Names(const std::vector<HostNode*>& nodes) const {
    std::vector<std::string> names;
    for (const HostNode* node : nodes) names.push_back(names_.at(node));
    return names;
  }

  void Write(HostNode* wanted) {
    std::vector<std::pair<HostNode*, std::size_t>> stack = {{wanted, 0}};
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (names_.contains(node)) {
        stack.pop_back();
      } else if (next < node->operands.size()) {
        HostNode* operand = node->operands[next++];
        stack.emplace_back(operand, 0);
      } else {
        HostNode* ready = node;
        stack.pop_back();
        WriteNode(ready);
      }
    }
  }

  void WriteNode(const HostNode* node) {
    switch (node->kind) {
      case HostNode::Kind::kParameter: return;
      case HostNode::Kind::kKernelResult: return NameResult(node);
      case HostNode::Kind::kConstant:
        return Line(node, "stablehlo.constant dense<" + node->name + "> : " + TensorType(node->type));
      case HostNode::Kind::kOperation: return WriteOperation(node);
      case HostNode::Kind::kKernelCall: return WriteCall(node);
    }
  }

  void Line(const HostNode* node, const std::string& text) {
    names_[node] = "%" + std::to_string(next_++);
    const std::string results = node->kernel != nullptr && node->kernel->outputs.size() > 1 ? ":" + std::to_string(node->kernel->outputs.size()) : "";
    body_ += "    " + names_[node] + results + " = " + text + LocationText(node->here) + "\n";
  }

  void NameResult(const HostNode* node) {
    const HostNode* call = node->operands[0];
    names_[node] = names_.at(call) + (call->kernel->outputs.size() > 1 ? "#" + std::to_string(node->index) : "");
  }

  void WriteOperation(const HostNode* node) {
    const bool compare = node->name == "compare";
    std::string text = "stablehlo." + node->name + " " + (compare ? node->detail + ", " : "") + Joined(Names(node->operands));
    if (!compare) text += node->detail;
    const std::string types = Joined(TensorTypes(node->operands));
    Line(node, text + " : (" + types + ") -> " + TensorType(node->type));
  }

  void WriteCall(const HostNode* node) {
    const ir::Kernel& kernel = *node->kernel;
    std::vector<std::string> results;
    for (const core::ArrayType& type : kernel.outputs) results.push_back(TensorType(type));
    Line(node, "stablehlo.custom_call @tpu_custom_call(" + Joined(Names(node->operands)) + ") {" + ir::CustomCallAttributes(kernel) +
                   "} : (" + Joined(TensorTypes(node->operands)) + ") -> " + ResultTypes(results));
  }

  std::unordered_map<const HostNode*, std::string> names_;
  std::string body_;
  int next_ = 0;
};

}  // namespace

HostNode* HostProgram::Constant(const char* what, core::DType dtype, double number, Here here) {
  HostNode node;
  node.kind = HostNode::Kind::kConstant;
  node.name = Literal(dtype, ConstantBytes(what, dtype, number, here));
  node.type = {dtype, {}};
  node.here = here;
  return Add(std::move(node));
}

std::string HostProgram::ModuleText(const std::vector<HostNode*>& results) const { return Writer().Run(name_, parameters_, results); }

}  // namespace kernel_audit::trace
