#include "kernel_audit/ir/mosaic_text.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <unordered_map>

#include "kernel_audit/core/base64.h"

namespace kernel_audit::ir {

std::string Quote(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    char escape[8];
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) {
      std::snprintf(escape, sizeof escape, "\\%02X", static_cast<unsigned char>(c));
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

namespace {

constexpr int kVersion = 10;

template <typename List>
std::string Joined(const List& values) {
  std::string text;
  for (const auto& value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}

std::string Joined(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ", ") + value;
  return text;
}

template <typename List>
std::string DenseArray(const char* type, const List& values) {
  return "array<" + std::string(type) + (values.empty() ? "" : ": ") + Joined(values) + ">";
}

std::int64_t IntegerAt(const std::uint8_t* bytes, std::size_t size) {
  std::int64_t value = 0;
  std::memcpy(&value, bytes, size);
  const int unused = static_cast<int>(64 - 8 * size);
  return unused == 0 ? value : static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << unused) >> unused;
}

std::string ElementText(DType dtype, const std::uint8_t* bytes) {
  if (dtype == DType::kBool) return bytes[0] != 0 ? "true" : "false";
  const std::size_t size = core::ByteSize(dtype);
  if (!core::IsFloat(dtype)) return std::to_string(IntegerAt(bytes, size));
  char text[24];
  std::snprintf(text, sizeof text, "0x%0*llX", static_cast<int>(2 * size),
                static_cast<unsigned long long>(IntegerAt(bytes, size)) & (size == 8 ? ~0ULL : (1ULL << (8 * size)) - 1));
  return text;
}

std::string ConstantText(const Type& type, const Constant& constant) {
  const std::string type_text = ToString(type);
  if (type.is_scalar()) {
    const std::string element = ElementText(type.dtype, constant.bytes.data());
    return type.dtype == DType::kBool ? element : element + " : " + type_text;
  }
  return "dense<" + ElementText(type.dtype, constant.bytes.data()) + "> : " + type_text;
}

std::string DotText(const DotDimensionNumbers& dot) {
  const auto list = [](const std::vector<std::int64_t>& values) { return "[" + Joined(values) + "]"; };
  return "#tpu.dot_dimension_numbers<" + list(dot.lhs_contracting) + ", " + list(dot.rhs_contracting) + ", " + list(dot.lhs_free) + ", " +
         list(dot.rhs_free) + ", " + list(dot.output_order) + ", " + list(dot.lhs_batch) + ", " + list(dot.rhs_batch) + ">";
}

// The attributes an operation is printed with, by name.
std::map<std::string, std::string> AttributeTexts(const Op& op) {
  const Attributes& a = op.attributes;
  std::map<std::string, std::string> texts;
  if (!a.segments.empty()) texts["operandSegmentSizes"] = DenseArray("i32", a.segments);
  switch (op.code) {
    case OpCode::kConstant: texts["value"] = ConstantText(op.result()->type, a.value); break;
    case OpCode::kCmpF:
    case OpCode::kCmpI: texts["predicate"] = std::to_string(a.predicate) + " : i64"; break;
    case OpCode::kIota: texts["dimensions"] = "array<i32: " + std::to_string(a.dimension) + ">"; break;
    case OpCode::kReduce:
      texts["kind"] = "#vector.kind<" + std::string(Name(a.reduction)) + ">";
      texts["reduction_dims"] = DenseArray("i64", a.dims);
      break;
    case OpCode::kTranspose: texts["permutation"] = DenseArray("i64", a.dims); break;
    case OpCode::kMatmul:
      texts["dimension_numbers"] = DotText(a.dot);
      texts["transpose_lhs"] = a.transpose_lhs ? "true" : "false";
      texts["transpose_rhs"] = a.transpose_rhs ? "true" : "false";
      break;
    case OpCode::kVectorStore:
      texts["add"] = a.add ? "true" : "false";
      texts["strides"] = "array<i32>";
      break;
    case OpCode::kEnqueueDma: texts["priority"] = std::to_string(a.priority) + " : i32"; break;
    case OpCode::kAlloca: texts["operandSegmentSizes"] = "array<i32: 0, 0>"; break;
    default: break;
  }
  const std::string fixed = op.info().printed_with;
  if (const std::size_t equals = fixed.find(" = "); equals != std::string::npos) texts[fixed.substr(0, equals)] = fixed.substr(equals + 3);
  return texts;
}

std::string LocationText(const core::SourceLocation& location) {
  return location.known() ? " loc(" + Quote(location.file) + ":" + std::to_string(location.line) + ":0)" : "";
}

class Printer {
 public:
  std::string Run(const Kernel& kernel) {
    text_ = "\"builtin.module\"() <{sym_name = " + Quote(kernel.name) + "}> ({\n";
    Function(*kernel.body, MainAttributes(kernel), LocationText(kernel.location));
    for (const IndexMap& map : kernel.index_maps) {
      Function(*map.body, {{"sym_name", Quote(map.name)}}, LocationText(kernel.location));
    }
    return std::move(text_) + "}) {stable_mosaic.version = " + std::to_string(kVersion) + " : i64} : () -> ()\n";
  }

 private:
  using AttributeMap = std::map<std::string, std::string>;

  static std::string Braces(const AttributeMap& attributes) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : attributes) parts.push_back(name + " = " + value);
    return parts.empty() ? "" : " {" + Joined(parts) + "}";
  }

