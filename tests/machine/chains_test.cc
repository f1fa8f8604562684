// Instructions that run together, some rows at a time: what a reader of the kernel must not notice.
#include <cmath>

#include "simulate.h"

namespace kernel_audit::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kColumns = 256;

HostArray Counting(std::int64_t rows) {
  return MakeArray(DType::kFloat32, {rows, kColumns}, [](std::int64_t i) { return static_cast<double>(i % 97); });
}

std::vector<double> Expected(std::int64_t rows, const std::function<double(std::int64_t r, std::int64_t c)>& value) {
  std::vector<double> values;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < kColumns; ++c) values.push_back(value(r, c));
  }
  return values;
}

double At(std::int64_t r, std::int64_t c) { return static_cast<double>((r * kColumns + c) % 97); }

// With observers and without: the same elements.
KernelRun RunBoth(const std::function<pl::Array(const std::vector<pl::Array>&)>& function, const std::vector<const HostArray*>& inputs) {
  sim::RunOptions quietly;
  quietly.observe = false;
  KernelRun run = RunKernel(function, inputs);
  EXPECT_EQ(Bits(RunKernel(function, inputs, quietly).outputs[0]), Bits(run.outputs[0]));
  return run;
}

// Row by row, each row's load would see the row that the store before it wrote.
TEST(Chains, AStoreIntoTheRowsThatAreLoadedNext) {
  const HostArray x = Counting(64);
  const KernelRun run = RunBoth([](const auto& a) {
    const auto kernel = [](pl::Ref x, pl::Ref z, pl::Ref s) {
      s.store(x.load());
      s.store(s.load({pl::ds(0, 48), pl::all}) * 2.0f + 1.0f, {pl::ds(1, 48), pl::all});
      z.store(s.load());
    };
    return pl::pallas_call(kernel, {.out_shape = a[0].aval(), .scratch_shapes = {pl::VMEM({64, kColumns}, pl::f32)}})(a[0]);
  }, {&x});
  EXPECT_EQ(Values(run.outputs[0]), Expected(64, [](auto r, auto c) { return r >= 1 && r <= 48 ? 2 * At(r - 1, c) + 1 : At(r, c); }));
  EXPECT_THAT(Findings(run.report), IsEmpty());
}

TEST(Chains, WhatWasLoadedStaysWhenItsPlaceIsWritten) {
  const HostArray x = Counting(16);
  const KernelRun run = RunBoth([](const auto& a) {
    const auto kernel = [](pl::Ref x, pl::Ref z, pl::Ref s) {
      s.store(x.load());
      const pl::Value before = s.load();
      s.store(before * 3.0f);
      s.store(s.load() + 1.0f);
      z.store(before + s.load());
    };
    return pl::pallas_call(kernel, {.out_shape = a[0].aval(), .scratch_shapes = {pl::VMEM({16, kColumns}, pl::f32)}})(a[0]);
  }, {&x});
  EXPECT_EQ(Values(run.outputs[0]), Expected(16, [](auto r, auto c) { return 4 * At(r, c) + 1; }));
}

TEST(Chains, RowsAreReducedAndRepeated) {
  const HostArray x = Counting(16), scale = MakeArray(DType::kFloat32, {1, kColumns}, [](std::int64_t i) { return static_cast<double>(i % 3); });
  const KernelRun run = RunBoth([](const auto& a) {
    const auto kernel = [](pl::Ref x, pl::Ref scale, pl::Ref z) {
      const pl::Value v = x.load();
      z.store((v - pl::max(v, -1, true)) * scale.load() + pl::sum(v, -1, true));
    };
    return pl::pallas_call(kernel, {.out_shape = a[0].aval()})(a[0], a[1]);
  }, {&x, &scale});
  EXPECT_EQ(Values(run.outputs[0]), Expected(16, [](auto r, auto c) {
    double largest = 0, sum = 0;
    for (std::int64_t i = 0; i < kColumns; ++i) {
      largest = std::max(largest, At(r, i));
      sum += At(r, i);
    }
    return (At(r, c) - largest) * static_cast<double>(c % 3) + sum;
  }));
}

// The output's block stays from step to step, in the array itself.
TEST(Chains, AnOutputIsAddedToWhereItLies) {
  const HostArray x = Counting(32);
  const KernelRun run = RunBoth([](const auto& a) {
    const pl::BlockSpec in({8, kColumns}, [](pl::Index i, pl::Index k) { return pl::indices(2 * i + k, 0); });
    const pl::BlockSpec out({8, kColumns}, [](pl::Index i, pl::Index) { return pl::indices(i, 0); });
    const auto kernel = [](pl::Ref x, pl::Ref z) {
      pl::when(pl::program_id(1) == 0, [&] { z.store(x.load() * 0.0f); });
      z.store(z.load() + x.load() * 2.0f);
    };
    return pl::pallas_call(kernel, {.grid = {2, 2}, .in_specs = {in}, .out_specs = {out}, .out_shape = pl::ShapeDtype{{16, kColumns}, pl::f32}})(a[0]);
  }, {&x});
  EXPECT_EQ(Values(run.outputs[0]), Expected(16, [](auto r, auto c) {
    const std::int64_t first = r / 8 * 16 + r % 8;
    return 2 * (At(first, c) + At(first + 8, c));
  }));
  EXPECT_THAT(Findings(run.report), IsEmpty());
}

TEST(Chains, AnOutputThatIsReadFirstIsUndefined) {
  const HostArray x = Counting(16);
  const KernelRun run = RunBoth([](const auto& a) {
    const auto kernel = [](pl::Ref x, pl::Ref z) { z.store(z.load() + x.load() * 2.0f); };
    return pl::pallas_call(kernel, {.out_shape = a[0].aval()})(a[0]);
  }, {&x});
  for (double value : Values(run.outputs[0])) ASSERT_TRUE(std::isnan(value));
}

// One element of scratch that nobody wrote: found with its index, as one instruction after another would find it.
TEST(Chains, OneElementWithoutAValueIsFound) {
  const HostArray x = Counting(16);
  const KernelRun run = RunKernel([](const auto& a) {
    const pl::BlockSpec spec({16, kColumns}, [](pl::Index) { return pl::indices(0, 0); });
    const auto kernel = [](pl::Ref x, pl::Ref z, pl::Ref s) {
      s.store(x.load({pl::ds(0, 15), pl::all}), {pl::ds(0, 15), pl::all});
      z.store(s.load() * 2.0f + x.load());
    };
    return pl::pallas_call(kernel, {.grid = {1}, .in_specs = {spec}, .out_specs = {spec}, .out_shape = a[0].aval(),
                                    .scratch_shapes = {pl::VMEM({16, kColumns}, pl::f32)}})(a[0]);
  }, {&x});
  ASSERT_EQ(run.report.findings.size(), 1u);
  EXPECT_THAT(run.report.findings[0].message, HasSubstr("256 of the 4096 elements that vector.load reads from scratch 0 were never written, the first is (15, 0)"));
}

}  // namespace
}  // namespace kernel_audit::testing
