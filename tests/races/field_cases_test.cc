// Cases from the field, group E: DMAs, semaphores, pipelines. Blocks of (8, 128); block i of the input holds i + 1.
#include <functional>
#include <set>

#include "races/compare.h"
#include "races/patterns.h"

namespace kernel_audit::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = sim::FindingKind;

constexpr std::int64_t kBlock = 8, kLanes = 128;

HostArray Blocks(std::int64_t count) {
  return Floats({count * kBlock, kLanes}, [](std::int64_t i) { return static_cast<double>(i / (kBlock * kLanes) + 1); });
}

struct Result {
  std::vector<std::string> kinds;  // of the findings, in their order
  std::vector<double> blocks;      // the first element of each output block
  sim::Report report;
};

Result RunBlocks(const Function& function, const HostArray& x, const sim::RunOptions& wanted) {
  const Kernel kernel(function, {&x});
  sim::EventLog events;
  sim::RunOptions options = wanted;
  options.events = &events;
  const KernelRun run = kernel.Run({&x}, options);
  EXPECT_THAT(Disagreements(run.report, kernel.program().kernel().grid, events), IsEmpty());
  Result result{{}, {}, run.report};
  for (const sim::Finding& finding : run.report.findings) result.kinds.push_back(sim::Name(finding.kind));
  const std::vector<double> values = Values(run.outputs[0]);
  for (std::size_t i = 0; i < values.size(); i += kBlock * kLanes) result.blocks.push_back(values[i]);
  return result;
}

// The same findings under every schedule; the last result.
Result RunAll(const Function& function, const HostArray& x, int cores = 1) {
  Result last;
  for (const NamedSchedule& schedule : Schedules()) {
    sim::RunOptions options;
    options.schedule = schedule.schedule;
    options.cores = cores;
    Result result = RunBlocks(function, x, options);
    if (&schedule != &Schedules().front()) {
      EXPECT_EQ(Findings(result.report), Findings(last.report)) << schedule.name;
    }
    last = std::move(result);
  }
  return last;
}

// A kernel on one block, with a scratch block, a DMA semaphore and a regular one.
using Body = std::function<void(pl::Ref x, pl::Ref z, pl::Ref memory, pl::Ref arrived, pl::Ref semaphore)>;
Function OneBlock(const Body& body) {
  return Single([body](const std::vector<pl::Array>& a) {
    return pl::pallas_call(body, {.in_specs = {pl::BlockSpec(pl::any)}, .out_specs = {pl::BlockSpec()}, .out_shape = a[0].aval(),
                                  .scratch_shapes = {pl::VMEM({kBlock, kLanes}, pl::f32), pl::DMA(), pl::Semaphore()}})(a[0]);
  });
}

TEST(FieldCase, C28ReadBeforeWait) {
  const auto body = [](bool wait_first) {
    return [wait_first](pl::Ref x, pl::Ref z, pl::Ref memory, pl::Ref arrived, pl::Ref) {
      const pl::AsyncCopy copy = pl::make_async_copy(x, memory, arrived);
      copy.start();
      if (wait_first) copy.wait();
      z.store(memory.load() + 1.0f);
      if (!wait_first) copy.wait();
    };
  };
  const Result racy = RunAll(OneBlock(body(false)), Blocks(1));
  ASSERT_THAT(racy.kinds, ElementsAre("race"));
  EXPECT_THAT(racy.report.findings[0].message, ::testing::HasSubstr("core 0 reads [0:8, 0:128] of scratch 0 while DMA 1 started at"));
  const Result right = RunAll(OneBlock(body(true)), Blocks(1));
  EXPECT_THAT(right.kinds, IsEmpty());
  EXPECT_THAT(right.blocks, ElementsAre(2));
}