  static std::string WindowText(const Kernel& kernel, const std::optional<Window>& window) {
    if (!window) return "{}";
    AttributeMap attributes = {{"transform_indices", "@" + kernel.index_maps[static_cast<std::size_t>(window->index_map)].name},
                               {"window_bounds", DenseArray("i64", window->block_shape)}};
    if (window->buffers == 1) attributes["pipeline_mode"] = "#tpu.pipeline_mode<synchronous>";
    return Braces(attributes).substr(1);
  }

  static AttributeMap MainAttributes(const Kernel& kernel) {
    std::vector<std::string> semantics, windows;
    for (DimensionSemantics s : kernel.semantics) {
      semantics.push_back(std::string("#tpu.dimension_semantics<") + Name(s) + ">");
    }
    for (const auto& window : kernel.windows) windows.push_back(WindowText(kernel, window));
    AttributeMap attributes = {{"dimension_semantics", "[" + Joined(semantics) + "]"},
                               {"scalar_prefetch", std::to_string(kernel.num_scalar_prefetch) + " : i64"},
                               {"scratch_operands", std::to_string(kernel.num_scratch) + " : i64"},
                               {"sym_name", "\"main\""}};
    if (!kernel.grid.empty()) {
      attributes["iteration_bounds"] = DenseArray("i64", kernel.grid);
      attributes["window_params"] = "[" + Joined(windows) + "]";
    }
    return attributes;
  }

  std::string NameOf(const Value* value) {
    const auto [found, fresh] = names_.try_emplace(value, "%" + std::to_string(names_.size()));
    return found->second;
  }

  std::string Names(const std::vector<Value*>& values) {
    std::vector<std::string> names;
    for (const Value* value : values) names.push_back(NameOf(value));
    return Joined(names);
  }

  static std::string Types(const std::vector<Value*>& values) {
    std::vector<std::string> types;
    for (const Value* value : values) types.push_back(ToString(value->type));
    return Joined(types);
  }

  static std::string ResultTypes(const std::vector<Value*>& values) {
    return values.size() == 1 ? Types(values) : "(" + Types(values) + ")";
  }

  void Function(const Region& body, AttributeMap attributes, const std::string& location) {
    const Op& end = *body.ops.back();
    attributes["function_type"] = "(" + Types(body.arguments) + ") -> (" + Types(end.operands) + ")";
    text_ += "  \"stable_mosaic.func.func\"() ({\n";
    PrintBlock(body, 4);
    text_ += "  })" + Braces(attributes) + " : () -> ()" + location + "\n";
  }

