// emit_pipeline on random grids, shapes and index maps: right values, no findings, the same bytes whenever data moves, and no fetch too many.
#include <sys/resource.h>

#include <cstdio>
#include <numeric>
#include <random>

#include "races/compare.h"
#include "races/patterns.h"

namespace kernel_audit::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The block index of one dimension: a number, or a grid index, perhaps divided.
struct DimMap {
  int axis = -1;  // -1: `number`
  int number = 0;
  int divisor = 1;

  std::int64_t At(const Shape& step) const { return axis < 0 ? number : step[static_cast<std::size_t>(axis)] / divisor; }
  pl::Operand At(const std::vector<pl::Index>& step) const {
    if (axis < 0) return number;
    const pl::Value& index = step[static_cast<std::size_t>(axis)];
    return divisor == 1 ? index : index / divisor;
  }
};

struct Operand {
  Shape shape;
  std::vector<std::int64_t> block;
  std::vector<bool> squeezed;
  std::vector<DimMap> map;
  int slots = 2;

  std::size_t rank() const { return shape.size(); }
  Shape BlockAt(const Shape& step) const {
    Shape index;
    for (const DimMap& dim : map) index.push_back(dim.At(step));
    return index;
  }
};

struct Case {
  Shape grid;
  std::vector<Operand> inputs, outputs;
  bool synchronous = false;
};

class CaseMaker {
 public:
  explicit CaseMaker(std::uint64_t seed) : random_(seed) {}

  Case Make() {
    Case made;
    const std::int64_t rank = 1 + Below(4);
    for (std::int64_t d = 0; d < rank; ++d) made.grid.push_back(1 + Below(rank > 2 ? 3 : 5));
    made.synchronous = Below(6) == 0;
    for (std::int64_t i = 1 + Below(3); i > 0; --i) made.inputs.push_back(Input(made.grid));
    for (std::int64_t i = 1 + Below(2); i > 0; --i) made.outputs.push_back(Output(made.grid));
    return made;
  }

 private:
  std::int64_t Below(std::int64_t bound) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound)); }

  void AddDim(Operand& operand, const Shape& grid, DimMap map) {
    const bool squeezed = Below(6) == 0;
    const std::int64_t block = squeezed ? 1 : 1 + Below(4);
    const std::int64_t last = map.axis < 0 ? map.number : (grid[static_cast<std::size_t>(map.axis)] - 1) / map.divisor;
    // Up to the last block, which may be shorter.
    operand.shape.push_back((last + 1) * block - (Below(2) == 0 ? Below(block) : 0));
    operand.block.push_back(block);
    operand.squeezed.push_back(squeezed);
    operand.map.push_back(map);
  }

  // The kernel sees one dimension at least.
  static void Finish(Operand& operand) {
    if (std::count(operand.squeezed.begin(), operand.squeezed.end(), false) == 0) operand.squeezed.back() = false;
  }

  Operand Input(const Shape& grid) {
    Operand input;
    input.slots = 1 + static_cast<int>(Below(4));
    for (std::int64_t d = 1 + Below(3); d > 0; --d) {
      DimMap map;
      if (Below(4) == 0) {
        map.number = static_cast<int>(Below(3));
      } else {
        map.axis = static_cast<int>(Below(static_cast<std::int64_t>(grid.size())));
        map.divisor = 1 + static_cast<int>(Below(3) == 0);
      }
      AddDim(input, grid, map);
    }
    Finish(input);
    return input;
  }

  // Each of the first axes chooses along one dimension, so that no block comes back after another one.
  Operand Output(const Shape& grid) {
    Operand output;
    output.slots = 1 + static_cast<int>(Below(2));
    const std::int64_t axes = Below(static_cast<std::int64_t>(grid.size()) + 1);
    std::vector<int> order(static_cast<std::size_t>(axes));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    for (int axis : order) {
      if (Below(5) == 0 && output.rank() < 2) AddDim(output, grid, {});
      // The innermost of them may move on at every second step only.
      const bool innermost = axis == axes - 1;
      AddDim(output, grid, {axis, 0, innermost && Below(3) == 0 ? 2 : 1});
    }
    if (output.shape.empty()) AddDim(output, grid, {});
    Finish(output);
    return output;
  }

  std::mt19937_64 random_;
};

