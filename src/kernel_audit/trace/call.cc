#include "kernel_audit/trace/call.h"

#include <string>

#include "kernel_audit/trace/build.h"
#include "kernel_audit/trace/emit.h"
#include "kernel_audit/trace/host_program.h"
#include "kernel_audit/trace/session.h"
#include "kernel_audit/trace/source_lines.h"

namespace kernel_audit::pallas {
namespace {

using trace::Graph;
using trace::Misuse;
using trace::Node;

constexpr const char* kCall = "pallas_call";

[[noreturn]] void Refuse(const std::string& message, Here here) { Misuse(kCall, message, here); }

// One input or output of a call: the whole array, and how the kernel sees it.
struct CallOperand {
  core::ArrayType type;
  BlockSpec spec;
  std::string name;  // "input 0"
};

class Builder {
 public:
  Builder(const Kernel& kernel, const PallasOptions& options, const std::vector<Array>& inputs, Here here)
      : kernel_(kernel), options_(options), here_(here), host_(trace::CurrentHost(kCall, here)), ir_(std::make_unique<ir::Kernel>()) {
    CheckInputs(inputs);
    CollectOperands(inputs);
    ir_->name = options_.name;
    ir_->location = trace::CanonicalLocation(here_);
    ir_->vmem_limit_bytes = options_.vmem_limit_bytes;
    SetGrid();
    SetAliases();
    TraceBody();
    TraceIndexMaps();
  }

  Outputs Finish(const std::vector<Array>& inputs) {
    std::vector<trace::HostNode*> nodes;
    for (const Array& input : inputs) nodes.push_back(input.node());
    std::vector<Array> outputs;
    for (trace::HostNode* node : host_.Call(std::move(ir_), std::move(nodes), here_)) outputs.emplace_back(node);
    return {std::move(outputs), here_};
  }

 private:
  void CheckInputs(const std::vector<Array>& inputs) {
    if (options_.mode != Mode::interpret && options_.mode != Mode::tpu) {
      Refuse("mode " + std::to_string(static_cast<int>(options_.mode)) + " is unknown; it is pl::Mode::interpret or pl::Mode::tpu", here_);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].node() == nullptr) Refuse("input " + std::to_string(i) + " is an empty array", here_);
      if (options_.mode == Mode::tpu && inputs[i].placement(here_) != Placement::tpu) {
        Refuse("mode tpu needs every input placed on a TPU, input " + std::to_string(i) + " is not; it is never interpreted instead", here_);
      }
    }
  }

  static BlockSpec SpecOf(const std::vector<BlockSpec>& specs, std::size_t i) { return specs.empty() ? BlockSpec() : specs[i]; }

  void CheckCount(const char* what, std::size_t specs, std::size_t arrays) {
    if (specs != 0 && specs != arrays) {
      Refuse(std::to_string(specs) + " " + what + " for " + std::to_string(arrays) + " arrays", here_);
    }
  }

  void CollectOperands(const std::vector<Array>& inputs) {
    if (options_.out_shape.empty()) Refuse("out_shape is missing", here_);
    CheckCount("in_specs", options_.in_specs.size(), inputs.size());
    CheckCount("out_specs", options_.out_specs.size(), options_.out_shape.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const core::ArrayType type{inputs[i].dtype(here_), inputs[i].shape(here_)};
      AddOperand({type, SpecOf(options_.in_specs, i), "input " + std::to_string(i)});
      ir_->inputs.push_back(type);
    }
    for (std::size_t i = 0; i < options_.out_shape.size(); ++i) {
      const core::ArrayType type{options_.out_shape[i].dtype, options_.out_shape[i].shape};
      AddOperand({type, SpecOf(options_.out_specs, i), "output " + std::to_string(i)});
      ir_->outputs.push_back(type);
    }
  }

  void AddOperand(CallOperand operand) {
    if (operand.type.dtype == boolean) Refuse(operand.name + " is bool, which has no layout in VMEM; convert it to int32", here_);
    CheckDType(operand.name, operand.type.dtype);
    if (core::CheckedNumElements(operand.type.shape) < 1) {
      Refuse(operand.name + " has shape " + core::ToString(operand.type.shape) + "; a kernel needs at least one element", here_);
    }
    if (!operand.spec.whole()) CheckBlock(operand);
    operands_.push_back(std::move(operand));
  }

  void CheckDType(const std::string& name, DType dtype) {
    if (dtype == f32 || dtype == bf16 || dtype == i32 || dtype == i8) return;
    Refuse(name + " is " + std::string(core::Name(dtype)) + "; kernels take float32, bfloat16, int32 and int8", here_);
  }

