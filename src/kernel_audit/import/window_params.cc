#include "kernel_audit/import/window_params.h"

#include <algorithm>

#include "kernel_audit/import/kernel_types.h"
#include "kernel_audit/import/literal.h"
#include "kernel_audit/import/text_cursor.h"

namespace kernel_audit::import {
namespace {

// `[0, 1], [2, 0]`: low and high padding.
bool ParsePadding(const std::string& text, ir::Window& window) {
  TextCursor cursor(text, "");
  for (core::Shape* padding : {&window.padding_low, &window.padding_high}) {
    if (padding == &window.padding_high) cursor.Expect(",");
    cursor.Expect("[");
    while (cursor.ok() && !cursor.Accept("]")) {
      if (!padding->empty()) cursor.Expect(",");
      cursor.SkipSpace();
      const auto value = cursor.Digits();
      if (!value) cursor.Fail("expected a number");
      padding->push_back(value.value_or(0));
    }
  }
  return cursor.ok() && cursor.AtEnd();
}

void ReadPipelineMode(AttributeReader& reader, const Attribute& value, ir::Window& window) {
  const auto mode = OpaqueBody(value, "#tpu.pipeline_mode");
  if (mode != "synchronous" && mode != "double_buffered") return reader.Unsupported("pipeline_mode '" + mode.value_or(value.text) + "'");
  window.buffers = mode == "synchronous" ? 1 : 2;
}

void ReadEntry(AttributeReader& reader, const std::string& name, const Attribute& value, WindowParams& params) {
  ir::Window& window = *params.window;
  if (name == "window_bounds") {
    if (value.kind != Attribute::Kind::kDenseArray) return reader.Bad("window_bounds are not an array of integers");
    window.block_shape = value.integers;
  } else if (name == "transform_indices") {
    if (value.kind != Attribute::Kind::kSymbol) return reader.Bad("transform_indices is not a symbol");
    params.index_map = value.text;
  } else if (name == "pipeline_mode") {
    ReadPipelineMode(reader, value, window);
  } else if (name == "window_kind") {
    const auto padding = OpaqueBody(value, "#tpu.element_window");
    if (!padding) return reader.Unsupported("window_kind '" + value.text + "'");
    window.element_indexed = true;
    if (!ParsePadding(*padding, window)) reader.Bad("an element window's padding is not two lists of numbers");
  } else if (name == "revisit_mode") {
    if (OpaqueBody(value, "#tpu.revisit_mode") != "immediate") reader.Unsupported("revisit_mode '" + value.text + "'");
  } else {
    reader.Unsupported("a window has the parameter '" + name + "'");
  }
}

WindowParams ReadWindow(AttributeReader& reader, const Attribute& dictionary) {
  WindowParams params;
  if (dictionary.entries.empty()) return params;
  params.window.emplace();
  for (const auto& [name, value] : dictionary.entries) ReadEntry(reader, name, *value, params);
  if (params.index_map.empty() || dictionary.Find("window_bounds") == nullptr) reader.Bad("a window has no window_bounds or no transform_indices");
  return params;
}

}  // namespace

void ReadGrid(AttributeReader& reader, ir::Kernel& kernel) {
  if (reader.Find("iteration_bounds") != nullptr) kernel.grid = reader.Integers("iteration_bounds");
  const Attribute* semantics = reader.Find("dimension_semantics");
  if (semantics == nullptr) {
    kernel.semantics.assign(kernel.grid.size(), ir::DimensionSemantics::kArbitrary);
    return;
  }
  if (semantics->kind != Attribute::Kind::kArray) return reader.Bad("dimension_semantics is not a list");
  for (const AttributePtr& element : semantics->elements) {
    const auto name = OpaqueBody(*element, "#tpu.dimension_semantics");
    const auto known = {ir::DimensionSemantics::kArbitrary, ir::DimensionSemantics::kParallel, ir::DimensionSemantics::kCoreParallel};
    const auto found = std::find_if(known.begin(), known.end(), [&](ir::DimensionSemantics each) { return name == ir::Name(each); });
    if (found == known.end()) return reader.Unsupported("dimension semantics '" + name.value_or(element->text) + "'");
    kernel.semantics.push_back(*found);
  }
}

std::vector<WindowParams> ReadWindowParams(AttributeReader& reader) {
  std::vector<WindowParams> windows;
  const Attribute* list = reader.Find("window_params");
  if (list == nullptr) return windows;
  if (list->kind != Attribute::Kind::kArray) reader.Bad("window_params is not a list");
  for (const AttributePtr& element : list->elements) {
    if (element->kind != Attribute::Kind::kDictionary) reader.Bad("a window's parameters are not a dictionary");
    windows.push_back(ReadWindow(reader, *element));
  }
  return windows;
}

int ReadCount(AttributeReader& reader, std::string_view name) {
  const std::int64_t count = reader.Integer(name, 0);
  if (count < 0 || count > 4096) reader.Bad(std::string(name) + " is not between 0 and 4096");
  return reader.ok() ? static_cast<int>(count) : 0;
}

}  // namespace kernel_audit::import
