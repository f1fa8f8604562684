// Windows: when blocks are fetched and written back, what lies past an array's edge, and index maps that leave it.
#include <cmath>
#include <cstring>

#include "simulate.h"

namespace kernel_audit::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

HostArray Counting(const Shape& shape, DType dtype = DType::kFloat32) {
  return MakeArray(dtype, shape, [](std::int64_t i) { return static_cast<double>(i); });
}

template <typename F>
pl::BlockSpec Map(const pl::Block& block, F map) {
  return pl::BlockSpec(block, map);
}

void Copy(pl::Ref x, pl::Ref z) { z.store(x.load()); }

TEST(Windows, AnInputIsFetchedOnlyWhenItsIndexChanges) {
  const HostArray x = Counting({32, 256}), b = Counting({256});
  const KernelRun run = RunKernel([](const auto& a) {
    const auto kernel = [](pl::Ref x, pl::Ref b, pl::Ref z) { z.store(x.load() + b.load()); };
    return pl::pallas_call(kernel, {.grid = {4, 2}, .in_specs = {Map({8, 128}, [](pl::Index i, pl::Index j) { return pl::indices(i, j); }),
                                                                 Map({128}, [](pl::Index, pl::Index j) { return pl::indices(j); })},
                                    .out_specs = {Map({8, 128}, [](pl::Index i, pl::Index j) { return pl::indices(i, j); })},
                                    .out_shape = a[0].aval()})(a[0], a[1]);
  }, {&x, &b});
  EXPECT_THAT(Findings(run.report), IsEmpty());
  EXPECT_EQ(run.report.traffic[0].operand, "input 0");
  EXPECT_EQ(run.report.traffic[0].fetches, 8);
  EXPECT_EQ(run.report.traffic[0].fetched_bytes, 32 * 256 * 4);
  EXPECT_EQ(run.report.traffic[1].fetches, 8);  // j alternates
  EXPECT_EQ(run.report.traffic[2].write_backs, 8);
  EXPECT_EQ(run.report.traffic[2].fetches, 0);
}

TEST(Windows, TheInnermostGridDimensionDecidesWhatIsKept) {
  const HostArray x = Counting({32, 256});
  const auto run = [&](bool columns_outside) {
    return RunKernel([&](const auto& a) {
      const auto map = [=](pl::Index i, pl::Index j) { return columns_outside ? pl::indices(0, i) : pl::indices(0, j); };
      return pl::pallas_call(Copy, {.grid = {2, 2}, .in_specs = {Map({32, 128}, map)}, .out_specs = {Map({32, 128}, map)}, .out_shape = a[0].aval()})(a[0]);
    }, {&x}).report.traffic[0].fetches;
  };
  EXPECT_EQ(run(true), 2);
  EXPECT_EQ(run(false), 4);
}

TEST(Windows, AnOutputIsWrittenBackWhenItIsLeftAndAtTheEnd) {
  const HostArray x = Counting({16, 128});
  const KernelRun run = RunKernel([](const auto& a) {
    const auto kernel = [](pl::Ref x, pl::Ref z) {
      pl::when(pl::program_id(1) == 0, [&] { z.store(0.0f); });
      z.store(z.load() + x.load());
    };
    return pl::pallas_call(kernel, {.grid = {2, 3}, .in_specs = {Map({8, 128}, [](pl::Index i, pl::Index) { return pl::indices(i, 0); })},
                                    .out_specs = {Map({8, 128}, [](pl::Index i, pl::Index) { return pl::indices(i, 0); })}, .out_shape = a[0].aval()})(a[0]);
  }, {&x});
  EXPECT_THAT(Findings(run.report), IsEmpty());
  EXPECT_EQ(run.report.traffic[0].fetches, 2);
  EXPECT_EQ(run.report.traffic[1].write_backs, 2);
  EXPECT_EQ(Values(run.outputs[0]), Values(MakeArray(DType::kFloat32, {16, 128}, [](std::int64_t i) { return 3.0 * static_cast<double>(i); })));
  EXPECT_THAT(run.report.ownership[0].owner, ElementsAre(2, 5));
  EXPECT_EQ(run.report.ownership[0].OwnerOf({9, 5}), 5);
}

TEST(Windows, WithoutObserversNothingIsCountedAsWrongAndTheValuesAreTheSame) {
  const HostArray x = Counting({20, 200});
  const Kernel kernel(Single([](const auto& a) {
    const auto map = [](pl::Index i, pl::Index j) { return pl::indices(i, j); };
    return pl::pallas_call(Copy, {.grid = {2, 2}, .in_specs = {Map({8, 128}, map)}, .out_specs = {Map({8, 128}, map)}, .out_shape = a[0].aval()})(a[0]);
  }), {&x});
  const KernelRun watched = kernel.Run({&x}), blind = kernel.Run({&x}, {.observe = false});
  EXPECT_EQ(Findings(watched.report).size(), 1u);  // rows 16 to 19 are nobody's
  EXPECT_THAT(Findings(blind.report), IsEmpty());
  EXPECT_EQ(Bits(watched.outputs[0]), Bits(blind.outputs[0]));
}