std::vector<Shape> StepsOf(const Shape& grid) {
  std::vector<Shape> steps;
  for (std::int64_t t = 0; t < core::NumElements(grid); ++t) steps.push_back(sim::GridPoint(grid, t));
  return steps;
}

// An element's weight by its place in an input's block.
std::int64_t Weight(const Shape& place) {
  std::int64_t weight = 1;
  for (std::size_t d = 0; d < place.size(); ++d) weight += place[d] * static_cast<std::int64_t>(2 * d + 1);
  return weight;
}

Shape Visible(const Operand& operand, const Shape& all) {
  Shape visible;
  for (std::size_t d = 0; d < all.size(); ++d) {
    if (!operand.squeezed[d]) visible.push_back(all[d]);
  }
  return visible;
}

// Calls f(element of the array, place among the visible dimensions) for what the array has of a block.
template <typename F>
void ForBlock(const Operand& operand, const Shape& index, F&& f) {
  for (const Shape& place : StepsOf(Shape(operand.block.begin(), operand.block.end()))) {
    std::int64_t element = 0;
    bool inside = true;
    for (std::size_t d = 0; d < place.size(); ++d) {
      const std::int64_t at = index[d] * operand.block[d] + place[d];
      inside = inside && at < operand.shape[d];
      element = element * operand.shape[d] + at;
    }
    if (inside) f(static_cast<std::size_t>(element), Visible(operand, place));
  }
}

// An output's element grows by a small multiple of the sum, by its last index.
std::int64_t Multiple(const Shape& place) { return 1 + place.back(); }

// Every step adds (sum of the weighted inputs) x multiple to the output blocks; the first visit of a block begins at 0.
std::vector<std::vector<double>> Direct(const Case& c, const std::vector<HostArray>& arrays) {
  std::vector<std::vector<double>> outputs;
  for (const Operand& output : c.outputs) outputs.emplace_back(static_cast<std::size_t>(core::NumElements(output.shape)));
  for (const Shape& step : StepsOf(c.grid)) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < c.inputs.size(); ++i) {
      ForBlock(c.inputs[i], c.inputs[i].BlockAt(step), [&](std::size_t element, const Shape& place) {
        sum += static_cast<std::int64_t>(arrays[i].elements<float>()[element]) * Weight(place);
      });
    }
    for (std::size_t o = 0; o < c.outputs.size(); ++o) {
      ForBlock(c.outputs[o], c.outputs[o].BlockAt(step), [&](std::size_t element, const Shape& place) {
        outputs[o][element] += static_cast<double>(sum * Multiple(place));
      });
    }
  }
  return outputs;
}

pl::Value WeightsOf(const Shape& shape) {
  pl::Value weights = pl::full(shape, 1, pl::i32);
  for (std::size_t d = 0; d < shape.size(); ++d) weights = weights + pl::iota(shape, static_cast<int>(d)) * static_cast<int>(2 * d + 1);
  return weights.astype(pl::f32);
}

// What the array has of a block along dimension d.
pl::Operand RestOf(const Operand& input, std::size_t d, const std::vector<pl::Index>& step) {
  const DimMap& map = input.map[d];
  const auto extent = static_cast<int>(input.shape[d]), block = static_cast<int>(input.block[d]);
  if (map.axis < 0) return extent - map.number * block;
  return extent - map.At(step) * block;
}

