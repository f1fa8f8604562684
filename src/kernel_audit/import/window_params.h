// The attributes of a kernel's `main` that describe its grid and its windows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel_audit/import/attribute_reader.h"
#include "kernel_audit/ir/kernel.h"

namespace kernel_audit::import {

struct WindowParams {
  std::optional<ir::Window> window;  // nothing: an empty dictionary, the argument is the whole array; its index_map is not set yet
  std::string index_map;
};

// iteration_bounds and dimension_semantics.
void ReadGrid(AttributeReader& reader, ir::Kernel& kernel);

// window_params; empty when there is none.
std::vector<WindowParams> ReadWindowParams(AttributeReader& reader);

// A count between 0 and 4096; 0 when it is missing.
int ReadCount(AttributeReader& reader, std::string_view name);

}  // namespace kernel_audit::import
