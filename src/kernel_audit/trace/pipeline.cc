#include "kernel_audit/trace/pipeline.h"

#include <string>

#include "kernel_audit/trace/build.h"
#include "kernel_audit/trace/control.h"
#include "kernel_audit/trace/session.h"
#include "kernel_audit/trace/sync.h"

namespace kernel_audit::pallas {
namespace {

using trace::Misuse;

constexpr const char* kWhat = "emit_pipeline";

// At `here` itself: a spec's own line, where the operations of a pipeline count as written at its call.
[[noreturn]] void Refuse(const std::string& message, Here here) {
  const trace::PlaceScope exact({});
  Misuse(kWhat, message, here);
}

// One operand of a pipeline.
struct Stream {
  Ref array;
  BlockSpec spec;
  int slots;
  bool is_output;
  std::string name;

  std::int64_t extent(std::size_t d) const { return array.shape()[d]; }
  std::int64_t block(std::size_t d) const { return spec.block()[d]; }
  std::size_t rank() const { return array.shape().size(); }
};

// The slots of a stream while the pipeline runs.
struct Slots {
  Ref memory;      // (slots, block...)
  Ref semaphores;  // (slots)
};

class Expansion {
 public:
  Expansion(const Kernel& body, const PipelineOptions& options, const std::vector<Ref>& refs, Here here)
      : body_(body), options_(options), here_(here) {
    CheckGrid();
    const std::size_t inputs = options.in_specs.size();
    if (refs.size() != inputs + options.out_specs.size()) {
      Refuse(std::to_string(refs.size()) + " references for " + std::to_string(inputs) + " in_specs and " + std::to_string(options.out_specs.size()) + " out_specs", here_);
    }
    for (std::size_t i = 0; i < refs.size(); ++i) {
      const bool output = i >= inputs;
      AddStream(refs[i], output ? options.out_specs[i - inputs] : options.in_specs[i], output,
                (output ? "output " : "input ") + std::to_string(output ? i - inputs : i));
    }
  }

  void Emit() {
    std::vector<Scratch> memory;
    for (const Stream& stream : streams_) {
      Shape shape = {stream.slots};
      for (std::size_t d = 0; d < stream.rank(); ++d) shape.push_back(stream.block(d));
      memory.push_back(VMEM(std::move(shape), stream.array.dtype()));
      memory.push_back(DMA({stream.slots}));
    }
    run_scoped([&](const std::vector<Ref>& refs) {
      for (std::size_t i = 0; i < streams_.size(); ++i) slots_.push_back({refs[2 * i], refs[2 * i + 1]});
      Pump();
    }, memory, here_);
  }

 private:
  void CheckGrid() {
    steps_ = core::CheckedNumElements(options_.grid);
    if (options_.grid.empty() || options_.grid.size() > 4) Refuse("a grid has 1 to 4 dimensions, not " + std::to_string(options_.grid.size()), here_);
    if (steps_ < 1 || steps_ > INT32_MAX) Refuse("grid " + core::ToString(options_.grid) + " has no steps, or too many", here_);
  }

  void AddStream(const Ref& array, const BlockSpec& spec, bool output, std::string name) {
    const Here here = spec.whole() ? here_ : spec.here();
    if (array.space() != any && array.space() != MemorySpace::kHbm) Refuse(name + " must lie in HBM (memory space any)", here);
    const BlockSpec used = spec.whole() ? WholeSpec(array, spec) : spec;
    if (used.block().size() != array.shape().size()) {
      Refuse("the block of " + name + " has " + std::to_string(used.block().size()) + " dimensions, the reference " + std::to_string(array.shape().size()), here);
    }
    for (std::size_t d = 0; d < used.block().size(); ++d) {
      if (used.block()[d] < 1) Refuse("block extents must be positive, not " + std::to_string(used.block()[d]), here);
    }
    const int slots = used.buffers();
    if (output && slots > 2) Refuse("buffer count > 2 is not supported for output buffered refs (" + name + " asks for " + std::to_string(slots) + "): a block is awaited in the step after it was copied out, so a third slot is never in flight", here);
    if (slots < 1) Refuse(name + " needs at least one slot, not " + std::to_string(slots), here);
    streams_.push_back({array, used, slots, output, std::move(name)});
  }