// The elements of an input's block, 0 where the array has none, weighted and added up; all extents 1.
pl::Value SumOf(const Operand& input, const pl::Ref& block, const std::vector<pl::Index>& step) {
  pl::Value x = block.load();
  int visible = 0;
  for (std::size_t d = 0; d < input.rank(); ++d) {
    if (input.squeezed[d]) continue;
    if (input.shape[d] % input.block[d] != 0) x = pl::where(pl::iota(block.shape(), visible) < RestOf(input, d, step), x, 0.0f);
    ++visible;
  }
  x = x * WeightsOf(block.shape());
  for (int d = 0; d < visible; ++d) x = pl::sum(x, d, true);
  return x;
}

// Whether this step is the first one at the output's block.
pl::Value IsFirst(const Operand& output, const std::vector<pl::Index>& step) {
  pl::Value first = step[0] == step[0];
  for (std::size_t axis = 0; axis < step.size(); ++axis) {
    const auto map = std::find_if(output.map.begin(), output.map.end(), [&](const DimMap& dim) { return dim.axis == static_cast<int>(axis); });
    if (map == output.map.end()) first = first & (step[axis] == 0);
    if (map != output.map.end() && map->divisor > 1) first = first & (step[axis] % map->divisor == 0);
  }
  return first;
}

void Body(const Case& c, const std::vector<pl::Ref>& blocks) {
  std::vector<pl::Index> step;
  for (std::size_t d = 0; d < c.grid.size(); ++d) step.push_back(pl::program_id(static_cast<int>(d)));
  std::vector<pl::Value> sums;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) sums.push_back(SumOf(c.inputs[i], blocks[i], step));
  for (std::size_t o = 0; o < c.outputs.size(); ++o) {
    const pl::Ref& block = blocks[c.inputs.size() + o];
    const Shape& shape = block.shape();
    pl::when(IsFirst(c.outputs[o], step), [&] { block.store(0.0f); });
    const pl::Value multiples = (pl::iota(shape, static_cast<int>(shape.size()) - 1) + 1).astype(pl::f32);
    pl::Value z = block.load();
    // Sums have as many dimensions as their input sees; here they become scalars' blocks of the output's.
    for (const pl::Value& sum : sums) z = z + pl::broadcast_to(pl::reshape(sum, Shape(shape.size(), 1)), shape) * multiples;
    block.store(z);
  }
}

pl::Block BlockOf(const Operand& operand) {
  std::vector<pl::BlockDim> d;
  for (std::size_t i = 0; i < operand.rank(); ++i) d.push_back(operand.squeezed[i] ? pl::squeezed : pl::BlockDim(operand.block[i]));
  switch (d.size()) {
    case 1: return {d[0]};
    case 2: return {d[0], d[1]};
    case 3: return {d[0], d[1], d[2]};
    case 4: return {d[0], d[1], d[2], d[3]};
    case 5: return {d[0], d[1], d[2], d[3], d[4]};
    default: return {d[0], d[1], d[2], d[3], d[4], d[5]};
  }
}

pl::BlockSpec SpecOf(const Operand& operand) {
  const auto map = [dims = operand.map](const std::vector<pl::Index>& step) {
    pl::Indices indices;
    for (const DimMap& dim : dims) indices.push_back(dim.At(step));
    return indices;
  };
  return pl::BlockSpec(BlockOf(operand), map).buffered(operand.slots);
}

std::vector<pl::Array> TraceCase(const Case& c, const std::vector<pl::Array>& arrays) {
  pl::PipelineOptions pipeline{.grid = c.grid, .synchronous = c.synchronous};
  pl::PallasOptions call;
  for (const Operand& input : c.inputs) pipeline.in_specs.push_back(SpecOf(input));
  for (const Operand& output : c.outputs) {
    pipeline.out_specs.push_back(SpecOf(output));
    call.out_shape.push_back({output.shape, pl::f32});
  }
  call.in_specs.assign(c.inputs.size(), pl::BlockSpec(pl::any));
  call.out_specs.assign(c.outputs.size(), pl::BlockSpec(pl::any));
  const auto kernel = [&](const std::vector<pl::Ref>& refs) {
    pl::emit_pipeline([&](const std::vector<pl::Ref>& blocks) { Body(c, blocks); }, pipeline).Run(refs);
  };
  const pl::Outputs outputs = pl::pallas_call(kernel, call).Call(arrays);
  return {outputs.begin(), outputs.end()};
}

