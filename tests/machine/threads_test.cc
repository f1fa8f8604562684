// Which kernels threads may divide, and that nothing tells a divided run from one in order. (All kernels of these tests run both ways: simulate.cc.)
#include "kernel_audit/sim/independent.h"
#include "simulate.h"

namespace kernel_audit::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::Optional;

HostArray Counting(const Shape& shape) {
  return Floats(shape, [](std::int64_t i) { return static_cast<double>(i % 1021); });
}

const pl::BlockSpec kTile({8, 128}, [](pl::Index i, pl::Index j) { return pl::indices(i, j); });

void Copy(pl::Ref x, pl::Ref z) { z.store(x.load()); }

std::optional<std::size_t> Divided(const SingleFunction& function, const std::vector<const HostArray*>& inputs) {
  const Kernel kernel(Single(function), inputs);
  return sim::IndependentDimension(kernel.program().kernel(), kernel.program().kernel().grid);
}

TEST(Threads, DivideTheOutermostDimensionThatHasPrograms) {
  const HostArray x = Counting({32, 512}), flat = Counting({8, 512});
  const auto copy = [](const auto& a) { return pl::pallas_call(Copy, {.grid = {a[0].shape()[0] / 8, 4}, .in_specs = {kTile}, .out_specs = {kTile}, .out_shape = a[0].aval()})(a[0]); };
  EXPECT_THAT(Divided(copy, {&x}), Optional(0u));
  EXPECT_THAT(Divided(copy, {&flat}), Optional(1u));
}

// Each for one reason.
TEST(Threads, LeaveAloneWhatMayDepend) {
  const HostArray x = Counting({32, 512});
  const auto call = [&](auto kernel, pl::PallasOptions options) {
    options.grid = {4, 4};
    options.in_specs = {kTile};
    if (options.out_specs.empty()) options.out_specs = {kTile};
    return Divided([&](const auto& a) {
      options.out_shape = a[0].aval();
      return pl::Array(pl::pallas_call(kernel, options)(a[0]));
    }, {&x});
  };
  EXPECT_THAT(call(Copy, {}), Optional(0u));
  EXPECT_EQ(call([](pl::Ref x, pl::Ref z) { x.store(x.load() + 1.0f); z.store(x.load()); }, {}), std::nullopt);
  EXPECT_EQ(call(Copy, {.input_output_aliases = {{0, 0}}}), std::nullopt);
  EXPECT_EQ(call(Copy, {.out_specs = {pl::BlockSpec({8, 128}, [](pl::Index, pl::Index j) { return pl::indices(0, j); })}}), std::nullopt);
  EXPECT_EQ(call(Copy, {.out_specs = {pl::BlockSpec({8, 128}, [](pl::Index i, pl::Index j) { return pl::indices(i / 2, j); })}}), std::nullopt);
}

// Sums over all programs in scratch: a part of the grid alone would read what it never wrote. With observers or without, on any number of threads.
TEST(Threads, ScratchThatPassesFromProgramToProgramIsOneMemory) {
  const HostArray x = Counting({64, 128});
  const auto run = [&](int threads, bool observe, bool anew) {
    sim::RunOptions options;
    options.threads = threads;
    options.observe = observe;
    return RunKernel([&](const auto& a) {
      const pl::BlockSpec rows({8, 128}, [](pl::Index i) { return pl::indices(i, 0); });
      const auto kernel = [&](pl::Ref x, pl::Ref z, pl::Ref sum) {
        anew ? sum.store(pl::zeros({8, 128}, pl::f32)) : pl::when(pl::program_id(0) == 0, [&] { sum.store(pl::zeros({8, 128}, pl::f32)); });
        sum.store(sum.load() + x.load());
        z.store(sum.load());
      };
      return pl::pallas_call(kernel, {.grid = {8}, .in_specs = {rows}, .out_specs = {rows}, .out_shape = a[0].aval(), .scratch_shapes = {pl::VMEM({8, 128}, pl::f32)}})(a[0]);
    }, {&x}, options);
  };
  for (bool observe : {true, false}) {
    for (bool anew : {true, false}) {
      const KernelRun one = run(1, observe, anew);
      EXPECT_THAT(Findings(one.report), IsEmpty());
      EXPECT_EQ(Values(one.outputs[0])[63 * 128] == Values(x)[63 * 128], anew);
      for (int threads : {2, 3, 8}) {
        const KernelRun several = run(threads, observe, anew);
        EXPECT_THAT(Findings(several.report), IsEmpty());
        EXPECT_EQ(Bits(several.outputs[0]), Bits(one.outputs[0])) << threads << " threads, observe " << observe << ", anew " << anew;
      }
    }
  }
}