TEST(FieldCase, C28SourceZeroedBeforeWait) {
  const auto run = [](bool wait_first) {
    return RunAll(Single([wait_first](const std::vector<pl::Array>& a) {
      const auto body = [wait_first](pl::Ref x, pl::Ref z, pl::Ref memory, pl::Ref left) {
        memory.store(x.load() + 1.0f);
        const pl::AsyncCopy copy = pl::make_async_copy(memory, z, left);
        copy.start();
        if (wait_first) copy.wait();
        memory.store(0.0f);
        if (!wait_first) copy.wait();
      };
      return pl::pallas_call(body, {.in_specs = {pl::BlockSpec()}, .out_specs = {pl::BlockSpec(pl::any)}, .out_shape = a[0].aval(),
                                    .scratch_shapes = {pl::VMEM({kBlock, kLanes}, pl::f32), pl::DMA()}})(a[0]);
    }), Blocks(1));
  };
  const Result racy = run(false);
  ASSERT_THAT(racy.kinds, ElementsAre("race"));
  EXPECT_TRUE(racy.report.findings[0].accesses[0].write);
  EXPECT_FALSE(racy.report.findings[0].accesses[1].write);
  const Result right = run(true);
  EXPECT_THAT(right.kinds, IsEmpty());
  EXPECT_THAT(right.blocks, ElementsAre(2));
}

TEST(FieldCase, C30MissingDoubledAndImpossibleWaits) {
  const auto a = [](pl::Ref x, pl::Ref z, pl::Ref memory, pl::Ref arrived, pl::Ref) {
    pl::make_async_copy(x, memory, arrived).start();
    z.store(memory.load());
  };
  EXPECT_THAT(RunAll(OneBlock(a), Blocks(1)).kinds, ElementsAre("race", "leak"));
  const auto b = [](pl::Ref x, pl::Ref z, pl::Ref memory, pl::Ref arrived, pl::Ref) {
    pl::make_async_copy(x, memory, arrived).start();
    z.store(1.0f);
  };
  EXPECT_THAT(RunAll(OneBlock(b), Blocks(1)).kinds, ElementsAre("leak"));
  const auto c = [](pl::Ref x, pl::Ref z, pl::Ref memory, pl::Ref arrived, pl::Ref) {
    pl::make_async_copy(x, memory, arrived).wait();
    z.store(1.0f);
  };
  const Result never_started = RunAll(OneBlock(c), Blocks(1));
  ASSERT_THAT(never_started.kinds, ElementsAre("deadlock"));
  EXPECT_EQ(never_started.report.findings[0].message,
            "core 0 waits for 4096 bytes on scratch 1, which holds 0 bytes, and nothing that would signal it was started");
  const auto d = [](pl::Ref x, pl::Ref z, pl::Ref memory, pl::Ref arrived, pl::Ref) {
    const pl::AsyncCopy copy = pl::make_async_copy(x, memory, arrived);
    copy.start();
    copy.wait();
    copy.wait();
    z.store(memory.load());
  };
  EXPECT_THAT(RunAll(OneBlock(d), Blocks(1)).kinds, ElementsAre("deadlock"));
  const auto e = [](pl::Ref, pl::Ref z, pl::Ref, pl::Ref, pl::Ref semaphore) {
    pl::semaphore_wait(semaphore, 1);
    z.store(1.0f);
  };
  const Result unsignalled = RunAll(OneBlock(e), Blocks(1));
  ASSERT_THAT(unsignalled.kinds, ElementsAre("deadlock"));
  EXPECT_EQ(unsignalled.report.findings[0].message, "core 0 waits for 1 on scratch 2, which holds 0, and nothing that would signal it was started");
  const auto f = [](pl::Ref, pl::Ref z, pl::Ref, pl::Ref, pl::Ref semaphore) {
    pl::semaphore_signal(semaphore, 2);
    pl::semaphore_wait(semaphore, 1);
    z.store(1.0f);
  };
  const Result left_over = RunAll(OneBlock(f), Blocks(1));
  ASSERT_THAT(left_over.kinds, ElementsAre("leak"));
  EXPECT_EQ(left_over.report.findings[0].message, "semaphore () of scratch 2 holds 1 when the kernel ended; it must be zero");
}