// How often a stream's block is another one than the step before.
std::int64_t Changes(const Case& c, const Operand& operand) {
  std::int64_t changes = 0;
  Shape before;
  for (const Shape& step : StepsOf(c.grid)) {
    const Shape now = operand.BlockAt(step);
    changes += now != before ? 1 : 0;
    before = now;
  }
  return changes;
}

std::int64_t CopiesOf(const sim::EventLog& events, const std::string& array) {
  return std::count_if(events.events.begin(), events.events.end(), [&](const sim::Event& event) {
    if (event.kind != sim::Event::Kind::kDmaStart) return false;
    return events.buffers[static_cast<std::size_t>(event.first.buffer)] == array || events.buffers[static_cast<std::size_t>(event.second.buffer)] == array;
  });
}

std::string Text(const Operand& operand) {
  std::string text = core::ToString(operand.shape) + " by (";
  for (std::size_t d = 0; d < operand.rank(); ++d) {
    const DimMap& map = operand.map[d];
    text += (operand.squeezed[d] ? std::string("squeezed") : std::to_string(operand.block[d])) + " at " +
            (map.axis < 0 ? std::to_string(map.number) : "g" + std::to_string(map.axis) + "/" + std::to_string(map.divisor)) + ", ";
  }
  return text + ") slots " + std::to_string(operand.slots);
}

void CheckCopies(const Case& c, const sim::EventLog& events) {
  for (std::size_t i = 0; i < c.inputs.size(); ++i) EXPECT_EQ(CopiesOf(events, "input " + std::to_string(i)), Changes(c, c.inputs[i])) << Text(c.inputs[i]);
  for (std::size_t o = 0; o < c.outputs.size(); ++o) EXPECT_EQ(CopiesOf(events, "output " + std::to_string(o)), Changes(c, c.outputs[o])) << Text(c.outputs[o]);
}

void CheckCase(const Case& c) {
  std::vector<HostArray> arrays;
  std::vector<const HostArray*> pointers;
  for (const Operand& input : c.inputs) arrays.push_back(Floats(input.shape, [](std::int64_t i) { return static_cast<double>(i * 7 % 3); }));
  for (const HostArray& array : arrays) pointers.push_back(&array);
  const Kernel kernel([&](const std::vector<pl::Array>& a) { return TraceCase(c, a); }, pointers);
  const std::vector<std::vector<double>> want = Direct(c, arrays);
  for (const NamedSchedule& schedule : Schedules()) {
    SCOPED_TRACE(schedule.name);
    sim::EventLog events;
    sim::RunOptions options;
    options.schedule = schedule.schedule;
    options.events = &events;
    const KernelRun run = kernel.Run(pointers, options);
    EXPECT_THAT(Findings(run.report), IsEmpty());
    for (std::size_t o = 0; o < want.size(); ++o) EXPECT_EQ(Values(run.outputs[o]), want[o]);
    CheckCopies(c, events);
    // The slow judge need not see every schedule.
    if (&schedule == &Schedules().front() && events.events.size() < 2000) {
      EXPECT_THAT(Disagreements(run.report, {}, events), IsEmpty());
    }
  }
}

TEST(EmitPipeline, IsRightOnRandomGridsShapesAndIndexMaps) {
  for (std::uint64_t seed = 1; seed <= 150 && !::testing::Test::HasFailure(); ++seed) {
    const Case c = CaseMaker(seed).Make();
    std::string text = "seed " + std::to_string(seed) + ", grid " + core::ToString(c.grid) + (c.synchronous ? ", synchronous" : "");
    for (const Operand& input : c.inputs) text += "\n  in  " + Text(input);
    for (const Operand& output : c.outputs) text += "\n  out " + Text(output);
    SCOPED_TRACE(text);
    CheckCase(c);
  }
}

