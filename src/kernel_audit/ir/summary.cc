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

std::string Appearance(const Kernel& kernel, std::size_t operand, const Type& type) {
  const auto prefetch = static_cast<std::size_t>(kernel.num_scalar_prefetch);
  if (operand < prefetch) return "scalar prefetch in smem";
  if (operand - prefetch >= kernel.windows.size() || !kernel.windows[operand - prefetch]) return std::string("whole in ") + Name(type.space);
  const Window& window = *kernel.windows[operand - prefetch];
  return "block " + core::ToString(window.block_shape) + " in " + Name(type.space) + (window.buffers == 1 ? ", one buffer" : ", two buffers") +
         (window.element_indexed ? ", by element" : "") + ", " + Formula(kernel, kernel.index_maps[static_cast<std::size_t>(window.index_map)]);
}

struct OperandWords {
  std::string type, seen_as;
};

struct Words {
  std::vector<OperandWords> inputs, outputs;
  std::vector<std::string> semantics, scratch;
  std::map<std::string, int> operations;
  std::map<std::string, std::set<int>> lines;
};

Words Describe(const Kernel& kernel) {
  Words words;
  for (DimensionSemantics s : kernel.semantics) words.semantics.emplace_back(Name(s));
  const auto& arguments = kernel.body->arguments;
  const std::size_t first = kernel.grid.size(), inputs = kernel.inputs.size(), count = inputs + kernel.outputs.size();
  for (std::size_t i = 0; i < count && first + i < arguments.size(); ++i) {
    const bool output = i >= inputs;
    OperandWords operand{core::ToString(output ? kernel.outputs[i - inputs] : kernel.inputs[i]), Appearance(kernel, i, arguments[first + i]->type)};
    for (const auto& [input, aliased] : kernel.aliases) {
      if (output && aliased == static_cast<int>(i - inputs)) operand.seen_as += ", shares memory with input " + std::to_string(input);
    }
    (output ? words.outputs : words.inputs).push_back(std::move(operand));
  }
  for (int i = 0; i < kernel.num_scratch; ++i) words.scratch.push_back(RefText(arguments[arguments.size() - static_cast<std::size_t>(kernel.num_scratch - i)]->type));
  CountOps(*kernel.body, words.operations, words.lines);
  return words;
}

void AddLine(std::string& text, const std::string& name, const std::string& value) { text += "  " + name + std::string(name.size() < 11 ? 11 - name.size() : 1, ' ') + value + "\n"; }

std::string GridText(const Kernel& kernel, const Words& words) {
  if (kernel.grid.empty()) return "none, one program";
  std::string semantics;
  for (const std::string& s : words.semantics) semantics += (semantics.empty() ? "" : ", ") + s;
  const std::int64_t programs = core::CheckedNumElements(kernel.grid);
  return core::ToString(kernel.grid) + " " + semantics + (programs >= 0 ? ", " + std::to_string(programs) + " programs" : ", programs known when it runs");
}

std::string OperationsText(const Words& words) {
  std::string text;
  for (const auto& [name, count] : words.operations) text += (text.empty() ? "" : ", ") + name + (count > 1 ? " x" + std::to_string(count) : "");
  return text;
}

int Count(const Words& words, const char* operation) {
  const auto found = words.operations.find(operation);
  return found == words.operations.end() ? 0 : found->second;
}

core::Json OperandsJson(const std::vector<OperandWords>& operands) {
  core::Json list = core::Json::array();
  for (const OperandWords& operand : operands) list.push_back({{"type", operand.type}, {"seen_as", operand.seen_as}});
  return list;
}

}  // namespace

std::string Formula(const Kernel& kernel, const IndexMap& map) { return FormulaWriter(kernel, map).Run(); }

std::string Summary(const Kernel& kernel) {
  const Words words = Describe(kernel);
  std::string text = "kernel " + kernel.name + (kernel.location.known() ? " (" + kernel.location.ToString() + ")" : "") + "\n";
  AddLine(text, "grid", GridText(kernel, words));
  for (std::size_t i = 0; i < words.inputs.size(); ++i) AddLine(text, "input " + std::to_string(i), words.inputs[i].type + ", " + words.inputs[i].seen_as);
  for (std::size_t i = 0; i < words.outputs.size(); ++i) AddLine(text, "output " + std::to_string(i), words.outputs[i].type + ", " + words.outputs[i].seen_as);
  for (std::size_t i = 0; i < words.scratch.size(); ++i) AddLine(text, "scratch " + std::to_string(i), words.scratch[i]);
  AddLine(text, "operations", OperationsText(words));
  const int starts = Count(words, "tpu.enqueue_dma"), waits = Count(words, "tpu.wait_dma2");
  if (starts + waits > 0) AddLine(text, "DMAs", std::to_string(starts) + " places start one, " + std::to_string(waits) + " wait for one");
  for (const auto& [file, numbers] : words.lines) {
    std::string list;
    for (int line : numbers) list += (list.empty() ? "" : ", ") + std::to_string(line);
    AddLine(text, "lines", file + ": " + list);
  }
  return text;
}

core::Json SummaryJson(const Kernel& kernel) {
  const Words words = Describe(kernel);
  core::Json lines = core::Json::array();
  for (const auto& [file, numbers] : words.lines) lines.push_back({{"file", file}, {"lines", numbers}});
  core::Json json = {{"name", kernel.name}, {"grid", kernel.grid}, {"semantics", words.semantics}, {"inputs", OperandsJson(words.inputs)}, {"outputs", OperandsJson(words.outputs)},
                     {"scratch", words.scratch}, {"operations", words.operations}, {"lines", std::move(lines)}};
  for (core::Json& extent : json["grid"]) {
    if (extent == core::kDynamicExtent) extent = -1;
  }
  if (kernel.location.known()) json["location"] = kernel.location.ToString();
  return json;
}

}  // namespace kernel_audit::ir
