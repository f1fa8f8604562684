#include "kernel_audit/ir/summary.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <unordered_map>

namespace kernel_audit::ir {
namespace {

constexpr const char* kIndexNames[] = {"i", "j", "k", "l", "m", "n"};

std::string IndexName(std::size_t dimension) { return dimension < std::size(kIndexNames) ? kIndexNames[dimension] : "g" + std::to_string(dimension); }

class FormulaWriter {
 public:
  FormulaWriter(const Kernel& kernel, const IndexMap& map) : body_(*map.body) {
    for (std::size_t i = 0; i < body_.arguments.size(); ++i) {
      const bool index = i < kernel.grid.size();
      names_[body_.arguments[i]] = index ? IndexName(i) : "prefetch" + std::to_string(i - kernel.grid.size());
      if (index) arguments_ += (i > 0 ? ", " : "") + IndexName(i);
    }
  }

  std::string Run() {
    std::string results;
    for (const Value* value : body_.ops.back()->operands) results += (results.empty() ? "" : ", ") + Text(value, 0);
    return "(" + arguments_ + ") -> (" + results + ")";
  }

 private:
  // An operator, and how strongly it binds.
  static std::pair<const char*, int> Operator(OpCode code) {
    switch (code) {
      case OpCode::kAddI: return {" + ", 1};
      case OpCode::kSubI: return {" - ", 1};
      case OpCode::kMulI: return {"*", 2};
      case OpCode::kDivSI: return {"/", 2};
      case OpCode::kRemSI: return {"%", 2};
      default: return {nullptr, 3};
    }
  }

  static std::string ConstantText(const Op& op) {
    std::int64_t value = 0;
    const auto& bytes = op.attributes.value.bytes;
    std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
    if (bytes.size() == 4) value = static_cast<std::int32_t>(value);
    return std::to_string(value);
  }

  std::string Text(const Value* value, int binding) const {
    if (const auto found = names_.find(value); found != names_.end()) return found->second;
    const Op& op = *value->producer;
    if (op.code == OpCode::kConstant) return ConstantText(op);
    if (op.code == OpCode::kIndexCast) return Text(op.operands[0], binding);
    const auto [sign, own] = Operator(op.code);
    if (sign == nullptr) return Call(op);
    const std::string text = Text(op.operands[0], own) + sign + Text(op.operands[1], own + 1);
    return own < binding ? "(" + text + ")" : text;
  }

  std::string Call(const Op& op) const {
    const std::string name = op.info().name;
    std::string text;
    for (const Value* operand : op.operands) text += (text.empty() ? "" : ", ") + Text(operand, 0);
    return name.substr(name.find('.') + 1) + "(" + text + ")";
  }

  const Region& body_;
  std::unordered_map<const Value*, std::string> names_;
  std::string arguments_;
};

void CountOps(const Region& region, std::map<std::string, int>& counts, std::map<std::string, std::set<int>>& lines) {
  for (const Op* op : region.ops) {
    ++counts[op->info().name];
    if (op->location.known()) lines[op->location.file].insert(op->location.line);
    for (const Region* inner : op->regions) CountOps(*inner, counts, lines);
  }
}

std::string RefText(const Type& type) { return std::string(core::Name(type.dtype)) + core::ToString(type.shape) + " in " + Name(type.space); }

class Writer {
 public:
  explicit Writer(const Kernel& kernel) : kernel_(kernel) {}

  std::string Run() {
    text_ = "kernel " + kernel_.name + (kernel_.location.known() ? " (" + kernel_.location.ToString() + ")" : "") + "\n";
    GridLine();
    Operands();
    Scratch();
    Operations();
    return std::move(text_);
  }

 private:
  void Line(const std::string& name, const std::string& value) { text_ += "  " + name + std::string(name.size() < 11 ? 11 - name.size() : 1, ' ') + value + "\n"; }

  void GridLine() {
    if (kernel_.grid.empty()) return Line("grid", "none, one program");
    std::string semantics;
    for (DimensionSemantics s : kernel_.semantics) semantics += std::string(semantics.empty() ? "" : ", ") + Name(s);
    const std::int64_t programs = core::CheckedNumElements(kernel_.grid);
    Line("grid", core::ToString(kernel_.grid) + " " + semantics + (programs >= 0 ? ", " + std::to_string(programs) + " programs" : ", programs known when it runs"));
  }

  void Operands() {
    const std::size_t first = kernel_.grid.size(), inputs = kernel_.inputs.size(), count = inputs + kernel_.outputs.size();
    for (std::size_t i = 0; i < count && first + i < kernel_.body->arguments.size(); ++i) {
      const bool output = i >= inputs;
      const core::ArrayType& array = output ? kernel_.outputs[i - inputs] : kernel_.inputs[i];
      std::string text = core::ToString(array) + ", " + Appearance(i, kernel_.body->arguments[first + i]->type);
      for (const auto& [input, aliased] : kernel_.aliases) {
        if (output && aliased == static_cast<int>(i - inputs)) text += ", shares memory with input " + std::to_string(input);
      }
      Line((output ? "output " : "input ") + std::to_string(output ? i - inputs : i), text);
    }
  }

  std::string Appearance(std::size_t operand, const Type& type) const {
    const auto prefetch = static_cast<std::size_t>(kernel_.num_scalar_prefetch);
    if (operand < prefetch) return "scalar prefetch in smem";
    if (operand - prefetch >= kernel_.windows.size() || !kernel_.windows[operand - prefetch]) return std::string("whole in ") + Name(type.space);
    const Window& window = *kernel_.windows[operand - prefetch];
    return "block " + core::ToString(window.block_shape) + " in " + Name(type.space) + (window.buffers == 1 ? ", one buffer" : ", two buffers") +
           (window.element_indexed ? ", by element" : "") + ", " + Formula(kernel_, kernel_.index_maps[static_cast<std::size_t>(window.index_map)]);
  }

  void Scratch() {
    const auto& arguments = kernel_.body->arguments;
    for (int i = 0; i < kernel_.num_scratch; ++i) {
      Line("scratch " + std::to_string(i), RefText(arguments[arguments.size() - static_cast<std::size_t>(kernel_.num_scratch - i)]->type));
    }
  }

  void Operations() {
    std::map<std::string, int> counts;
    std::map<std::string, std::set<int>> lines;
    CountOps(*kernel_.body, counts, lines);
    std::string text;
    for (const auto& [name, count] : counts) text += (text.empty() ? "" : ", ") + name + (count > 1 ? " x" + std::to_string(count) : "");
    Line("operations", text);
    const int starts = counts["tpu.enqueue_dma"], waits = counts["tpu.wait_dma2"];
    if (starts + waits > 0) Line("DMAs", std::to_string(starts) + " places start one, " + std::to_string(waits) + " wait for one");
    for (const auto& [file, numbers] : lines) {
      std::string list;
      for (int line : numbers) list += (list.empty() ? "" : ", ") + std::to_string(line);
      Line("lines", file + ": " + list);
    }
  }

  const Kernel& kernel_;
  std::string text_;
};

}  // namespace

std::string Formula(const Kernel& kernel, const IndexMap& map) { return FormulaWriter(kernel, map).Run(); }

std::string Summary(const Kernel& kernel) { return Writer(kernel).Run(); }

}  // namespace kernel_audit::ir