// A block that stays over the border between two threads' programs is fetched once, as in order.
TEST(Threads, CountABlockThatStaysOnce) {
  const HostArray x = Counting({64, 128}), bias = Counting({8, 128});
  for (int threads : {1, 2, 3, 8}) {
    sim::RunOptions options;
    options.threads = threads;
    const KernelRun run = RunKernel([](const auto& a) {
      const pl::BlockSpec rows({8, 128}, [](pl::Index i) { return pl::indices(i, 0); }), whole({8, 128}, [](pl::Index) { return pl::indices(0, 0); });
      const auto kernel = [](pl::Ref x, pl::Ref b, pl::Ref z) { z.store(x.load() + b.load()); };
      return pl::pallas_call(kernel, {.grid = {8}, .in_specs = {rows, whole}, .out_specs = {rows}, .out_shape = a[0].aval()})(a[0], a[1]);
    }, {&x, &bias}, options);
    EXPECT_THAT(Findings(run.report), IsEmpty());
    EXPECT_EQ(run.report.traffic[0].fetches, 8) << threads;
    EXPECT_EQ(run.report.traffic[1].fetches, 1) << threads;
    EXPECT_EQ(run.report.traffic[1].fetched_bytes, 8 * 128 * 4) << threads;
    EXPECT_EQ(run.report.cores, 1);
  }
}

// What is found is told as in order: first place, count, and what is only seen in the whole.
TEST(Threads, FindWhatARunInOrderFinds) {
  const HostArray x = Counting({64, 256});
  const auto run = [&](int threads, auto kernel, const pl::BlockSpec& in) {
    sim::RunOptions options;
    options.threads = threads;
    return Findings(RunKernel([&](const auto& a) {
      return pl::pallas_call(kernel, {.grid = {8, 2}, .in_specs = {in}, .out_specs = {kTile}, .out_shape = a[0].aval()})(a[0]);
    }, {&x}, options).report);
  };
  const auto half = [](pl::Ref x, pl::Ref z) { pl::when(pl::program_id(0) % 2 == 0, [&] { z.store(x.load()); }); };
  const auto unwritten = [](pl::Ref x, pl::Ref z) { pl::when(pl::program_id(0) == 5, [&] { z.store(z.load() + x.load()); }); pl::when(pl::program_id(0) != 5, [&] { z.store(x.load()); }); };
  const pl::BlockSpec outside({8, 128}, [](pl::Index i, pl::Index j) { return pl::indices(i + 1, j); });
  for (int threads : {2, 3, 8}) {
    EXPECT_EQ(run(threads, half, kTile), run(1, half, kTile));
    EXPECT_EQ(run(threads, unwritten, kTile), run(1, unwritten, kTile));
    EXPECT_EQ(run(threads, Copy, outside), run(1, Copy, outside));
  }
  EXPECT_EQ(run(1, half, kTile).size(), 1u);
  EXPECT_EQ(run(1, unwritten, kTile).size(), 1u);
  EXPECT_EQ(run(1, Copy, outside).size(), 1u);
}

}  // namespace
}  // namespace kernel_audit::testing
