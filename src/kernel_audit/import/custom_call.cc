#include "kernel_audit/import/custom_call.h"

#include <cstring>
#include <nlohmann/json.hpp>

#include "kernel_audit/import/base64.h"
#include "kernel_audit/import/kernel_types.h"
#include "kernel_audit/import/text_cursor.h"

namespace kernel_audit::import {
namespace {

using core::ErrorCode;
using Json = nlohmann::json;

tl::unexpected<core::Error> Bad(const KernelCall& call, const std::string& message) {
  return core::Fail(ErrorCode::kBadInput, "kernel '" + call.name + "': " + message);
}

tl::unexpected<core::Error> Unsupported(const KernelCall& call, const std::string& message) {
  return core::Fail(ErrorCode::kUnsupported, "kernel '" + call.name + "': " + message);
}

core::Result<void> ReadArrays(const std::vector<TypePtr>& types, std::vector<core::ArrayType>& arrays, const KernelCall& call) {
  for (const TypePtr& type : types) {
    auto array = ToArrayType(*type);
    if (!array) return core::Fail(array.error().code, "kernel '" + call.name + "': " + array.error().message);
    arrays.push_back(std::move(*array));
  }
  return {};
}

bool IsRowMajor(const Attribute& layout, std::size_t rank) {
  if (layout.kind != Attribute::Kind::kDense || layout.type->shape != core::Shape{static_cast<std::int64_t>(rank)}) return false;
  for (std::size_t i = 0; i < rank; ++i) {
    std::int64_t dimension = 0;
    const std::size_t at = layout.splat ? 0 : i;
    if (layout.bytes.size() < (at + 1) * sizeof dimension) return false;
    std::memcpy(&dimension, layout.bytes.data() + at * sizeof dimension, sizeof dimension);
    if (dimension != static_cast<std::int64_t>(rank - 1 - i)) return false;
  }
  return true;
}

core::Result<void> CheckLayouts(const Attribute* layouts, const std::vector<core::ArrayType>& arrays, const KernelCall& call) {
  if (layouts == nullptr) return {};
  if (layouts->kind != Attribute::Kind::kArray || layouts->elements.size() != arrays.size()) {
    return Bad(call, "operand_layouts or result_layouts are not one list an array");
  }
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (!IsRowMajor(*layouts->elements[i], arrays[i].shape.size())) {
      return Unsupported(call, "an array of shape " + core::ToString(arrays[i].shape) + " has a layout that is not row-major");
    }
  }
  return {};
}

// [] or [2]; -1: something else.
std::int64_t TupleIndex(TextCursor& cursor, std::string_view name) {
  cursor.Expect(name);
  cursor.Expect("=");
  cursor.Expect("[");
  cursor.SkipSpace();
  const auto index = cursor.Digits();
  cursor.Expect("]");
  return index.value_or(0);
}

core::Result<void> ReadAlias(const Attribute& attribute, KernelCall& call) {
  const std::string body = OpaqueBody(attribute, "#stablehlo.output_operand_alias").value_or("");
  TextCursor cursor(body, "output_operand_aliases");
  const std::int64_t output = TupleIndex(cursor, "output_tuple_indices");
  cursor.Expect(",");
  cursor.Expect("operand_index");
  cursor.Expect("=");
  cursor.SkipSpace();
  const std::int64_t input = cursor.Digits().value_or(INT64_MAX);
  cursor.Expect(",");
  TupleIndex(cursor, "operand_tuple_indices");
  if (!cursor.ok() || !cursor.AtEnd()) return Bad(call, "output_operand_aliases can't be read");
  if (output >= static_cast<std::int64_t>(call.outputs.size()) || input >= static_cast<std::int64_t>(call.inputs.size())) {
    return Bad(call, "output_operand_aliases names an operand or a result that the call does not have");
  }
  call.aliases.emplace_back(static_cast<int>(input), static_cast<int>(output));
  return {};
}

// A member that is an integer, written as a number or as a string; `otherwise` when it is neither.
std::int64_t IntegerMember(const Json& object, const char* name, std::int64_t otherwise) {
  if (!object.is_object() || !object.contains(name)) return otherwise;
  const Json& value = object[name];
  if (value.is_number_unsigned() || value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_string()) return otherwise;
  const std::string text = value.get<std::string>();
  TextCursor cursor(text, "");
  const auto digits = cursor.Digits();
  return digits && cursor.AtEnd() ? *digits : otherwise;
}

core::Result<void> ReadConfig(const std::string& text, KernelCall& call) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) return Bad(call, "backend_config is not a JSON object");
  if (!json.contains("custom_call_config") || !json["custom_call_config"].is_object()) {
    return Bad(call, "backend_config has no object custom_call_config");
  }
  const Json& config = json["custom_call_config"];
  if (!config.contains("body") || !config["body"].is_string()) return Bad(call, "custom_call_config has no string body");
  if (const std::int64_t format = IntegerMember(config, "serialization_format", 1); format != 1) {
    return Unsupported(call, "serialization_format " + std::to_string(format));
  }
  if (json.contains("device_type") && json["device_type"].is_string() && json["device_type"].get<std::string>().find("SPARSE") != std::string::npos) {
    return Unsupported(call, "device_type " + json["device_type"].get<std::string>());
  }
  auto body = DecodeBase64(config["body"].get_ref<const std::string&>());
  if (!body) return Bad(call, "body is not base64");
  call.body = std::move(*body);
  if (!json.contains("scoped_memory_configs") || !json["scoped_memory_configs"].is_array()) return {};
  for (const Json& memory : json["scoped_memory_configs"]) {
    constexpr std::int64_t kVmem = 1;
    if (IntegerMember(memory, "memory_space", 0) == kVmem) call.vmem_limit_bytes = std::max<std::int64_t>(0, IntegerMember(memory, "size", 0));
  }
  return {};
}

