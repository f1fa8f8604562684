// Timelines of whole kernels: the three kinds of pipeline against tests/data/timeline, and what each span says.
#include "kernel_audit/check/pipeline_timeline.h"
#include "kernel_audit/core/file.h"
#include "timeline/pipelines.h"

namespace kernel_audit::testing {
namespace {

using report::SpanKind;
using report::Timeline;
using report::TimelineSpan;

// Against the file; what came instead is kept beside the test program.
void ExpectGolden(const std::string& name, const std::string& text) {
  const auto golden = core::ReadFile(std::filesystem::path(KA_SOURCE_DIR) / "tests/data/timeline" / name, 1 << 20);
  const std::filesystem::path kept = std::filesystem::path(KA_BINARY_DIR) / name;
  if (golden && *golden == text) return;
  ASSERT_TRUE(core::WriteFile(kept, text));
  ADD_FAILURE() << name << " is another text than " << kept << ":\n" << text;
}

std::vector<Timeline> ThreeKinds() {
  return {AxpyTimeline("synchronous copies", {.synchronous = true}), AxpyTimeline("two input slots", {}), AxpyTimeline("three input slots", {.buffers = 3})};
}

TEST(PipelineTimeline, TheThreeKinds) {
  const std::vector<Timeline> kinds = ThreeKinds();
  ExpectGolden("synchronous.txt", report::TimelineText(std::span(kinds).subspan(0, 1)));
  ExpectGolden("two_slots.txt", report::TimelineText(std::span(kinds).subspan(1, 1)));
  ExpectGolden("three_slots.txt", report::TimelineText(std::span(kinds).subspan(2, 1)));
}

TEST(PipelineTimeline, InOnePicture) {
  const std::vector<Timeline> kinds = ThreeKinds();
  ExpectGolden("compared.txt", report::TimelineText(kinds));
  ExpectGolden("compared_70_columns.txt", report::TimelineText(kinds, 70));
  ExpectGolden("compared.svg", report::TimelineSvg(kinds));
  ExpectGolden("compared.json", report::TimelineTrace(kinds));
}

TEST(PipelineTimeline, ALongOne) {
  const Timeline timeline = AxpyTimeline("two input slots", {.shape = {64, 640}});
  ExpectGolden("forty_blocks.txt", report::TimelineText(std::span(&timeline, 1), 100));
  ExpectGolden("forty_blocks_80_columns.txt", report::TimelineText(std::span(&timeline, 1), 80));
}

TEST(PipelineTimeline, OnlySynchronousCopiesLeaveTheWorkAlone) {
  const std::vector<Timeline> kinds = ThreeKinds();
  EXPECT_EQ(report::OverlappedWork(kinds[0]), 0);
  EXPECT_EQ(report::OverlappedWork(kinds[1]), 9);
  EXPECT_EQ(report::OverlappedWork(kinds[2]), 9);
  for (const Timeline& timeline : kinds) EXPECT_EQ(timeline.work.size(), 9u);
}

// No slot is worked on while a copy that concerns it is on its way, whenever the data moves.
TEST(PipelineTimeline, DoesNotDependOnTheSchedule) {
  const HostArray x = Floats({17, 257}, [](std::int64_t i) { return static_cast<double>(i % 7); });
  const Kernel kernel(Single([](const std::vector<pl::Array>& a) { return PipelinedAxpy(a[0], a[1], {.buffers = 3}); }), {&x, &x});
  std::string first;
  for (const auto kind : {sim::Schedule::Kind::kEarly, sim::Schedule::Kind::kLate, sim::Schedule::Kind::kRandom}) {
    sim::EventLog log;
    kernel.Run({&x, &x}, {.schedule = {kind, 5}, .events = &log});
    const Timeline timeline = check::TimelineOf(log, "t");
    const std::string trace = report::TimelineTrace(std::span(&timeline, 1));
    EXPECT_EQ(trace.find("at the same time"), std::string::npos);
    if (first.empty()) first = trace;
    EXPECT_EQ(trace, first);
  }
}

// One slot, written by hand, from (16, 128) arrays.
pl::Array ByHand(const std::vector<pl::Array>& a, const std::function<void(pl::Ref x, pl::Ref z, pl::Ref block, pl::Ref semaphore)>& body) {
  const auto kernel = [&](pl::Ref x, pl::Ref, pl::Ref z) {
    pl::run_scoped([&](pl::Ref block, pl::Ref semaphore) { body(x, z, block, semaphore); }, {pl::VMEM({16, 128}, pl::f32), pl::DMA()});
  };
  const pl::BlockSpec whole(pl::any);
  return pl::pallas_call(kernel, {.in_specs = {whole, whole}, .out_specs = {whole}, .out_shape = a[0].aval()})(a[0], a[1]);
}

std::string Describe(const Timeline& t, const TimelineSpan& span) {
  return t.lanes[span.lane].name + " " + std::to_string(span.slot) + ": " + report::Name(span.kind) + " " + std::to_string(span.first) + "-" + std::to_string(span.last) +
         (span.awaited ? "" : " never awaited");
}

std::vector<std::string> Spans(const Timeline& t) {
  std::vector<std::string> spans;
  for (const TimelineSpan& span : t.spans) spans.push_back(Describe(t, span));
  return spans;
}

TEST(PipelineTimeline, NamesBlocksAndLines) {
  const Timeline t = RunTimeline("t", {16, 128}, [](const std::vector<pl::Array>& a) {
    return ByHand(a, [](pl::Ref x, pl::Ref z, pl::Ref block, pl::Ref semaphore) {
      const pl::AsyncCopy in = pl::make_async_copy(x, block, semaphore);
      in.start();
      in.wait();
      block.store(block.load() * 2.0f);
      pl::sync_copy(block, z);
    });
  });
  EXPECT_THAT(Spans(t), ::testing::ElementsAre("input 0 0: copy in 0-1", "input 0 0: work 2-2", "input 0 0: copy out 3-4"));
  EXPECT_EQ(t.spans[0].block, "input 0 [0:16, 0:128]");
  EXPECT_EQ(t.spans[1].block, "input 0 [0:16, 0:128]");
  EXPECT_EQ(t.spans[2].block, "output 0 [0:16, 0:128]");
  EXPECT_THAT(t.spans[0].place, ::testing::EndsWith("timeline_test.cc:" + std::to_string(__LINE__ - 10)));
  EXPECT_EQ(t.lanes[0].slots, 1);
}

TEST(PipelineTimeline, ShowsARaceAndACopyThatNobodyAwaits) {
  const Timeline t = RunTimeline("t", {16, 128}, [](const std::vector<pl::Array>& a) {
    return ByHand(a, [](pl::Ref x, pl::Ref z, pl::Ref block, pl::Ref semaphore) {
      pl::make_async_copy(x, block, semaphore).start();
      block.store(block.load() * 2.0f);
      pl::sync_copy(block, z);
    });
  });
  EXPECT_THAT(Spans(t), ::testing::ElementsAre("input 0 0: copy in 0-3 never awaited", "input 0 0: work 1-1", "input 0 0: copy out 2-3"));
  const std::string text = report::TimelineText(std::span(&t, 1));
  EXPECT_THAT(text, ::testing::HasSubstr("slot 0 <!!!\n"));
  EXPECT_THAT(report::TimelineTrace(std::span(&t, 1)), ::testing::HasSubstr("at the same time"));
}

TEST(PipelineTimeline, CopiesBetweenArraysHaveTheTargetsLane) {
  const Timeline t = RunTimeline("t", {16, 128}, [](const std::vector<pl::Array>& a) {
    return ByHand(a, [](pl::Ref x, pl::Ref z, pl::Ref, pl::Ref) { pl::sync_copy(x, z); });
  });
  EXPECT_THAT(Spans(t), ::testing::ElementsAre("output 0 0: copy out 0-1"));
  EXPECT_EQ(t.spans[0].block, "input 0 [0:16, 0:128] to output 0 [0:16, 0:128]");
}

TEST(PipelineTimeline, WindowsAreNoLanesAndTheirCopiesNoWork) {
  const Timeline t = RunTimeline("t", {16, 128}, [](const std::vector<pl::Array>& a) {
    const pl::BlockSpec tile(pl::Block{8, 128}, [](pl::Index i) { return pl::indices(i, 0); });
    return pl::Array(pl::pallas_call([](pl::Ref x, pl::Ref, pl::Ref z) { z.store(x.load()); },
                                     {.grid = {2}, .in_specs = {tile, tile}, .out_specs = {tile}, .out_shape = a[0].aval()})(a[0], a[1]));
  });
  EXPECT_EQ(t.lanes.size(), 0u);
  EXPECT_EQ(t.steps, 2);
}

TEST(PipelineTimeline, AKernelWithoutCopiesHasNoLanes) {
  const Timeline t = RunTimeline("t", {16, 128}, [](const std::vector<pl::Array>& a) {
    return pl::Array(pl::pallas_call([](pl::Ref x, pl::Ref, pl::Ref z) { z.store(x.load()); }, {.out_shape = a[0].aval()})(a[0], a[1]));
  });
  EXPECT_EQ(t.lanes.size(), 0u);
  EXPECT_EQ(t.steps, 1);
  EXPECT_EQ(t.work.size(), 1u);
}

}  // namespace
}  // namespace kernel_audit::testing