TEST(Windows, BoundsAreCheckedWithoutObserversToo) {
  const HostArray x = Counting({8, 128});
  const KernelRun run = RunKernel([](const auto& a) {
    const auto map = [](pl::Index i) { return pl::indices(i, 0); };
    return pl::pallas_call(Copy, {.grid = {2}, .in_specs = {Map({8, 128}, map)}, .out_specs = {Map({8, 128}, map)}, .out_shape = a[0].aval()})(a[0]);
  }, {&x}, {.observe = false});
  ASSERT_EQ(run.report.findings.size(), 2u);
  EXPECT_EQ(run.report.findings[0].kind, sim::FindingKind::kOutOfBounds);
  EXPECT_EQ(Values(run.outputs[0]), Values(x));
}

// What a kernel sees past the edge of an array of 5 x 100 elements.
std::vector<double> PastTheEdge(DType dtype) {
  const HostArray x = Counting({5, 20}, dtype);
  const KernelRun run = RunKernel([&](const auto& a) {
    const auto map = [](pl::Index) { return pl::indices(0, 0); };
    return pl::pallas_call(Copy, {.grid = {1}, .in_specs = {Map({8, 32}, map)}, .out_specs = {Map({8, 32}, map)}, .out_shape = pl::ShapeDtype{{8, 32}, dtype}})(a[0]);
  }, {&x});
  EXPECT_THAT(Findings(run.report),
              ElementsAre("uninitialized of the window of input 0 at (0,): 156 of the 256 elements that vector.load reads from the window of input 0 lie "
                          "past the array's edge, the first is (0, 20), and what was read becomes part of output 0"));
  std::vector<double> past;
  const std::vector<double> values = Values(run.outputs[0]);
  for (std::size_t e = 0; e < values.size(); ++e) {
    const bool inside = e / 32 < 5 && e % 32 < 20;
    if (inside) {
      EXPECT_EQ(values[e], static_cast<double>(e / 32 * 20 + e % 32));
    } else {
      past.push_back(values[e]);
    }
  }
  return past;
}

TEST(Windows, PastTheEdgeOfAnArrayIsNanOrTheLargestInteger) {
  for (double v : PastTheEdge(DType::kFloat32)) EXPECT_TRUE(std::isnan(v));
  for (double v : PastTheEdge(DType::kBFloat16)) EXPECT_TRUE(std::isnan(v));
  EXPECT_THAT(PastTheEdge(DType::kInt32), ::testing::Each(INT32_MAX));
  EXPECT_THAT(PastTheEdge(DType::kInt8), ::testing::Each(INT8_MAX));
}

TEST(Windows, ATailIsUndefinedAgainInEveryPartialBlock) {
  // Whole block, partial block: what the whole one left in the window must not show.
  const HostArray x = MakeArray(DType::kFloat32, {12, 128}, [](std::int64_t) { return 1; });
  const KernelRun run = RunKernel([](const auto& a) {
    const auto map = [](pl::Index i) { return pl::indices(i, 0); };
    return pl::pallas_call(Copy, {.grid = {2}, .in_specs = {Map({8, 128}, map)}, .out_specs = {Map({8, 128}, map)}, .out_shape = pl::ShapeDtype{{16, 128}, pl::f32}})(a[0]);
  }, {&x});
  const std::vector<double> z = Values(run.outputs[0]);
  EXPECT_EQ(z[12 * 128 - 1], 1);
  EXPECT_TRUE(std::isnan(z[12 * 128]));
  EXPECT_EQ(run.report.findings.size(), 1u);
  EXPECT_EQ(run.report.findings[0].grid_point, (Shape{1}));
}

TEST(Windows, WhatAKernelWritesPastTheEdgeIsDropped) {
  const HostArray x = Counting({5, 100});
  const KernelRun run = RunKernel([](const auto& a) {
    const auto map = [](pl::Index i, pl::Index j) { return pl::indices(i, j); };
    return pl::pallas_call([](pl::Ref, pl::Ref z) { z.store((pl::program_id(0) + 10 * pl::program_id(1)).astype(pl::f32)); },
                           {.grid = {2, 2}, .in_specs = {pl::BlockSpec()}, .out_specs = {Map({4, 64}, map)}, .out_shape = a[0].aval()})(a[0]);
  }, {&x});
  EXPECT_THAT(Findings(run.report), IsEmpty());
  EXPECT_EQ(Values(run.outputs[0]), Values(MakeArray(DType::kFloat32, {5, 100}, [](std::int64_t e) { return (e / 100 / 4) + 10.0 * (e % 100 / 64); })));
  EXPECT_EQ(run.report.traffic[1].written_bytes, 5 * 100 * 4);
}