  static BlockSpec WholeSpec(const Ref& array, const BlockSpec& spec) {
    const std::size_t rank = array.shape().size();
    const Here here = spec.here();
    return BlockSpec(Block(array.shape()), [rank, here](const std::vector<Index>&) { return Indices(rank, Operand(0, here)); }, any, here).buffered(1);
  }

  // The grid indices of step `t`.
  std::vector<Index> GridIndices(const Value& t) const {
    std::vector<Index> indices(options_.grid.size());
    std::int64_t stride = 1;
    for (std::size_t d = indices.size(); d-- > 0;) {
      Value at = stride == 1 ? t : t / static_cast<int>(stride);
      if (d > 0) at = at % static_cast<int>(options_.grid[d]);
      indices[d] = at;
      stride *= options_.grid[d];
    }
    return indices;
  }

  // The block index of a stream at step `t`: numbers where it does not depend on the step.
  Indices BlockIndices(const Stream& stream, const Value& t) const {
    const std::vector<Index> step = GridIndices(t);
    const trace::PlaceScope users({});
    Indices indices;
    try {
      indices = stream.spec.index_map()(step);
    } catch (const std::bad_function_call&) {
      Refuse("the index map of " + stream.name + " doesn't take " + std::to_string(options_.grid.size()) + " grid indices", stream.spec.here());
    }
    if (indices.size() != stream.rank()) {
      Refuse("the index map of " + stream.name + " gives " + std::to_string(indices.size()) + " indices for a block with " + std::to_string(stream.rank()) + " dimensions", stream.spec.here());
    }
    return indices;
  }

  Value Number(std::int64_t number) const {
    return Value(trace::MakeConstant(trace::CurrentGraph(kWhat, here_), kWhat, i32, {}, static_cast<double>(number), here_));
  }
  Value Truth(bool truth) const { return Value(trace::MakeConstant(trace::CurrentGraph(kWhat, here_), kWhat, boolean, {}, truth ? 1 : 0, here_)); }

  // Whether the block at step `t` is another one than at the step before; true for step 0.
  Value Changes(const Stream& stream, const Value& t) const {
    const Indices now = BlockIndices(stream, t), before = BlockIndices(stream, t - 1);
    Value changed = t == 0;
    for (std::size_t d = 0; d < now.size(); ++d) {
      if (now[d].kind() == Operand::Kind::kValue) changed = changed | (now[d] != before[d]);
    }
    return changed;
  }

  // Calls `copy` with the part of the array and the part of the slot that the block at `indices` covers. Sizes must be known while tracing, so
  // each dimension whose last block is shorter makes a case of its own.
  void WithBlock(const Stream& stream, const Ref& slot, const Indices& indices, std::size_t d, std::vector<DimIndex> array_at, std::vector<DimIndex> slot_at,
                 const std::function<void(const Ref&, const Ref&)>& copy) const {
    if (d == stream.rank()) return copy(stream.array.at(Indexer(array_at), here_), slot.at(Indexer(slot_at), here_));
    const std::int64_t extent = stream.extent(d), block = stream.block(d), rest = extent % block, last = extent / block;
    const auto with = [&](std::int64_t size) {
      auto array_more = array_at, slot_more = slot_at;
      array_more.push_back(ds(Scaled(indices[d], block), size));
      slot_more.push_back(ds(Operand(0, here_), size));
      WithBlock(stream, slot, indices, d + 1, std::move(array_more), std::move(slot_more), copy);
    };
    if (rest == 0) return with(block);
    if (indices[d].kind() != Operand::Kind::kValue) return with(indices[d].number() == static_cast<double>(last) ? rest : block);
    const Value at_end = indices[d] == static_cast<int>(last);
    when(at_end, [&] { with(rest); });
    if (last > 0) when(!at_end, [&] { with(block); });
  }