// The message of the refusal of a pipeline with these slots; the line of its output's or input's spec in `line`.
std::string Refusal(int in_slots, int out_slots, int& in_line, int& out_line, core::SourceLocation& place) {
  const HostArray x = PatternInput();
  try {
    Trace({&x}, Single([&](const std::vector<pl::Array>& a) {
      const auto map = [](pl::Index i) { return pl::indices(i, 0); };
      in_line = __LINE__ + 1;
      const pl::BlockSpec in = pl::BlockSpec({8, 128}, map).buffered(in_slots);
      out_line = __LINE__ + 1;
      const pl::BlockSpec out = pl::BlockSpec({8, 128}, map).buffered(out_slots);
      const auto body = [](pl::Ref x, pl::Ref z) { z.store(x.load()); };
      const auto kernel = [&](pl::Ref x, pl::Ref z) { pl::emit_pipeline(body, {.grid = {4}, .in_specs = {in}, .out_specs = {out}})(x, z); };
      return pl::pallas_call(kernel, {.in_specs = {pl::BlockSpec(pl::any)}, .out_specs = {pl::BlockSpec(pl::any)}, .out_shape = a[0].aval()})(a[0]);
    }));
  } catch (const pl::TraceError& error) {
    place = error.location();
    return error.what();
  }
  return "";
}

TEST(EmitPipeline, RefusesSlotsThatItCannotUse) {
  int in_line = 0, out_line = 0;
  core::SourceLocation place;
  EXPECT_THAT(Refusal(2, 3, in_line, out_line, place), HasSubstr("buffer count > 2 is not supported for output buffered refs (output 0 asks for 3)"));
  EXPECT_EQ(place.line, out_line);
  EXPECT_THAT(Refusal(2, 0, in_line, out_line, place), HasSubstr("output 0 needs at least one slot, not 0"));
  EXPECT_EQ(place.line, out_line);
  EXPECT_THAT(Refusal(0, 2, in_line, out_line, place), HasSubstr("input 0 needs at least one slot, not 0"));
  EXPECT_EQ(place.line, in_line);
  EXPECT_EQ(Refusal(4, 2, in_line, out_line, place), "");
}

// A pipeline of `steps` steps over arrays of one size.
void RunSteps(int steps) {
  const HostArray x = PatternInput();
  const Kernel kernel(Single([steps](const std::vector<pl::Array>& a) {
    const pl::BlockSpec in({8, 128}, [](pl::Index i) { return pl::indices(i % 4, 0); }), out({8, 128}, [steps](pl::Index i) { return pl::indices(i / (steps / 4), 0); });
    const auto body = [](pl::Ref x, pl::Ref z) { z.store(x.load()); };
    const auto kernel = [&](pl::Ref x, pl::Ref z) { pl::emit_pipeline(body, {.grid = {steps}, .in_specs = {in}, .out_specs = {out}})(x, z); };
    return pl::pallas_call(kernel, {.in_specs = {pl::BlockSpec(pl::any)}, .out_specs = {pl::BlockSpec(pl::any)}, .out_shape = a[0].aval()})(a[0]);
  }), {&x});
  for (const NamedSchedule& schedule : Schedules()) {
    sim::RunOptions options;
    options.schedule = schedule.schedule;
    EXPECT_THAT(Findings(kernel.Run({&x}, options).report), IsEmpty());
  }
}

std::int64_t PeakBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

TEST(EmitPipeline, TakesNoMoreMemoryForMoreSteps) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer keeps what was freed";
#endif
  RunSteps(64);
  const std::int64_t before = PeakBytes();
  RunSteps(65536);
  EXPECT_LT(PeakBytes() - before, 1 << 20);
}

}  // namespace
}  // namespace kernel_audit::testing
