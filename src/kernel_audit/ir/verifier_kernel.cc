// The kernel as a whole: its arguments against its grid, its windows and the call's arrays.
#include <algorithm>
#include <set>

#include "kernel_audit/ir/verifier.h"
#include "kernel_audit/ir/verifier_rules.h"

namespace kernel_audit::ir {
namespace {

using core::ArrayType;

// Kernel integers have no sign, arrays' have.
bool SameElement(DType array, DType kernel) {
  switch (array) {
    case DType::kUInt8: return kernel == DType::kInt8;
    case DType::kUInt16: return kernel == DType::kInt16;
    case DType::kUInt32: return kernel == DType::kInt32;
    case DType::kUInt64: return kernel == DType::kInt64;
    default: return array == kernel;
  }
}

std::size_t DynamicExtents(const Kernel& kernel) {
  return static_cast<std::size_t>(std::count(kernel.grid.begin(), kernel.grid.end(), core::kDynamicExtent));
}

std::string CheckGrid(const Kernel& kernel) {
  Shape known;
  for (const std::int64_t extent : kernel.grid) {
    if (extent != core::kDynamicExtent) known.push_back(extent);
  }
  const std::int64_t programs = core::CheckedNumElements(known);
  if (kernel.grid.size() > 16 || programs < 0 || programs > kMaxArrayElements) return "its grid has a negative extent or is too large";
  if (programs == 0) return "its grid " + core::ToString(kernel.grid) + " has no programs, so nothing would write its outputs";
  if (kernel.semantics.size() != kernel.grid.size()) return "dimension_semantics must have an entry a grid dimension";
  for (std::size_t i = 0; i < DynamicExtents(kernel); ++i) {
    if (i >= kernel.inputs.size() || kernel.inputs[i] != ArrayType{DType::kInt32, {}}) {
      return "a grid extent that is not known needs a leading scalar i32 operand";
    }
  }
  return "";
}

std::string CheckArrays(const Kernel& kernel) {
  for (const std::vector<ArrayType>* arrays : {&kernel.inputs, &kernel.outputs}) {
    for (const ArrayType& array : *arrays) {
      const std::int64_t count = core::CheckedNumElements(array.shape);
      if (count < 0 || count > kMaxArrayElements || array.shape.size() > 16) return "an array has more than 2^40 elements or 16 dimensions";
      if (core::IsSemaphore(array.dtype)) return "an array can't hold semaphores";
    }
  }
  std::set<int> inputs, outputs;
  for (const auto& [input, output] : kernel.aliases) {
    if (input < 0 || input >= static_cast<int>(kernel.inputs.size()) || output < 0 || output >= static_cast<int>(kernel.outputs.size())) {
      return "an alias names an array that the call does not have";
    }
    if (!inputs.insert(input).second || !outputs.insert(output).second) return "an array is aliased twice";
    if (kernel.inputs[static_cast<std::size_t>(input)] != kernel.outputs[static_cast<std::size_t>(output)]) {
      return "aliased arrays must have one type";
    }
  }
  return kernel.vmem_limit_bytes < 0 ? "its VMEM limit is negative" : "";
}

std::string CheckCounts(const Kernel& kernel) {
  const std::size_t arguments = kernel.body->arguments.size();
  if (kernel.num_scalar_prefetch < 0 || kernel.num_scratch < 0) return "it has a negative count of arguments";
  const std::size_t prefetch = static_cast<std::size_t>(kernel.num_scalar_prefetch), scratch = static_cast<std::size_t>(kernel.num_scratch);
  if (arguments != kernel.grid.size() + prefetch + kernel.windows.size() + scratch) {
    return "main has " + std::to_string(arguments) + " arguments; grid, scalar prefetch, windows and scratch need " +
           std::to_string(kernel.grid.size() + prefetch + kernel.windows.size() + scratch);
  }
  if (DynamicExtents(kernel) + prefetch + kernel.windows.size() != kernel.inputs.size() + kernel.outputs.size()) {
    return "main takes " + std::to_string(prefetch + kernel.windows.size()) + " arrays, but the call has " +
           std::to_string(kernel.inputs.size()) + " operands and " + std::to_string(kernel.outputs.size()) + " results";
  }
  if (kernel.windows.size() < kernel.outputs.size()) return "the call has more results than main has windows";
  if (!kernel.body->ops.back()->operands.empty()) return "main returns nothing";
  return "";
}

std::string CheckElementWindow(const Window& window, std::size_t rank) {
  if (!window.element_indexed) return window.padding_low.empty() && window.padding_high.empty() ? "" : "only element windows have padding";
  if (window.padding_low.size() != rank || window.padding_high.size() != rank) return "an element window needs padding for each dimension";
  for (const Shape* padding : {&window.padding_low, &window.padding_high}) {
    for (const std::int64_t extent : *padding) {
      if (extent < 0 || extent > kMaxVectorElements) return "an element window's padding is negative or too large";
    }
  }
  return "";
}

std::string CheckIndexMap(const Kernel& kernel, const IndexMap& map, std::size_t rank) {
  const std::vector<Value*>& arguments = map.body->arguments;
  const std::size_t shared = kernel.grid.size() + static_cast<std::size_t>(kernel.num_scalar_prefetch);
  bool same = arguments.size() == shared;
  for (std::size_t i = 0; same && i < shared; ++i) same = arguments[i]->type == kernel.body->arguments[i]->type;
  if (!same) return "index map '" + map.name + "' must take the grid indices and the scalar prefetch, as main does";
  const std::vector<Value*>& results = map.body->ops.back()->operands;
  if (results.size() != rank) return "index map '" + map.name + "' must give an index a dimension of the block";
  for (const Value* result : results) {
    if (!IsScalar(result, DType::kInt32)) return "index map '" + map.name + "' must give i32";
  }
  return "";
}

std::string CheckWindow(const Kernel& kernel, const Window& window, const Type& reference, const ArrayType& array) {
  if (reference.space != MemorySpace::kVmem && reference.space != MemorySpace::kSmem) return "a window must lie in VMEM or SMEM";
  const std::size_t rank = array.shape.size();
  if (window.block_shape.size() != rank) {
    return "its block " + core::ToString(window.block_shape) + " must have the rank of the array " + core::ToString(array);
  }
  const std::int64_t count = core::CheckedNumElements(window.block_shape);
  if (count < 1 || count > kMaxVectorElements) {
    return "its block " + core::ToString(window.block_shape) + " must be positive and hold at most 2^28 elements";
  }
  if (reference.shape != window.block_shape) {
    return "its reference " + ToString(reference) + " must have the shape of the block " + core::ToString(window.block_shape);
  }
  if (window.buffers < 1 || window.buffers > 64) return "its number of buffers must be between 1 and 64";
  if (window.index_map < 0 || window.index_map >= static_cast<int>(kernel.index_maps.size())) return "it has no index map";
  if (auto wrong = CheckElementWindow(window, rank); !wrong.empty()) return wrong;
  return CheckIndexMap(kernel, kernel.index_maps[static_cast<std::size_t>(window.index_map)], rank);
}

std::string CheckArgument(const Type& reference, const ArrayType& array) {
  if (!reference.is_ref()) return "it must be a reference";
  if (!SameElement(array.dtype, reference.dtype)) {
    return "its element type must be that of the array " + core::ToString(array) + ", not " + std::string(core::MlirName(reference.dtype));
  }
  return "";
}

std::string CheckWhole(const Type& reference, const ArrayType& array) {
  return reference.shape == array.shape ? "" : "its reference " + ToString(reference) + " must have the shape of the array " + core::ToString(array);
}

std::string CheckArguments(const Kernel& kernel) {
  const std::vector<Value*>& arguments = kernel.body->arguments;
  const auto prefetch = static_cast<std::size_t>(kernel.num_scalar_prefetch);
  std::size_t at = 0;
  const auto fail = [&](const std::string& wrong) { return "argument " + std::to_string(at) + " of main: " + wrong; };
  for (; at < kernel.grid.size(); ++at) {
    if (!IsScalar(arguments[at], DType::kInt32)) return fail("a grid index must be i32");
  }
  std::size_t input = DynamicExtents(kernel);
  for (std::size_t i = 0; i < prefetch; ++i, ++at, ++input) {
    const Type& reference = arguments[at]->type;
    if (auto wrong = CheckArgument(reference, kernel.inputs[input]); !wrong.empty()) return fail(wrong);
    if (reference.space != MemorySpace::kSmem) return fail("scalar prefetch must lie in SMEM");
    if (auto wrong = CheckWhole(reference, kernel.inputs[input]); !wrong.empty()) return fail(wrong);
  }
  const std::size_t windowed_inputs = kernel.windows.size() - kernel.outputs.size();
  for (std::size_t i = 0; i < kernel.windows.size(); ++i, ++at) {
    const Type& reference = arguments[at]->type;
    const ArrayType& array = i < windowed_inputs ? kernel.inputs[input + i] : kernel.outputs[i - windowed_inputs];
    if (auto wrong = CheckArgument(reference, array); !wrong.empty()) return fail(wrong);
    const auto& window = kernel.windows[i];
    if (auto wrong = window ? CheckWindow(kernel, *window, reference, array) : CheckWhole(reference, array); !wrong.empty()) return fail(wrong);
  }
  for (; at < arguments.size(); ++at) {
    if (!arguments[at]->type.is_ref()) return fail("scratch must be a reference");
  }
  return "";
}

}  // namespace

std::string CheckKernel(const Kernel& kernel) {
  for (const auto check : {CheckGrid, CheckArrays, CheckCounts, CheckArguments}) {
    if (auto wrong = check(kernel); !wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace kernel_audit::ir