TEST(Windows, SqueezedDimensionsChooseOneIndex) {
  const HostArray x = Counting({3, 8, 2, 128});
  const KernelRun run = RunKernel([](const auto& a) {
    const pl::BlockSpec in({pl::squeezed, 8, pl::squeezed, 128}, [](pl::Index i, pl::Index j) { return pl::indices(2 - i, 0, j, 0); });
    const pl::BlockSpec out({8, 128}, [](pl::Index i, pl::Index j) { return pl::indices(i, j); });
    return pl::pallas_call(Copy, {.grid = {3, 2}, .in_specs = {in}, .out_specs = {out}, .out_shape = pl::ShapeDtype{{24, 256}, pl::f32}})(a[0]);
  }, {&x});
  EXPECT_THAT(Findings(run.report), IsEmpty());
  const std::vector<double> z = Values(run.outputs[0]);
  for (std::size_t e = 0; e < z.size(); ++e) {
    const std::size_t r = e / 256, c = e % 256;
    ASSERT_EQ(z[e], static_cast<double>((((2 - r / 8) * 8 + r % 8) * 2 + c / 128) * 128 + c % 128)) << e;
  }
}

struct Direction {
  int row, column;
  const char* message;
};

TEST(Windows, AnIndexMapThatLeavesTheArrayInAnyDirectionIsReported) {
  const HostArray x = Counting({16, 256});
  const std::vector<Direction> directions = {
      {-1, 0, "(-1, 0), elements [-8, 0) of dimension 0, whose extent is 16"},
      {0, -1, "(0, -1), elements [-128, 0) of dimension 1, whose extent is 256"},
      {2, 0, "(2, 0), elements [16, 24) of dimension 0, whose extent is 16"},
      {0, 2, "(0, 2), elements [256, 384) of dimension 1, whose extent is 256"},
      {-100, 7, "(-100, 7), elements [-800, -792) of dimension 0, whose extent is 16"},
      {INT32_MIN, 0, "(-2147483648, 0), elements [-17179869184, -17179869176) of dimension 0, whose extent is 16"},
      {INT32_MAX, 0, "(2147483647, 0), elements [17179869176, 17179869184) of dimension 0, whose extent is 16"},
  };
  for (const Direction& to : directions) {
    for (bool output : {false, true}) {
      const KernelRun run = RunKernel([&](const auto& a) {
        const pl::BlockSpec wrong({8, 128}, [&](pl::Index i) { return pl::indices(pl::where(i == 1, to.row, i * 0), pl::where(i == 1, to.column, i * 0)); });
        const pl::BlockSpec right({8, 128}, [](pl::Index) { return pl::indices(0, 0); });
        return pl::pallas_call(Copy, {.grid = {3}, .in_specs = {output ? right : wrong}, .out_specs = {output ? wrong : right},
                                      .out_shape = pl::ShapeDtype{output ? Shape{16, 256} : Shape{8, 128}, pl::f32}})(a[0]);
      }, {&x});
      const std::string operand = output ? "output 0" : "input 0";
      ASSERT_GE(run.report.findings.size(), 1u);
      EXPECT_EQ(Describe(run.report.findings[0]), "out_of_bounds of " + operand + " at (1,): the index map of " + operand + " gives block " + to.message);
      EXPECT_EQ(run.report.findings.size(), output ? 3u : 1u);  // an output comes back to block 0 and leaves others unwritten
      EXPECT_EQ(run.report.traffic[0].fetches, output ? 1 : 2);
    }
  }
}

TEST(Windows, AReportNamesTheGridPointThatWentTooFar) {
  const HostArray x = Counting({16, 128});
  const KernelRun run = RunKernel([](const auto& a) {
    const auto kernel = [](pl::Ref x, pl::Ref z, pl::Ref rows) {
      rows.store(x.load());
      z.store(rows.load({pl::ds(pl::program_id(0) * 5, 8), pl::all}));
    };
    return pl::pallas_call(kernel, {.grid = {3}, .in_specs = {pl::BlockSpec()}, .out_specs = {Map({8, 128}, [](pl::Index i) { return pl::indices(i, 0); })},
                                    .out_shape = pl::ShapeDtype{{24, 128}, pl::f32}, .scratch_shapes = {pl::VMEM({16, 128}, pl::f32)}})(a[0]);
  }, {&x});
  EXPECT_THAT(Findings(run.report), ElementsAre("out_of_bounds of scratch 0 at (2,): vector.load touches elements [10, 18) of dimension 0 of scratch 0, whose extent is 16"));
}

TEST(Windows, FindingsKnowTheLineOfTheIndexMap) {
  const HostArray x = Counting({8, 128});
  const int line = __LINE__ + 3;
  const KernelRun run = RunKernel([](const auto& a) {
    const pl::BlockSpec wrong({8, 128}, [](pl::Index i) {
      return pl::indices(i + 1, 0);
    });
    return pl::pallas_call(Copy, {.grid = {1}, .in_specs = {wrong}, .out_specs = {pl::BlockSpec()}, .out_shape = a[0].aval()})(a[0]);
  }, {&x});
  ASSERT_EQ(run.report.findings.size(), 1u);
  EXPECT_EQ(run.report.findings[0].location.line, line);
  EXPECT_THAT(run.report.findings[0].location.file, ::testing::EndsWith("windows_test.cc"));
}

}  // namespace
}  // namespace kernel_audit::testing