  void CheckBlock(const CallOperand& operand) {
    const Block& block = operand.spec.block();
    const Here here = operand.spec.here();
    if (block.size() != operand.type.shape.size()) {
      Refuse("the block of " + operand.name + " has " + std::to_string(block.size()) + " dimensions, the array " +
                 std::to_string(operand.type.shape.size()), here);
    }
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (block[i] < 1) Refuse("block extents must be positive, not " + std::to_string(block[i]), here);
    }
    if (core::CheckedNumElements(block.shape()) < 0) Refuse("block " + core::ToString(block.shape()) + " has too many elements", here);
    if (operand.spec.buffers() != 1 && operand.spec.buffers() != 2) {
      Refuse("only single (1) and double (2) buffering are supported for a block of a grid, not " + std::to_string(operand.spec.buffers()), here);
    }
    if (operand.spec.space() == any || operand.spec.space() == MemorySpace::kHbm) {
      Refuse(operand.name + " stays in HBM (memory space any), which has no blocks; leave the block out", here);
    }
  }

  bool HasBlocks() const {
    for (const CallOperand& operand : operands_) {
      if (!operand.spec.whole()) return true;
    }
    return false;
  }

  void SetGrid() {
    if (options_.grid.size() > 4) Refuse("a grid has at most 4 dimensions, not " + std::to_string(options_.grid.size()), here_);
    for (std::int64_t extent : options_.grid) {
      if (extent < 1 || extent > INT32_MAX) Refuse("grid " + core::ToString(options_.grid) + " has no programs along a dimension", here_);
    }
    if (!options_.dimension_semantics.empty() && options_.dimension_semantics.size() != options_.grid.size()) {
      Refuse("dimension_semantics has " + std::to_string(options_.dimension_semantics.size()) + " entries, the grid " +
                 std::to_string(options_.grid.size()) + " dimensions", here_);
    }
    ir_->grid = options_.grid.empty() && HasBlocks() ? Grid{1} : options_.grid;
    ir_->semantics.assign(ir_->grid.size(), ir::DimensionSemantics::kArbitrary);
    for (std::size_t i = 0; i < options_.dimension_semantics.size(); ++i) {
      if (options_.dimension_semantics[i] == parallel) ir_->semantics[i] = ir::DimensionSemantics::kParallel;
    }
  }

  void SetAliases() {
    for (const auto& [input, output] : options_.input_output_aliases) {
      const bool known = input >= 0 && output >= 0 && input < static_cast<int>(ir_->inputs.size()) && output < static_cast<int>(ir_->outputs.size());
      if (!known) Refuse("alias {" + std::to_string(input) + ", " + std::to_string(output) + "} names no input or output", here_);
      const core::ArrayType& from = ir_->inputs[static_cast<std::size_t>(input)];
      const core::ArrayType& to = ir_->outputs[static_cast<std::size_t>(output)];
      if (from != to) Refuse("an input aliased to an output must have its type: " + core::ToString(from) + ", " + core::ToString(to), here_);
      for (const auto& [other_input, other_output] : ir_->aliases) {
        if (other_input == input || other_output == output) Refuse("an input or output is aliased twice", here_);
      }
      ir_->aliases.emplace_back(input, output);
    }
  }

  // A graph whose first arguments are the grid's indices.
  Graph& NewGraph(const std::string& name) {
    Graph& graph = host_.Keep(std::make_unique<Graph>(name, ir_->grid));
    for (std::size_t i = 0; i < ir_->grid.size(); ++i) graph.Argument(graph.root(), ir::Type::Scalar(i32));
    return graph;
  }

  Ref Argument(Graph& graph, DType dtype, const Shape& shape, MemorySpace space, const Block* block) {
    std::vector<int> kept;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (block == nullptr || !block->is_squeezed(i)) kept.push_back(static_cast<int>(i));
    }
    return Ref(graph.Argument(graph.root(), ir::Type::Ref(dtype, shape, space)), kept);
  }

  void TraceBody() {
    Graph& graph = NewGraph(options_.name);
    std::vector<Ref> refs;
    for (const CallOperand& operand : operands_) {
      const bool whole = operand.spec.whole();
      refs.push_back(Argument(graph, operand.type.dtype, whole ? operand.type.shape : operand.spec.block().shape(), operand.spec.space(),
                              whole ? nullptr : &operand.spec.block()));
    }
    for (const Scratch& scratch : options_.scratch_shapes) {
      if (core::CheckedNumElements(scratch.shape) < 1) Refuse("scratch of shape " + core::ToString(scratch.shape) + " has no elements or too many", here_);
      if (scratch.space != MemorySpace::kSemaphore) CheckDType("scratch", scratch.dtype);
      refs.push_back(Argument(graph, scratch.dtype, scratch.shape, scratch.space, nullptr));
    }
    ir_->num_scratch = static_cast<int>(options_.scratch_shapes.size());
    Run(graph, [&] { kernel_(refs); }, "the kernel doesn't take " + std::to_string(refs.size()) + " references (inputs, outputs, scratch)", here_);
    ir_->body = trace::Emit(graph, *ir_);
  }

  // Traces one function; a callable with another number of parameters is a misuse.
  template <typename Body>
  void Run(Graph& graph, Body&& body, const std::string& wrong_count, Here here) {
    const trace::GraphScope scope(kCall, graph, here);
    try {
      body();
    } catch (const std::bad_function_call&) {
      Refuse(wrong_count, here);
    }
    graph.Finish();
  }

  void TraceIndexMaps() {
    if (ir_->grid.empty()) return ir_->windows.resize(operands_.size());
    for (const CallOperand& operand : operands_) {
      const bool in_hbm = operand.spec.space() == any || operand.spec.space() == MemorySpace::kHbm;
      ir_->windows.push_back(in_hbm ? std::nullopt : std::optional(TraceWindow(operand)));
    }
  }

  ir::Window TraceWindow(const CallOperand& operand) {
    const bool whole = operand.spec.whole();
    const Here here = whole ? here_ : operand.spec.here();
    Graph& graph = NewGraph("index map");
    std::vector<Index> grid;
    for (Node* argument : graph.root()->arguments) grid.emplace_back(argument);
    if (options_.grid.empty()) grid.clear();
    const Shape shape = whole ? operand.type.shape : operand.spec.block().shape();
    Run(graph, [&] {
      const Indices indices = whole ? Indices(shape.size(), pallas::Operand(0, here)) : operand.spec.index_map()(grid);
      SetYields(graph, indices, shape.size(), operand.name, here);
    }, "the index map of " + operand.name + " doesn't take " + std::to_string(grid.size()) + " grid indices", here);
    ir::Window window;
    window.block_shape = shape;
    window.buffers = operand.type.shape == shape ? 1 : operand.spec.buffers();
    window.index_map = static_cast<int>(ir_->index_maps.size());
    ir_->index_maps.push_back({"transform_" + std::to_string(window.index_map), trace::Emit(graph, *ir_)});
    return window;
  }

  void SetYields(Graph& graph, const Indices& indices, std::size_t rank, const std::string& name, Here here) {
    if (indices.size() != rank) {
      Refuse("the index map of " + name + " gives " + std::to_string(indices.size()) + " indices for a block with " + std::to_string(rank) + " dimensions", here);
    }
    for (const pallas::Operand& index : indices) {
      Node* node = trace::AsNode("index map", index, i32, graph);
      if (node->type != ir::Type::Scalar(i32)) Refuse("the index map of " + name + " must give int32 scalars", here);
      graph.CheckUsable("index map", node, here);
      graph.root()->yields.push_back(node);
    }
  }

  const Kernel& kernel_;
  const PallasOptions& options_;
  Here here_;
  trace::HostProgram& host_;
  std::unique_ptr<ir::Kernel> ir_;
  std::vector<CallOperand> operands_;
};

}  // namespace

Outputs::operator Array() const {
  if (size() != 1) Refuse("there are " + std::to_string(size()) + " outputs; take one by its index", here_);
  return arrays_[0];
}

const Array& Outputs::operator[](std::size_t i) const {
  if (i >= size()) Refuse("there is no output " + std::to_string(i) + " of " + std::to_string(size()), here_);
  return arrays_[i];
}

Grid ceil_grid(const Shape& shape, const Block& block, Here here) {
  if (shape.size() != block.size()) {
    Misuse("ceil_grid", "block " + core::ToString(block.shape()) + " and shape " + core::ToString(shape) + " differ in rank", here);
  }
  Grid grid;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (block[i] < 1) Misuse("ceil_grid", "block extents must be positive, not " + std::to_string(block[i]), here);
    grid.push_back(cdiv(shape[i], block[i]));
  }
  return grid;
}

BlockSpec BlockSpec::buffered(int count) const {
  BlockSpec spec = *this;
  spec.buffers_ = count;
  return spec;
}

Outputs PallasFunction::Call(const std::vector<Array>& inputs) const {
  return Builder(kernel_, options_, inputs, here_).Finish(inputs);
}

}  // namespace kernel_audit::pallas