// After a deadlock nothing depends on what was in the output's memory before.
TEST(FieldCase, C30OutputsAfterADeadlockAreTheSameEveryTime) {
  const HostArray x = Blocks(2);
  const Kernel kernel(Single([](const std::vector<pl::Array>& a) {
    const pl::BlockSpec tile({kBlock, kLanes}, [](pl::Index i) { return pl::indices(i, 0); });
    const auto body = [](pl::Ref x, pl::Ref z, pl::Ref semaphore) {
      z.store(x.load());
      pl::when(pl::program_id(0) == 1, [&] { pl::semaphore_wait(semaphore, 1); });
    };
    return pl::pallas_call(body, {.grid = {2}, .in_specs = {tile}, .out_specs = {tile}, .out_shape = a[0].aval(), .scratch_shapes = {pl::Semaphore()}})(a[0]);
  }), {&x});
  std::set<std::vector<std::uint32_t>> seen;
  for (const std::byte before : {std::byte{0}, std::byte{0x55}}) {
    HostArray out(x.type());
    std::fill_n(out.data(), out.byte_size(), before);
    const std::vector<const std::byte*> in = {x.data()};
    const std::vector<std::byte*> outs = {out.data()};
    ASSERT_TRUE(sim::Run(kernel.program(), in, outs, {}));
    seen.insert(Bits(out));
    EXPECT_EQ(Values(out)[0], 1);
  }
  EXPECT_EQ(seen.size(), 1u);
}

// n blocks, each + 1: blocks are fetched `distance` steps ahead into `slots`, written back from `out_slots`.
struct Explicit {
  int blocks, slots, distance;
  int out_slots = 2;
  bool await_slot = true;   // before an output slot is written again
  bool drain = true;        // await the last write-backs
};

Function ExplicitPipeline(const Explicit& shape) {
  return Single([shape](const std::vector<pl::Array>& a) {
    const auto body = [shape](const std::vector<pl::Ref>& refs) {
      const pl::Ref &x = refs[0], &z = refs[1], &in = refs[2], &out = refs[3], &arrived = refs[4], &left = refs[5];
      const auto rows = [](const pl::Ref& ref, const pl::Value& i) { return ref.at({pl::ds(i * 8, kBlock)}); };
      const auto fetch = [&](const pl::Value& i) { return pl::make_async_copy(rows(x, i), in.at({i % shape.slots}), arrived.at({i % shape.slots})); };
      const auto write = [&](const pl::Value& i) { return pl::make_async_copy(out.at({i % shape.out_slots}), rows(z, i), left.at({i % shape.out_slots})); };
      const int n = shape.blocks;
      pl::fori_loop(0, std::min(shape.distance, n), [&](pl::Index i) { fetch(i).start(); });
      pl::fori_loop(0, n, [&](pl::Index i) {
        pl::when(i + shape.distance < n, [&] { fetch(i + shape.distance).start(); });
        fetch(i).wait();
        if (shape.await_slot) pl::when(i >= shape.out_slots, [&] { write(i - shape.out_slots).wait(); });
        out.store(in.load({i % shape.slots}) + 1.0f, {i % shape.out_slots});
        write(i).start();
      });
      const int first = !shape.drain ? n : shape.await_slot ? std::max(0, n - shape.out_slots) : 0;
      pl::fori_loop(first, n, [&](pl::Index i) { write(i).wait(); });
    };
    const pl::Scratch in = pl::VMEM({shape.slots, kBlock, kLanes}, pl::f32), out = pl::VMEM({shape.out_slots, kBlock, kLanes}, pl::f32);
    return pl::pallas_call(body, {.in_specs = {pl::BlockSpec(pl::any)}, .out_specs = {pl::BlockSpec(pl::any)}, .out_shape = a[0].aval(),
                                  .scratch_shapes = {in, out, pl::DMA({shape.slots}), pl::DMA({shape.out_slots})}})(a[0]);
  });
}

std::vector<double> PlusOne(int blocks) {
  std::vector<double> values;
  for (int i = 0; i < blocks; ++i) values.push_back(i + 2);
  return values;
}

TEST(FieldCase, C31TooFewInputBuffers) {
  for (const Explicit& racy : {Explicit{4, 1, 1}, Explicit{5, 2, 2}}) {
    const std::vector<std::string> kinds = RunAll(ExplicitPipeline(racy), Blocks(racy.blocks)).kinds;
    EXPECT_THAT(kinds, ::testing::Contains("race"));
    EXPECT_THAT(kinds, ::testing::Not(::testing::Contains("deadlock")));
  }
  for (const Explicit& right : {Explicit{5, 3, 2}, Explicit{1, 2, 1}, Explicit{4, 2, 1}, Explicit{5, 2, 1}}) {
    const Result result = RunAll(ExplicitPipeline(right), Blocks(right.blocks));
    EXPECT_THAT(result.kinds, IsEmpty());
    EXPECT_EQ(result.blocks, PlusOne(right.blocks));
  }
}

