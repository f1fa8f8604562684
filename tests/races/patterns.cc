#include "races/patterns.h"

// The statement's line becomes the later (earlier) one of the pair.
#define LATER(...) (lines.later = __LINE__, __VA_ARGS__)
#define EARLIER(...) (lines.earlier = __LINE__, __VA_ARGS__)

namespace kernel_audit::testing {
namespace {

using sim::FindingKind;

constexpr Shape::value_type kRows = 32, kLanes = 128, kBlock = 8;

pl::Ref Rows(const pl::Ref& ref, const pl::Operand& first, std::int64_t count = kBlock, pl::Here here = pl::Here::Current()) {
  return ref.at({pl::ds(first, count)}, here);
}
pl::Value Block(double number) { return pl::full({kBlock, kLanes}, number, pl::f32); }
// (kBlock, kLanes) in VMEM, or several of them; a DMA semaphore, or several.
pl::Scratch Memory() { return pl::VMEM({kBlock, kLanes}, pl::f32); }
pl::Scratch Memory(std::int64_t slots) { return pl::VMEM({slots, kBlock, kLanes}, pl::f32); }

struct Call {
  std::vector<pl::Scratch> scratch;
  std::int64_t output_rows = kBlock;
  pl::MemorySpace output = pl::vmem;
};

// The kernel gets the input in HBM, the output, the scratch.
template <typename F>
pl::Array Run(const pl::Array& x, Call call, F kernel) {
  return pl::pallas_call(kernel, {.in_specs = {pl::BlockSpec(pl::any)}, .out_specs = {pl::BlockSpec(call.output)},
                                  .out_shape = pl::ShapeDtype{{call.output_rows, kLanes}, pl::f32}, .scratch_shapes = call.scratch})(x);
}

pl::Array ReadBeforeWait(const pl::Array& x, bool faulty, MarkedLines& lines) {
  return Run(x, {{Memory(), pl::DMA()}}, [&, faulty](pl::Ref x, pl::Ref z, pl::Ref memory, pl::Ref semaphore) {
    const pl::AsyncCopy copy = pl::make_async_copy(Rows(x, 0), memory, semaphore);
    EARLIER(copy.start());
    if (!faulty) copy.wait();
    LATER(z.store(memory.load()));
    if (faulty) copy.wait();
  });
}

pl::Array WaitOnTheOtherSlot(const pl::Array& x, bool faulty, MarkedLines& lines) {
  return Run(x, {{Memory(2), pl::DMA({2})}}, [&, faulty](pl::Ref x, pl::Ref z, pl::Ref memory, pl::Ref semaphores) {
    const auto copy = [&](int slot) { return pl::make_async_copy(Rows(x, slot * kBlock), memory.at({slot}), semaphores.at({slot})); };
    copy(0).start();
    EARLIER(copy(1).start());
    copy(faulty ? 0 : 1).wait();
    LATER(z.store(memory.load({1})));
    copy(faulty ? 1 : 0).wait();
  });
}

pl::Array TwoIntoOneBuffer(const pl::Array& x, bool faulty, MarkedLines& lines) {
  return Run(x, {{Memory(), pl::DMA({2})}}, [&, faulty](pl::Ref x, pl::Ref z, pl::Ref memory, pl::Ref semaphores) {
    const pl::AsyncCopy first = pl::make_async_copy(Rows(x, 0), memory, semaphores.at({0}));
    const pl::AsyncCopy second = pl::make_async_copy(Rows(x, 8), memory, semaphores.at({1}));
    EARLIER(first.start());
    if (!faulty) first.wait();
    LATER(second.start());
    if (faulty) first.wait();
    second.wait();
    z.store(memory.load());
  });
}

pl::Array OverlappingRows(const pl::Array& x, bool faulty, MarkedLines& lines) {
  return Run(x, {{Memory(), pl::DMA({2})}}, [&, faulty](pl::Ref x, pl::Ref z, pl::Ref memory, pl::Ref semaphores) {
    const int from = faulty ? 3 : 4;
    const pl::AsyncCopy first = pl::make_async_copy(Rows(x, 0, 4), Rows(memory, 0, 4), semaphores.at({0}));
    const pl::AsyncCopy second = pl::make_async_copy(Rows(x, from, 4), Rows(memory, from, 4), semaphores.at({1}));
    if (faulty) memory.store(0.0f);
    EARLIER(first.start());
    LATER(second.start());
    first.wait();
    second.wait();
    z.store(memory.load());
  });
}

// Four blocks through two slots: the copy of block i - 2 must have ended before block i goes to its slot.
pl::Array OutputSlotTooEarly(const pl::Array& x, bool faulty, MarkedLines& lines) {
  return Run(x, {{Memory(2), pl::DMA({2})}, kRows, pl::any}, [&, faulty](pl::Ref, pl::Ref z, pl::Ref memory, pl::Ref semaphores) {
    const auto copy = [&](const pl::Value& i) { return pl::make_async_copy(memory.at({i % 2}), Rows(z, i * 8), semaphores.at({i % 2})); };
    pl::fori_loop(0, 4, [&](pl::Index i) {
      if (!faulty) pl::when(i >= 2, [&] { copy(i - 2).wait(); });
      LATER(memory.store(Block(1) * i.astype(pl::f32), {i % 2}));
      EARLIER(copy(i).start());
    });
    pl::fori_loop(faulty ? 0 : 2, 4, [&](pl::Index i) { copy(i).wait(); });
  });
}

pl::Array SourceOverwritten(const pl::Array& x, bool faulty, MarkedLines& lines) {
  return Run(x, {{Memory(), pl::DMA()}, kBlock, pl::any}, [&, faulty](pl::Ref, pl::Ref z, pl::Ref memory, pl::Ref semaphore) {
    const pl::AsyncCopy copy = pl::make_async_copy(memory, z, semaphore);
    memory.store(1.0f);
    EARLIER(copy.start());
    if (!faulty) copy.wait();
    LATER(memory.store(2.0f));
    if (faulty) copy.wait();
  });
}

pl::Array StoreMeetsInboundCopy(const pl::Array& x, bool faulty, MarkedLines& lines) {
  return Run(x, {{Memory(), pl::DMA()}}, [&, faulty](pl::Ref x, pl::Ref z, pl::Ref memory, pl::Ref semaphore) {
    const pl::AsyncCopy copy = pl::make_async_copy(Rows(x, 0, 4), Rows(memory, 0, 4), semaphore);
    if (faulty) memory.store(0.0f);
    EARLIER(copy.start());
    LATER(memory.store(1.0f, {pl::ds(faulty ? 3 : 4, 4)}));
    copy.wait();
    z.store(memory.load());
  });
}

pl::Array ChainedCopies(const pl::Array& x, bool faulty, MarkedLines& lines) {
  return Run(x, {{Memory(), pl::DMA({2})}, kBlock, pl::any}, [&, faulty](pl::Ref x, pl::Ref z, pl::Ref memory, pl::Ref semaphores) {
    const pl::AsyncCopy in = pl::make_async_copy(Rows(x, 0), memory, semaphores.at({0}));
    const pl::AsyncCopy out = pl::make_async_copy(memory, z, semaphores.at({1}));
    memory.store(0.0f);
    EARLIER(in.start());
    if (!faulty) in.wait();
    LATER(out.start());
    if (faulty) in.wait();
    out.wait();
  });
}

// Fetches block i + 2 while block i is read: three slots are needed.
pl::Array PrefetchTwoAhead(const pl::Array& x, bool faulty, MarkedLines& lines) {
  const int slots = faulty ? 2 : 3;
  return Run(x, {{Memory(slots), pl::DMA({slots})}, kRows}, [&, slots](pl::Ref x, pl::Ref z, pl::Ref memory, pl::Ref semaphores) {
    const auto copy = [&](const pl::Value& i) { return pl::make_async_copy(Rows(x, i * 8), memory.at({i % slots}), semaphores.at({i % slots})); };
    pl::fori_loop(0, 2, [&](pl::Index i) { copy(i).start(); });
    pl::fori_loop(0, 4, [&](pl::Index i) {
      copy(i).wait();
      pl::when(i < 2, [&] { EARLIER(copy(i + 2).start()); });
      LATER(z.store(memory.load({i % slots}), {pl::ds(i * 8, 8)}));
    });
  });
}

pl::Array TwoWriteBacksToOneBlock(const pl::Array& x, bool faulty, MarkedLines& lines) {
  return Run(x, {{Memory(2), pl::DMA({2})}, kBlock, pl::any}, [&, faulty](pl::Ref, pl::Ref z, pl::Ref memory, pl::Ref semaphores) {
    const auto copy = [&](int slot) { return pl::make_async_copy(memory.at({slot}), z, semaphores.at({slot})); };
    memory.store(1.0f);
    EARLIER(copy(0).start());
    if (!faulty) copy(0).wait();
    LATER(copy(1).start());
    if (faulty) copy(0).wait();
    copy(1).wait();
  });
}

pl::Array OneSemaphoreOneWait(const pl::Array& x, bool faulty, MarkedLines& lines) {
  return Run(x, {{Memory(2), pl::DMA()}}, [&, faulty](pl::Ref x, pl::Ref z, pl::Ref memory, pl::Ref semaphore) {
    const auto copy = [&](int slot) { return pl::make_async_copy(Rows(x, slot * kBlock), memory.at({slot}), semaphore); };
    EARLIER(copy(0).start());
    copy(1).start();
    copy(0).wait();
    if (!faulty) copy(1).wait();
    LATER(z.store(memory.load({0})));
    if (faulty) copy(1).wait();
  });
}

pl::Array NeverAwaited(const pl::Array& x, bool faulty, MarkedLines& lines) {
  return Run(x, {{Memory(), pl::DMA()}}, [&, faulty](pl::Ref x, pl::Ref z, pl::Ref memory, pl::Ref semaphore) {
    const pl::AsyncCopy copy = pl::make_async_copy(Rows(x, 0), memory, semaphore);
    LATER(copy.start());
    if (!faulty) copy.wait();
    z.store(1.0f);
  });
}

pl::Array NeverAwaitedAndRead(const pl::Array& x, bool faulty, MarkedLines& lines) {
  return Run(x, {{Memory(), pl::DMA()}}, [&, faulty](pl::Ref x, pl::Ref z, pl::Ref memory, pl::Ref semaphore) {
    const pl::AsyncCopy copy = pl::make_async_copy(Rows(x, 0), memory, semaphore);
    EARLIER(copy.start());
    if (!faulty) copy.wait();
    LATER(z.store(memory.load()));
  });
}

pl::Array NeverStarted(const pl::Array& x, bool faulty, MarkedLines& lines) {
  return Run(x, {{Memory(), pl::DMA()}}, [&, faulty](pl::Ref x, pl::Ref z, pl::Ref memory, pl::Ref semaphore) {
    const pl::AsyncCopy copy = pl::make_async_copy(Rows(x, 0), memory, semaphore);
    if (!faulty) copy.start();
    LATER(copy.wait());
    z.store(1.0f);
  });
}

pl::Array SemaphoreLeftOver(const pl::Array& x, bool faulty, MarkedLines& lines) {
  return Run(x, {{pl::Semaphore()}}, [&, faulty](pl::Ref, pl::Ref z, pl::Ref semaphore) {
    LATER(pl::semaphore_signal(semaphore, 2));
    pl::semaphore_wait(semaphore, faulty ? 1 : 2);
    z.store(1.0f);
  });
}

pl::Array SignalOneWaitTwo(const pl::Array& x, bool faulty, MarkedLines& lines) {
  return Run(x, {{pl::Semaphore()}}, [&, faulty](pl::Ref, pl::Ref z, pl::Ref semaphore) {
    pl::semaphore_signal(semaphore, 1);
    LATER(pl::semaphore_wait(semaphore, faulty ? 2 : 1));
    z.store(1.0f);
  });
}

pl::Array OneBlockFromTwoCores(const pl::Array& x, bool faulty, MarkedLines& lines) {
  const pl::BlockSpec in({kBlock, kLanes}, [](pl::Index i) { return pl::indices(i, 0); });
  const pl::BlockSpec out({kBlock, kLanes}, [faulty](pl::Index i) { return faulty ? pl::indices(0, 0) : pl::indices(i, 0); });
  const auto kernel = [](pl::Ref x, pl::Ref z) { z.store(x.load()); };
  const pl::PallasOptions options{.grid = {2}, .in_specs = {in}, .out_specs = {out}, .out_shape = pl::ShapeDtype{{faulty ? kBlock : 2 * kBlock, kLanes}, pl::f32}, .dimension_semantics = {pl::parallel}};
  lines.earlier = __LINE__ + 1;
  return LATER(pl::pallas_call(kernel, options)(x));
}

// The same with copies of the cores' own.
pl::Array OneBlockFromTwoCoresByCopies(const pl::Array& x, bool faulty, MarkedLines& lines) {
  const auto kernel = [&, faulty](pl::Ref x, pl::Ref z, pl::Ref semaphore) {
    const pl::Index i = pl::program_id(0);
    const pl::AsyncCopy copy = pl::make_async_copy(Rows(x, i * 8), Rows(z, faulty ? i * 4 : i * 8), semaphore);
    lines.earlier = __LINE__ + 1;
    LATER(copy.start());
    copy.wait();
  };
  return pl::pallas_call(kernel, {.grid = {2}, .in_specs = {pl::BlockSpec(pl::any)}, .out_specs = {pl::BlockSpec(pl::any)},
                                  .out_shape = pl::ShapeDtype{{faulty ? 12 : 16, kLanes}, pl::f32}, .scratch_shapes = {pl::DMA()},
                                  .dimension_semantics = {pl::parallel}})(x);
}

pl::Array BlockRevisited(const pl::Array& x, bool faulty, MarkedLines& lines) {
  const pl::BlockSpec in({kBlock, kLanes}, [](pl::Index i) { return pl::indices(i, 0); });
  const pl::BlockSpec out({kBlock, kLanes}, [faulty, &lines](pl::Index i) { return LATER(faulty ? pl::indices(i % 2, 0) : pl::indices(i / 2, 0)); });
  const auto kernel = [](pl::Ref x, pl::Ref z) { z.store(x.load()); };
  return pl::pallas_call(kernel, {.grid = {4}, .in_specs = {in}, .out_specs = {out}, .out_shape = pl::ShapeDtype{{2 * kBlock, kLanes}, pl::f32}})(x);
}

pl::Array AccumulatorNotInitialised(const pl::Array& x, bool faulty, MarkedLines& lines) {
  const pl::BlockSpec in({kBlock, kLanes}, [](pl::Index i) { return pl::indices(i, 0); });
  const auto kernel = [&, faulty](pl::Ref x, pl::Ref z, pl::Ref sum) {
    if (!faulty) pl::when(pl::program_id(0) == 0, [&] { sum.store(0.0f); });
    EARLIER(sum.store(sum.load() + x.load()));
    LATER(z.store(sum.load()));
  };
  return pl::pallas_call(kernel, {.grid = {4}, .in_specs = {in}, .out_specs = {pl::BlockSpec()}, .out_shape = pl::ShapeDtype{{kBlock, kLanes}, pl::f32},
                                  .scratch_shapes = {Memory()}})(x);
}

pl::Array SlicePastTheEnd(const pl::Array& x, bool faulty, MarkedLines& lines) {
  const auto kernel = [&, faulty](pl::Ref x, pl::Ref z, pl::Ref semaphore) {
    const pl::Index i = pl::program_id(0);
    const pl::Ref part = LATER(Rows(x, i * 8 + (faulty ? 1 : 0)));
    const pl::AsyncCopy copy = pl::make_async_copy(part, z, semaphore);
    copy.start();
    copy.wait();
  };
  return pl::pallas_call(kernel, {.grid = {4}, .in_specs = {pl::BlockSpec(pl::any)},
                                  .out_specs = {pl::BlockSpec({kBlock, kLanes}, [](pl::Index i) { return pl::indices(i, 0); })},
                                  .out_shape = pl::ShapeDtype{{kRows, kLanes}, pl::f32}, .scratch_shapes = {pl::DMA()}})(x);
}

pl::Array FewerBytesAwaited(const pl::Array& x, bool faulty, MarkedLines& lines) {
  return Run(x, {{Memory(), pl::DMA()}}, [&, faulty](pl::Ref x, pl::Ref z, pl::Ref memory, pl::Ref semaphore) {
    const std::int64_t awaited = faulty ? 4 : 8;
    LATER(pl::make_async_copy(Rows(x, 0), memory, semaphore).start());
    pl::make_async_copy(Rows(x, 0, awaited), Rows(memory, 0, awaited), semaphore).wait();
    z.store(1.0f);
  });
}

pl::Array MoreBytesAwaited(const pl::Array& x, bool faulty, MarkedLines& lines) {
  return Run(x, {{Memory(), pl::DMA()}}, [&, faulty](pl::Ref x, pl::Ref z, pl::Ref memory, pl::Ref semaphore) {
    const std::int64_t copied = faulty ? 4 : 8;
    pl::make_async_copy(Rows(x, 0, copied), Rows(memory, 0, copied), semaphore).start();
    LATER(pl::make_async_copy(Rows(x, 0), memory, semaphore).wait());
    z.store(1.0f);
  });
}

// The right programs. `faulty` means nothing to them.

pl::Array DoubleBuffer(const pl::Array& x, bool, MarkedLines&) {
  return Run(x, {{Memory(2), Memory(2), pl::DMA({2}), pl::DMA({2})}, kRows, pl::any}, [](const std::vector<pl::Ref>& refs) {
    const pl::Ref &x = refs[0], &z = refs[1], &in = refs[2], &out = refs[3], &arrived = refs[4], &left = refs[5];
    const auto fetch = [&](const pl::Value& i) { return pl::make_async_copy(Rows(x, i * 8), in.at({i % 2}), arrived.at({i % 2})); };
    const auto write = [&](const pl::Value& i) { return pl::make_async_copy(out.at({i % 2}), Rows(z, i * 8), left.at({i % 2})); };
    pl::fori_loop(0, 1, [&](pl::Index i) { fetch(i).start(); });
    pl::fori_loop(0, 4, [&](pl::Index i) {
      pl::when(i < 3, [&] { fetch(i + 1).start(); });
      fetch(i).wait();
      pl::when(i >= 2, [&] { write(i - 2).wait(); });
      out.store(in.load({i % 2}) + 1.0f, {i % 2});
      write(i).start();
    });
    pl::fori_loop(2, 4, [&](pl::Index i) { write(i).wait(); });
  });
}

pl::Array ConcurrentReads(const pl::Array& x, bool, MarkedLines&) {
  return Run(x, {{Memory(), Memory(), pl::DMA({3})}}, [](pl::Ref x, pl::Ref z, pl::Ref first, pl::Ref second, pl::Ref semaphores) {
    const pl::AsyncCopy a = pl::make_async_copy(Rows(x, 0), first, semaphores.at({0})), b = pl::make_async_copy(Rows(x, 4), second, semaphores.at({1}));
    a.start();
    b.start();
    a.wait();
    const pl::AsyncCopy c = pl::make_async_copy(first, z, semaphores.at({2}));
    c.start();
    const pl::Value read = first.load();
    c.wait();
    b.wait();
    z.store(read + second.load());
  });
}

pl::Array DisjointHalves(const pl::Array& x, bool, MarkedLines&) {
  return Run(x, {{Memory(), pl::DMA({2})}}, [](pl::Ref x, pl::Ref z, pl::Ref memory, pl::Ref semaphores) {
    const auto half = [&](int i) { return pl::make_async_copy(Rows(x, 4 * i, 4), Rows(memory, 4 * i, 4), semaphores.at({i})); };
    half(0).start();
    half(1).start();
    half(0).wait();
    z.store(memory.load({pl::ds(0, 4)}), {pl::ds(0, 4)});
    memory.store(0.0f, {pl::ds(0, 4)});
    half(1).wait();
    z.store(memory.load({pl::ds(4, 4)}), {pl::ds(4, 4)});
  });
}

pl::Array ConsecutiveRevisits(const pl::Array& x, bool, MarkedLines&) {
  const pl::BlockSpec in({kBlock, kLanes}, [](pl::Index i) { return pl::indices(i, 0); }), out({kBlock, kLanes}, [](pl::Index i) { return pl::indices(i / 2, 0); });
  const auto kernel = [](pl::Ref x, pl::Ref z) {
    pl::when(pl::program_id(0) % 2 == 0, [&] { z.store(0.0f); });
    z.store(z.load() + x.load());
  };
  return pl::pallas_call(kernel, {.grid = {4}, .in_specs = {in}, .out_specs = {out}, .out_shape = pl::ShapeDtype{{2 * kBlock, kLanes}, pl::f32}})(x);
}

pl::Array DisjointParallelWrites(const pl::Array& x, bool, MarkedLines&) {
  const pl::BlockSpec tile({kBlock, kLanes}, [](pl::Index i) { return pl::indices(i, 0); });
  const auto kernel = [](pl::Ref x, pl::Ref z) { z.store(x.load() + 1.0f); };
  return pl::pallas_call(kernel, {.grid = {4}, .in_specs = {tile}, .out_specs = {tile}, .out_shape = x.aval(), .dimension_semantics = {pl::parallel}})(x);
}

pl::Array WaitsInAnotherOrder(const pl::Array& x, bool, MarkedLines&) {
  return Run(x, {{Memory(2), pl::DMA({2})}}, [](pl::Ref x, pl::Ref z, pl::Ref memory, pl::Ref semaphores) {
    const auto copy = [&](int slot) { return pl::make_async_copy(Rows(x, slot * kBlock), memory.at({slot}), semaphores.at({slot})); };
    copy(0).start();
    copy(1).start();
    copy(1).wait();
    const pl::Value second = memory.load({1});
    copy(0).wait();
    z.store(memory.load({0}) + second);
  });
}

pl::Array NestedPipeline(const pl::Array& x, bool, MarkedLines&) {
  const auto body = [](pl::Ref x, pl::Ref z) { z.store(x.load() * 2.0f); };
  const auto kernel = [&](pl::Ref x, pl::Ref z) {
    const pl::Index half = pl::program_id(0);
    const pl::BlockSpec tile({kBlock, kLanes}, [](pl::Index i) { return pl::indices(i, 0); });
    pl::emit_pipeline(body, {.grid = {2}, .in_specs = {tile}, .out_specs = {tile}})(Rows(x, half * 16, 16), Rows(z, half * 16, 16));
  };
  return pl::pallas_call(kernel, {.grid = {2}, .in_specs = {pl::BlockSpec(pl::any)}, .out_specs = {pl::BlockSpec(pl::any)}, .out_shape = x.aval(),
                                  .dimension_semantics = {pl::parallel}})(x);
}

constexpr int MarkedLines::* kLater = &MarkedLines::later;
constexpr int MarkedLines::* kEarlier = &MarkedLines::earlier;
const std::string kWhole = "[0:8, 0:128]", kSlot0 = "[0:1, 0:8, 0:128]", kSlot1 = "[1:2, 0:8, 0:128]";

ExpectedFinding Race(const std::string& buffer, ExpectedSide later, ExpectedSide earlier) { return {FindingKind::kRace, buffer, {std::move(later), std::move(earlier)}}; }
ExpectedSide Reads(const std::string& agent, const std::string& region, int MarkedLines::* line) { return {agent, false, region, line}; }
ExpectedSide Writes(const std::string& agent, const std::string& region, int MarkedLines::* line, Shape point = {}) {
  return {agent, true, region, line, std::move(point)};
}

}  // namespace

const std::vector<Pattern>& Patterns() {
  const std::string vmem = "scratch 0";
  static const std::vector<Pattern> patterns = {
      {"01", "read before the copy's wait", ReadBeforeWait, {Race(vmem, Reads("core 0", kWhole, kLater), Writes("DMA 1", kWhole, kEarlier))}, 1,
       "core reads / DMA writes", ""},
      {"02", "wait on slot 0's semaphore, read slot 1", WaitOnTheOtherSlot, {Race(vmem, Reads("core 0", kSlot1, kLater), Writes("DMA 2", kSlot1, kEarlier))}, 1,
       "core reads / DMA writes", ""},
      {"03", "two DMAs started into one buffer", TwoIntoOneBuffer, {Race(vmem, Writes("DMA 2", kWhole, kLater), Writes("DMA 1", kWhole, kEarlier))}, 1,
       "DMA writes / DMA writes", "found in 0 of 40 runs; with a clock of 64 in 40 of 40"},
      {"04", "two DMAs into overlapping rows", OverlappingRows, {Race(vmem, Writes("DMA 2", "[3:7, 0:128]", kLater), Writes("DMA 1", "[0:4, 0:128]", kEarlier))}, 1,
       "DMA writes / DMA writes", ""},
      {"05", "output slot reused before its write-back was awaited", OutputSlotTooEarly,
       {Race(vmem, Writes("core 0", kSlot0, kLater), Reads("DMA 1", kSlot0, kEarlier))}, 1, "core writes / DMA reads",
       "as emit_pipeline with one output slot and one input slot: missed; found with a clock of 256"},
      {"06", "the core overwrites a DMA's source in flight", SourceOverwritten, {Race(vmem, Writes("core 0", kWhole, kLater), Reads("DMA 1", kWhole, kEarlier))}, 1,
       "core writes / DMA reads", ""},
      {"07", "a store meets an inbound DMA", StoreMeetsInboundCopy, {Race(vmem, Writes("core 0", "[3:7, 0:128]", kLater), Writes("DMA 1", "[0:4, 0:128]", kEarlier))}, 1,
       "core writes / DMA writes", ""},
      {"08", "a DMA reads what another DMA still fills", ChainedCopies, {Race(vmem, Reads("DMA 2", kWhole, kLater), Writes("DMA 1", kWhole, kEarlier))}, 1,
       "DMA reads / DMA writes", ""},
      {"09", "prefetch two ahead into two slots", PrefetchTwoAhead, {Race(vmem, Reads("core 0", kSlot0, kLater), Writes("DMA 3", kSlot0, kEarlier))}, 1,
       "core reads / DMA writes", ""},
      {"10", "two write-backs to one block", TwoWriteBacksToOneBlock, {Race("output 0", Writes("DMA 2", kWhole, kLater), Writes("DMA 1", kWhole, kEarlier))}, 1,
       "DMA writes / DMA writes", ""},
      {"11", "one semaphore, two DMAs, one wait, then a read", OneSemaphoreOneWait,
       {Race(vmem, Reads("core 0", kSlot0, kLater), Writes("DMA 1", kSlot0, kEarlier))}, 1, "core reads / DMA writes",
       "the like with two signallers: found in 4 to 7 of 30 runs"},
      {"12", "a DMA never awaited", NeverAwaited, {{FindingKind::kLeak, vmem, {Writes("DMA 1", kWhole, kLater)}}}, 1, "", "not reported"},
      {"12", "a DMA never awaited, and its target read", NeverAwaitedAndRead,
       {Race(vmem, Reads("core 0", kWhole, kLater), Writes("DMA 1", kWhole, kEarlier)), {FindingKind::kLeak, vmem, {Writes("DMA 1", kWhole, kEarlier)}}}, 1,
       "core reads / DMA writes", ""},
      {"13", "a wait on a DMA never started", NeverStarted, {{FindingKind::kDeadlock, "scratch 1", {{"", false, "", kLater}}}}, 1, "", "spins for ever"},
      {"14", "a semaphore left above zero", SemaphoreLeftOver, {{FindingKind::kLeak, vmem, {{"", false, "", kLater}}}}, 1, "", "printed, or silent"},
      {"15", "signal 1, wait 2", SignalOneWaitTwo, {{FindingKind::kDeadlock, vmem, {{"", false, "", kLater}}}}, 1, "", "hangs"},
      {"16", "two cores write one block", OneBlockFromTwoCores,
       {Race("output 0", Writes("core 1", kWhole, kLater, {1}), Writes("core 0", kWhole, kEarlier, {0}))}, 2, "core writes / other core writes", ""},
      {"16", "two cores' DMAs write overlapping rows", OneBlockFromTwoCoresByCopies,
       {Race("output 0", Writes("core 1's DMA 1", "[4:12, 0:128]", kLater, {1}), Writes("core 0's DMA 1", kWhole, kEarlier, {0}))}, 2,
       "DMA writes / other core's DMA writes", ""},
      {"17", "an output block revisited after another one", BlockRevisited, {{FindingKind::kOwnership, "output 0", {Writes("core 0", kWhole, kLater, {2})}}}, 1, "", ""},
      {"18", "an accumulator never initialised", AccumulatorNotInitialised, {{FindingKind::kUninitialized, vmem, {{"", false, "", kLater, {3}}}}}, 1, "",
       "visible only as NaN in the output"},
      {"19", "a DMA's slice runs past the end", SlicePastTheEnd, {{FindingKind::kOutOfBounds, "input 0", {{"", false, "", kLater, {3}}}}}, 1, "",
       "an index of 8 of 8 raises; -1 wraps around"},
      {"28", "fewer bytes awaited than copied", FewerBytesAwaited, {{FindingKind::kLeak, "scratch 1", {{"", false, "", kLater}}}}, 1, "", ""},
      {"28", "more bytes awaited than copied", MoreBytesAwaited, {{FindingKind::kDeadlock, "scratch 1", {{"", false, "", kLater}}}}, 1, "", ""},
  };
  return patterns;
}

const std::vector<Pattern>& CleanPatterns() {
  static const std::vector<Pattern> patterns = {
      {"double_buffer", "two slots in, two out", DoubleBuffer, {}, 1, "", ""},
      {"concurrent_reads", "two DMAs and the core read one buffer", ConcurrentReads, {}, 1, "", ""},
      {"disjoint_halves", "two DMAs fill halves, the core works on one", DisjointHalves, {}, 1, "", ""},
      {"all_waits_first", "one semaphore, all waits before any read", [](const pl::Array& x, bool, MarkedLines& m) { return OneSemaphoreOneWait(x, false, m); }, {}, 1, "", ""},
      {"slot_reuse", "a slot is reused after its wait", [](const pl::Array& x, bool, MarkedLines& m) { return OutputSlotTooEarly(x, false, m); }, {}, 1, "", ""},
      {"consecutive_revisits", "a block accumulates in consecutive programs", ConsecutiveRevisits, {}, 1, "", ""},
      {"disjoint_parallel_writes", "two cores write blocks of their own", DisjointParallelWrites, {}, 2, "", ""},
      {"waits_in_another_order", "waits in another order than the starts", WaitsInAnotherOrder, {}, 1, "", ""},
      {"nested_pipeline", "a pipeline in each of two cores' programs", NestedPipeline, {}, 2, "", ""},
  };
  return patterns;
}

HostArray PatternInput() { return Floats({kRows, kLanes}, [](std::int64_t i) { return static_cast<double>(i % 977) - 400; }); }

Kernel TracePattern(const Pattern& pattern, bool faulty, MarkedLines& lines) {
  const HostArray x = PatternInput();
  return Kernel(Single([&](const std::vector<pl::Array>& a) { return pattern.kernel(a[0], faulty, lines); }), {&x});
}

const std::vector<NamedSchedule>& Schedules() {
  using Kind = sim::Schedule::Kind;
  static const std::vector<NamedSchedule> schedules = {{"early", {Kind::kEarly, 0}}, {"late", {Kind::kLate, 0}}, {"random 1", {Kind::kRandom, 1}},
                                                       {"random 2", {Kind::kRandom, 2}}, {"random 3", {Kind::kRandom, 3}},
                                                       {"random 4", {Kind::kRandom, 4}}, {"random 5", {Kind::kRandom, 5}}};
  return schedules;
}

}  // namespace kernel_audit::testing