  void PrintBlock(const Region& region, std::size_t indent) {
    if (!region.arguments.empty()) {
      std::vector<std::string> arguments;
      for (const Value* argument : region.arguments) arguments.push_back(NameOf(argument) + ": " + ToString(argument->type));
      text_ += std::string(indent - 2, ' ') + "^bb0(" + Joined(arguments) + "):\n";
    }
    for (const Op* op : region.ops) PrintOp(*op, indent);
  }

  void PrintOp(const Op& op, std::size_t indent) {
    text_.append(indent, ' ');
    if (op.results.size() > 1) {
      PackedResults(op);
    } else if (op.results.size() == 1) {
      text_ += NameOf(op.result()) + " = ";
    }
    text_ += "\"stable_mosaic." + std::string(op.info().name) + "\"(" + Names(op.operands) + ")";
    for (std::size_t i = 0; i < op.regions.size(); ++i) {
      text_ += i == 0 ? " ({\n" : ", {\n";
      PrintBlock(*op.regions[i], indent + 2);
      text_ += std::string(indent, ' ') + "}";
    }
    if (!op.regions.empty()) text_ += ")";
    text_ += Braces(AttributeTexts(op)) + " : (" + Types(op.operands) + ") -> " + ResultTypes(op.results) + LocationText(op.location) + "\n";
  }

  // "%7:2 = ", the results being %7#0 and %7#1.
  void PackedResults(const Op& op) {
    const std::string base = "%" + std::to_string(names_.size());
    for (std::size_t i = 0; i < op.results.size(); ++i) names_[op.results[i]] = base + "#" + std::to_string(i);
    text_ += base + ":" + std::to_string(op.results.size()) + " = ";
  }

  std::string text_;
  std::unordered_map<const Value*, std::string> names_;
};

std::string Layouts(const std::vector<core::ArrayType>& types) {
  std::vector<std::string> layouts;
  for (const core::ArrayType& type : types) {
    std::vector<std::int64_t> minor_to_major;
    for (std::size_t i = type.shape.size(); i-- > 0;) minor_to_major.push_back(static_cast<std::int64_t>(i));
    layouts.push_back("dense<" + (minor_to_major.empty() ? "" : "[" + Joined(minor_to_major) + "]") + "> : tensor<" +
                      std::to_string(minor_to_major.size()) + "xindex>");
  }
  return "[" + Joined(layouts) + "]";
}

std::string AliasTexts(const Kernel& kernel) {
  std::vector<std::string> texts;
  for (const auto& [input, output] : kernel.aliases) {
    const std::string index = kernel.outputs.size() > 1 ? std::to_string(output) : "";
    texts.push_back("#stablehlo.output_operand_alias<output_tuple_indices = [" + index + "], operand_index = " + std::to_string(input) +
                    ", operand_tuple_indices = []>");
  }
  return "[" + Joined(texts) + "]";
}

}  // namespace

std::string MosaicText(const Kernel& kernel) { return Printer().Run(kernel); }

std::string CustomCallAttributes(const Kernel& kernel) {
  std::string limit;
  if (kernel.vmem_limit_bytes > 0) {
    limit = ", \\22scoped_memory_configs\\22: [{\\22memory_space\\22: 1, \\22offset\\22: 0, \\22size\\22: " +
            std::to_string(kernel.vmem_limit_bytes) + "}]";
  }
  std::string text = "backend_config = \"{\\22custom_call_config\\22: {\\22body\\22: \\22" + core::Base64(MosaicText(kernel)) +
                     "\\22, \\22serialization_format\\22: 1, \\22needs_layout_passes\\22: true}" + limit + "}\", kernel_name = " +
                     Quote(kernel.name) + ", operand_layouts = " + Layouts(kernel.inputs);
  if (!kernel.aliases.empty()) text += ", output_operand_aliases = " + AliasTexts(kernel);
  return text + ", result_layouts = " + Layouts(kernel.outputs);
}

}  // namespace kernel_audit::ir
