#include "kernel_audit/trace/ref.h"

#include <numeric>
#include <string>

#include "kernel_audit/trace/build.h"
#include "kernel_audit/trace/session.h"

namespace kernel_audit::pallas {
namespace {

using ir::OpCode;
using trace::Node;

// An Indexer worked out against a reference.
struct Access {
  std::vector<Node*> starts;  // index scalars, one a dimension of the memory
  Shape sizes;                // extents in memory, squeezed dimensions 1
  Shape visible;              // what the kernel sees
};

// Loads and stores count in index, slices of references in i32.
Node* StartNode(const char* what, const Operand& start, std::int64_t size, std::int64_t extent, int dimension, DType counted, trace::Graph& graph) {
  if (start.kind() == Operand::Kind::kValue) {
    Node* node = trace::ValueOperand(what, start);
    if (node->type != ir::Type::Scalar(i32)) trace::Misuse(what, "an index must be an int32 scalar", start.here());
    graph.CheckUsable(what, node, start.here());
    return trace::ConvertTo(node, counted, start.here());
  }
  if (start.kind() == Operand::Kind::kFraction) trace::Misuse(what, "an index must be an integer", start.here());
  if (start.number() < 0 || start.number() > static_cast<double>(extent - size)) {
    trace::Misuse(what, std::to_string(size) + " elements from " + std::to_string(static_cast<std::int64_t>(start.number())) +
                            " on are not inside dimension " + std::to_string(dimension) + " of extent " + std::to_string(extent), start.here());
  }
  return trace::MakeConstant(graph, what, counted, {}, start.number(), start.here());
}

Access Resolve(const char* what, Node* ref, const std::vector<int>& kept, const Indexer& index, DType counted, Here here) {
  if (index.dims().size() > kept.size()) {
    trace::Misuse(what, std::to_string(index.dims().size()) + " indices for a reference with " + std::to_string(kept.size()) + " dimensions", here);
  }
  trace::Graph& graph = trace::GraphOf(ref);
  Access access;
  std::size_t next = 0;
  for (std::size_t d = 0; d < ref->type.shape.size(); ++d) {
    const std::int64_t extent = ref->type.shape[d];
    const bool visible = next < kept.size() && kept[next] == static_cast<int>(d);
    DimIndex dim = visible && next < index.dims().size() ? index.dims()[next] : DimIndex(all);
    if (visible) ++next;
    const std::int64_t size = dim.kind == DimIndex::Kind::kAll ? extent : dim.size;
    if (size > extent) {
      trace::Misuse(what, "a slice of " + std::to_string(size) + " elements is longer than dimension " + std::to_string(d) + " of extent " +
                              std::to_string(extent), here);
    }
    if (size < 1) trace::Misuse(what, "a slice needs at least one element, not " + std::to_string(size), here);
    const Operand start = dim.kind == DimIndex::Kind::kAll ? Operand(0, here) : dim.start;
    access.starts.push_back(StartNode(what, start, size, extent, static_cast<int>(d), counted, graph));
    access.sizes.push_back(size);
    if (visible && dim.kind != DimIndex::Kind::kPoint) access.visible.push_back(size);
  }
  return access;
}

// Scalar memory holds single elements, vector memory vectors; HBM is reached by DMAs only.
void CheckSpace(const char* what, Node* ref, const Access& access, Here here) {
  const MemorySpace space = ref->type.space;
  if (core::IsSemaphore(ref->type.dtype)) trace::Misuse(what, "semaphores are signalled and awaited, not read or written", here);
  if (space == MemorySpace::kAny || space == MemorySpace::kHbm) {
    trace::Misuse(what, "the reference lies in HBM (memory space any); copy the part you need to VMEM first", here);
  }
  const bool single = access.visible.empty();
  if (space == MemorySpace::kSmem && !single) trace::Misuse(what, "SMEM holds scalars: index every dimension", here);
  if (space == MemorySpace::kVmem && single) trace::Misuse(what, "VMEM holds vectors: take a slice such as pl::ds(i, 1)", here);
}

}  // namespace

Ref::Ref(trace::Node* node, std::vector<int> kept) : node_(node), trace_number_(trace::CurrentTrace()), kept_(std::move(kept)) {
  for (int d : kept_) shape_.push_back(node_->type.shape[static_cast<std::size_t>(d)]);
}

Node* Ref::NodeFor(const char* what, Here here) const {
  if (trace_number_ != trace::CurrentTrace()) trace::Misuse(what, "the reference belongs to a program whose tracing has ended", here);
  return node_;
}

DType Ref::dtype(Here here) const { return NodeFor("dtype", here)->type.dtype; }
MemorySpace Ref::space(Here here) const { return NodeFor("space", here)->type.space; }

Value Ref::load(const Indexer& index, Here here) const {
  trace::GraphOf(NodeFor("load", here)).CheckUsable("load", node_, here);
  const Access access = Resolve("load", node_, kept_, index, DType::kIndex, here);
  CheckSpace("load", node_, access, here);
  std::vector<Node*> operands = {node_};
  operands.insert(operands.end(), access.starts.begin(), access.starts.end());
  if (space() == MemorySpace::kSmem) {
    return Value(trace::MakeOp("load", OpCode::kLoad, ir::Type::Scalar(dtype()), std::move(operands), here));
  }
  Node* loaded = trace::MakeOp("load", OpCode::kVectorLoad, ir::Type::Vector(dtype(), access.sizes), std::move(operands), here);
  return Value(trace::ReshapeTo("load", loaded, access.visible, here));
}

void Ref::store(const Operand& value, const Indexer& index) const {
  const Here here = value.here();
  trace::Graph& graph = trace::GraphOf(NodeFor("store", here));
  graph.CheckUsable("store", node_, here);
  const Access access = Resolve("store", node_, kept_, index, DType::kIndex, here);
  CheckSpace("store", node_, access, here);
  Node* node = trace::AsNode("store", value, dtype(), graph);
  if (node->type.dtype != dtype()) {
    trace::Misuse("store", "the reference holds " + std::string(core::Name(dtype())) + ", the value is " +
                               std::string(core::Name(node->type.dtype)) + "; convert it with astype", here);
  }
  node = trace::BroadcastTo("store", node, access.visible, here);
  ir::Attributes attributes;
  std::vector<Node*> operands = {node, node_};
  OpCode code = OpCode::kStore;
  if (space() != MemorySpace::kSmem) {
    code = OpCode::kVectorStore;
    operands[0] = trace::ReshapeTo("store", node, access.sizes, here);
    attributes.segments = {1, 1, static_cast<std::int32_t>(access.starts.size()), 0};
  }
  operands.insert(operands.end(), access.starts.begin(), access.starts.end());
  graph.AddEffect("store", code, std::move(operands), std::move(attributes), here);
}

Ref Ref::at(const Indexer& index, Here here) const {
  trace::Graph& graph = trace::GraphOf(NodeFor("at", here));
  graph.CheckUsable("at", node_, here);
  const Access access = Resolve("at", node_, kept_, index, i32, here);
  ir::Attributes attributes;
  attributes.segments = {1, static_cast<std::int32_t>(access.starts.size()), 0};
  std::vector<Node*> operands = {node_};
  operands.insert(operands.end(), access.starts.begin(), access.starts.end());
  const ir::Type& whole = node_->type;
  Node* part = node_;
  if (access.sizes != whole.shape) {
    part = trace::MakeOp("at", OpCode::kRefSlice, ir::Type::Ref(whole.dtype, access.sizes, whole.space), std::move(operands), here, attributes);
  }
  if (access.visible != access.sizes) {
    part = trace::MakeOp("at", OpCode::kRefSqueeze, ir::Type::Ref(whole.dtype, access.visible, whole.space), {part}, here);
  }
  std::vector<int> kept(access.visible.size());
  std::iota(kept.begin(), kept.end(), 0);
  return Ref(part, kept);
}

}  // namespace kernel_audit::pallas