  Operand Scaled(const Operand& index, std::int64_t block) const {
    if (index.kind() == Operand::Kind::kValue) return Operand(index.value() * static_cast<int>(block), here_);
    return Operand(static_cast<std::int64_t>(index.number()) * block, here_);
  }

  Value SlotOf(const Stream& stream, const Value& number) const { return stream.slots == 1 ? Number(0) : number % stream.slots; }

  Ref SlotRef(std::size_t i, const Value& slot) const { return slots_[i].memory.at({DimIndex(slot, here_)}, here_); }
  Ref SemaphoreRef(std::size_t i, const Value& slot) const { return slots_[i].semaphores.at({DimIndex(slot, here_)}, here_); }

  // Copies between the array's block at step `t` and a slot: in for inputs, out for outputs.
  void Copy(std::size_t i, const Value& t, const Value& slot, bool start, bool wait) const {
    const Stream& stream = streams_[i];
    WithBlock(stream, SlotRef(i, slot), BlockIndices(stream, t), 0, {}, {}, [&](const Ref& array, const Ref& part) {
      const AsyncCopy copy = stream.is_output ? make_async_copy(part, array, SemaphoreRef(i, slot), here_) : make_async_copy(array, part, SemaphoreRef(i, slot), here_);
      if (start) copy.start(here_);
      if (wait) copy.wait(here_);
    });
  }

  static Value Count(const Value& condition) { return condition.astype(i32); }

  // The whole pipeline. Carried for an input: how many blocks were fetched, how many the body has come to. For an output: how many it
  // has begun, and the last steps of its previous two blocks, whose copies are awaited before their slots are used again.
  void Pump() {
    std::vector<Value> carried;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      if (streams_[i].is_output) {
        carried.insert(carried.end(), {Number(0), Number(0), Number(0)});
      } else {
        carried.insert(carried.end(), {Prologue(i), Number(0)});
      }
    }
    carried = fori_loop(Operand(0, here_), Operand(steps_, here_), carried, [&](Index t, const std::vector<Value>& values) { return Step(t, values); });
    Drain(carried);
  }

  // How many steps before its own a block is fetched.
  int Ahead(const Stream& stream) const { return options_.synchronous ? 0 : stream.slots - 1; }

  // Fetches what the first steps need, all but the newest slot's.
  Value Prologue(std::size_t i) {
    Value fetched = Number(0);
    for (std::int64_t s = 0; s < Ahead(streams_[i]) && s < steps_; ++s) {
      fetched = FetchIfChanged(i, Number(s), fetched);
    }
    return fetched;
  }

  // Starts the copy of the block at step `s` where it is a new one; gives the number of blocks fetched.
  Value FetchIfChanged(std::size_t i, const Value& s, const Value& fetched) {
    const Value changed = Changes(streams_[i], s);
    when(changed, [&] { Copy(i, s, SlotOf(streams_[i], fetched), true, false); });
    return fetched + Count(changed);
  }