TEST(FieldCase, C33OutputSlotReusedEarlyAndMissingDrain) {
  const Result early = RunAll(ExplicitPipeline({.blocks = 4, .slots = 2, .distance = 1, .await_slot = false}), Blocks(4));
  ASSERT_THAT(early.kinds, ElementsAre("race"));
  EXPECT_TRUE(early.report.findings[0].accesses[0].write);
  EXPECT_FALSE(early.report.findings[0].accesses[1].write);
  const Result undrained = RunAll(ExplicitPipeline({.blocks = 4, .slots = 2, .distance = 1, .drain = false}), Blocks(4));
  ASSERT_THAT(undrained.kinds, ElementsAre("leak"));
  EXPECT_EQ(undrained.report.findings[0].occurrences, 2);
  const Result one = RunAll(ExplicitPipeline({.blocks = 4, .slots = 2, .distance = 1, .out_slots = 1}), Blocks(4));
  EXPECT_THAT(one.kinds, IsEmpty());
  EXPECT_THAT(one.blocks, ElementsAre(2, 3, 4, 5));
}

TEST(FieldCase, C34PrecisionToTheRow) {
  const auto run = [](int first) {
    return RunAll(Single([first](const std::vector<pl::Array>& a) {
      const auto body = [first](pl::Ref x, pl::Ref z, pl::Ref memory, pl::Ref arrived) {
        memory.store(0.0f);
        const pl::AsyncCopy copy = pl::make_async_copy(x.at({pl::ds(0, 8)}), memory.at({pl::ds(first, 8)}), arrived);
        copy.start();
        z.store(memory.load({pl::ds(0, 8)}) + 1.0f);
        copy.wait();
      };
      return pl::pallas_call(body, {.in_specs = {pl::BlockSpec(pl::any)}, .out_specs = {pl::BlockSpec()}, .out_shape = pl::ShapeDtype{{kBlock, kLanes}, pl::f32},
                                    .scratch_shapes = {pl::VMEM({2 * kBlock, kLanes}, pl::f32), pl::DMA()}})(a[0]);
    }), Blocks(2));
  };
  const Result right = run(8);
  EXPECT_THAT(right.kinds, IsEmpty());
  EXPECT_THAT(right.blocks, ElementsAre(1));
  const Result one_row = run(7);
  ASSERT_THAT(one_row.kinds, ElementsAre("race"));
  EXPECT_EQ(one_row.report.findings[0].accesses[0].region, "[0:8, 0:128]");
  EXPECT_EQ(one_row.report.findings[0].accesses[1].region, "[7:15, 0:128]");
}

TEST(FieldCase, C34TwoCoresOnOneBlockAndOnTheirOwn) {
  const auto run = [](bool shared) {
    const pl::BlockSpec in({kBlock, kLanes}, [](pl::Index i) { return pl::indices(i, 0); });
    const pl::BlockSpec out({kBlock, kLanes}, [shared](pl::Index i) { return shared ? pl::indices(0, 0) : pl::indices(i, 0); });
    return RunAll(Single([&](const std::vector<pl::Array>& a) {
      const auto body = [](pl::Ref, pl::Ref z) { z.store(2.0f); };
      return pl::pallas_call(body, {.grid = {2}, .in_specs = {in}, .out_specs = {out}, .out_shape = pl::ShapeDtype{{shared ? 8 : 16, kLanes}, pl::f32},
                                    .dimension_semantics = {pl::parallel}})(a[0]);
    }), Blocks(2), 2);
  };
  EXPECT_THAT(run(true).kinds, ElementsAre("race"));
  const Result right = run(false);
  EXPECT_THAT(right.kinds, IsEmpty());
  EXPECT_THAT(right.blocks, ElementsAre(2, 2));
}

}  // namespace
}  // namespace kernel_audit::testing