std::string LayoutText(std::size_t rank) {
  std::string order;
  for (std::size_t i = rank; i-- > 0;) order += std::to_string(i) + (i > 0 ? ", " : "");
  const std::string elements = rank == 0 ? "" : rank == 1 ? "0" : "[" + order + "]";
  return "dense<" + elements + "> : tensor<" + std::to_string(rank) + "xindex>";
}

std::string LayoutsText(const char* name, const std::vector<core::ArrayType>& arrays) {
  std::string text;
  for (const core::ArrayType& array : arrays) text += (text.empty() ? "" : ", ") + LayoutText(array.shape.size());
  return std::string(", ") + name + " = [" + text + "]";
}

}  // namespace

core::Result<KernelCall> ReadCustomCall(const Attribute& attributes, const MlirType& type) {
  KernelCall call;
  const Attribute* name = attributes.Find("kernel_name");
  call.name = name != nullptr && name->kind == Attribute::Kind::kString ? name->text : "kernel";
  if (auto read = ReadArrays(type.inputs, call.inputs, call); !read) return tl::unexpected(read.error());
  if (auto read = ReadArrays(type.results, call.outputs, call); !read) return tl::unexpected(read.error());
  if (auto checked = CheckLayouts(attributes.Find("operand_layouts"), call.inputs, call); !checked) return tl::unexpected(checked.error());
  if (auto checked = CheckLayouts(attributes.Find("result_layouts"), call.outputs, call); !checked) return tl::unexpected(checked.error());
  const Attribute* config = attributes.Find("backend_config");
  if (config == nullptr || config->kind != Attribute::Kind::kString) return Bad(call, "it has no backend_config that is a string");
  if (auto read = ReadConfig(config->text, call); !read) return tl::unexpected(read.error());
  if (const Attribute* aliases = attributes.Find("output_operand_aliases"); aliases != nullptr) {
    if (aliases->kind != Attribute::Kind::kArray) return Bad(call, "output_operand_aliases is not a list");
    for (const AttributePtr& alias : aliases->elements) {
      if (auto read = ReadAlias(*alias, call); !read) return tl::unexpected(read.error());
    }
  }
  return call;
}

std::string HandlerAttributes(const Attribute& attributes, const KernelCall& call, HandlerNumbers numbers, bool generic) {
  std::string text = "{api_version = 4 : i32, backend_config = {kernel = " + std::to_string(numbers.kernel) +
                     " : i64, program = " + std::to_string(numbers.program) + " : i64}";
  if (generic) text += ", call_target_name = \"tpu_custom_call\"";
  const Attribute* effect = attributes.Find("has_side_effect");
  if (effect != nullptr && effect->kind == Attribute::Kind::kInteger && effect->integer != 0) text += ", has_side_effect = true";
  if (attributes.Find("operand_layouts") != nullptr) text += LayoutsText("operand_layouts", call.inputs);
  if (attributes.Find("result_layouts") != nullptr) text += LayoutsText("result_layouts", call.outputs);
  return text + "}";
}

}  // namespace kernel_audit::import