  std::vector<Value> Step(const Index& t, const std::vector<Value>& values) {
    std::vector<Value> next;
    std::vector<Ref> blocks;
    std::vector<Value> slots;
    std::size_t at = 0;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      if (streams_[i].is_output) {
        BeginOutput(i, t, values, at, next, slots);
      } else {
        BeginInput(i, t, values, at, next, slots);
      }
      at += streams_[i].is_output ? 3 : 2;
      blocks.push_back(WithoutSqueezed(i, SlotRef(i, slots.back())));
    }
    RunBody(t, blocks);
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      if (streams_[i].is_output) EndOutput(i, t, slots[i]);
    }
    return next;
  }

  Ref WithoutSqueezed(std::size_t i, const Ref& slot) const {
    std::vector<DimIndex> dims;
    for (std::size_t d = 0; d < streams_[i].rank(); ++d) {
      if (streams_[i].spec.block().is_squeezed(d)) {
        dims.push_back(DimIndex(0, here_));
      } else {
        dims.push_back(all);
      }
    }
    return slot.at(Indexer(dims), here_);
  }

  // values[at]: blocks fetched; values[at + 1]: blocks the body has come to.
  void BeginInput(std::size_t i, const Index& t, const std::vector<Value>& values, std::size_t at, std::vector<Value>& next, std::vector<Value>& slots) {
    const Stream& stream = streams_[i];
    const int steps_ahead = Ahead(stream);
    const Value changed = Changes(stream, t);
    const Value come_to = values[at + 1] + Count(changed);
    const Value slot = SlotOf(stream, come_to - 1);
    slots.push_back(slot);
    if (steps_ahead == 0) {
      // In one branch: libtpu 0.0.37 fails on a start and a wait that stand in two with the same condition.
      when(changed, [&] { Copy(i, t, slot, true, true); });
      next.insert(next.end(), {come_to, come_to});
      return;
    }
    const Value ahead = t + steps_ahead;
    const Value fetch = Changes(stream, ahead) & (ahead < static_cast<int>(steps_));
    when(fetch, [&] { Copy(i, ahead, SlotOf(stream, values[at]), true, false); });
    when(changed, [&] { Copy(i, t, slot, false, true); });
    next.insert(next.end(), {values[at] + Count(fetch), come_to});
  }

  // values[at]: blocks begun; values[at + 1], values[at + 2]: the last steps of the block before and of the one before that.
  void BeginOutput(std::size_t i, const Index& t, const std::vector<Value>& values, std::size_t at, std::vector<Value>& next, std::vector<Value>& slots) {
    const Stream& stream = streams_[i];
    const Value changed = Changes(stream, t);
    const Value begun = values[at] + Count(changed);
    const Value slot = SlotOf(stream, begun - 1);
    // The block before ended one step ago.
    const Value before = where(changed, t - 1, values[at + 1]);
    const Value before_that = where(changed, values[at + 1], values[at + 2]);
    if (!options_.synchronous) {
      when(changed & (begun > stream.slots), [&] { Copy(i, stream.slots == 1 ? before : before_that, slot, false, true); });
    }
    next.insert(next.end(), {begun, before, before_that});
    slots.push_back(slot);
  }

  void EndOutput(std::size_t i, const Index& t, const Value& slot) {
    const Value last = t == static_cast<int>(steps_ - 1);
    when(last | Changes(streams_[i], t + 1), [&] { Copy(i, t, slot, true, options_.synchronous); });
  }

  // Awaits the copies that are still on their way: of the last block, and with two slots of the one before.
  void Drain(const std::vector<Value>& values) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      const Stream& stream = streams_[i];
      if (stream.is_output && !options_.synchronous) {
        const Value begun = values[at];
        if (stream.slots == 2) {
          when(begun > 1, [&] { Copy(i, values[at + 1], SlotOf(stream, begun - 2), false, true); });
        }
        Copy(i, Number(steps_ - 1), SlotOf(stream, begun - 1), false, true);
      }
      at += stream.is_output ? 3 : 2;
    }
  }

  void RunBody(const Index& t, const std::vector<Ref>& blocks) {
    std::vector<trace::Node*> nodes;
    for (const Index& index : GridIndices(t)) nodes.push_back(index.node());
    const trace::GridViewScope grid({&nodes, &options_.grid});
    const trace::PlaceScope users({});
    try {
      body_(blocks);
    } catch (const std::bad_function_call&) {
      Refuse("the body doesn't take " + std::to_string(blocks.size()) + " references (inputs, outputs)", here_);
    }
  }

  const Kernel& body_;
  const PipelineOptions& options_;
  Here here_;
  std::int64_t steps_ = 0;
  std::vector<Stream> streams_;
  std::vector<Slots> slots_;
};

}  // namespace

void PipelineFunction::Run(const std::vector<Ref>& refs) const {
  trace::CurrentGraph(kWhat, here_);
  const trace::PlaceScope place(here_);
  Expansion(body_, options_, refs, here_).Emit();
}

}  // namespace kernel_audit::pallas
