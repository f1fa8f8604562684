// Cases from the field, group C: output blocks that are revisited, not initialised or aliased.
#include <cmath>

#include "field_cases/field_cases.h"
#include "field_cases/prefetch_module.h"

namespace kernel_audit::testing {
namespace {

TEST_F(FieldCase, C11ReductionOnTheOutermostGridAxis) {
  const HostArray x = Floats({3, 16, 256}, [](std::int64_t k) { return 5 * k % 17 - 8; });
  const auto run = [&](bool reduction_last) {
    const int axis = reduction_last ? 2 : 0;
    const pl::BlockSpec in({pl::squeezed, 8, 128}, [=](pl::Index a, pl::Index b, pl::Index c) { return reduction_last ? pl::indices(c, a, b) : pl::indices(a, b, c); });
    const pl::BlockSpec out({8, 128}, [=](pl::Index a, pl::Index b, pl::Index c) { return reduction_last ? pl::indices(a, b) : pl::indices(b, c); });
    const auto kernel = [axis](pl::Ref x, pl::Ref z) {
      pl::when(pl::program_id(axis) == 0, [&] { z.store(0.0f); });
      z.store(z.load() + x.load());
    };
    return Simulate(Single([&](const auto& a) {
      return pl::pallas_call(kernel, {.grid = reduction_last ? pl::Grid{2, 2, 3} : pl::Grid{3, 2, 2}, .in_specs = {in}, .out_specs = {out},
                                      .out_shape = pl::ShapeDtype{{16, 256}, pl::f32}})(a[0]);
    }), {&x});
  };
  EXPECT_THAT(Findings(run(false)), ElementsAre(
      "ownership of output 0 at (1, 0, 0), 8 times: block (0, 0) of output 0 is visited again after other blocks were; program (0, 0, 0) wrote it "
      "last, and what it left there is lost (put the reduction on the last grid dimension)",
      "uninitialized of the window of output 0 at (1, 0, 0), 8 times: 1024 of the 1024 elements that vector.load reads from the window of output 0 "
      "were never written, the first is (0, 0), and what was read becomes part of output 0"));
  const Outcome right = run(true);
  EXPECT_THAT(Findings(right), IsEmpty());
  EXPECT_EQ(Crc(right.outputs[0]), 0x75fac385u);
  EXPECT_EQ(Values(right.outputs[0])[0], -5);
}

TEST_F(FieldCase, C11RevisitThroughDivision) {
  const HostArray x = Floats({8, 128}, [](std::int64_t) { return 1; });
  const Outcome outcome = Simulate(Single([](const auto& a) {
    const pl::BlockSpec out({8, 128}, [](pl::Index i, pl::Index j) { return pl::indices(j / 2, i % 2); });
    return pl::pallas_call(Copy, {.grid = {4, 4}, .in_specs = {pl::BlockSpec()}, .out_specs = {out}, .out_shape = pl::ShapeDtype{{16, 256}, pl::f32}})(a[0]);
  }), {&x});
  EXPECT_THAT(Findings(outcome), ElementsAre(
      "ownership of output 0 at (2, 0), 4 times: block (0, 0) of output 0 is visited again after other blocks were; program (0, 1) wrote it last, "
      "and what it left there is lost (put the reduction on the last grid dimension)"));
}

TEST_F(FieldCase, C13AccumulatingIntoAnOutputThatNobodyInitialised) {
  for (DType dtype : {DType::kFloat32, DType::kInt32}) {
    const HostArray x = MakeArray(dtype, {24, 128}, [](std::int64_t i) { return i; });
    const Outcome outcome = Simulate(Single([dtype](const auto& a) {
      const auto kernel = [](pl::Ref x, pl::Ref z) { z.store(z.load() + x.load()); };
      return pl::pallas_call(kernel, {.grid = {3}, .in_specs = {pl::BlockSpec({8, 128}, [](pl::Index i) { return pl::indices(i, 0); })},
                                      .out_specs = {pl::BlockSpec({8, 128}, [](pl::Index) { return pl::indices(0, 0); })},
                                      .out_shape = pl::ShapeDtype{{8, 128}, dtype}})(a[0]);
    }), {&x});
    EXPECT_THAT(Findings(outcome), ElementsAre(
        "uninitialized of the window of output 0 at (2,): 1024 of the 1024 elements that vector.load reads from the window of output 0 were never "
        "written, the first is (0, 0), and what was read becomes part of output 0"));
  }
}

TEST_F(FieldCase, C13PartOfAnOutputIsNeverWritten) {
  const HostArray x = Floats({4}, [](std::int64_t i) { return i; }), y = Floats({4}, [](std::int64_t i) { return i + 1; });
  const Outcome outcome = Simulate(Single([](const auto& a) {
    const auto kernel = [](pl::Ref x, pl::Ref y, pl::Ref z) { z.store(x.load({pl::ds(1, 2)}) * y.load({pl::ds(1, 2)}), {pl::ds(1, 2)}); };
    return pl::pallas_call(kernel, {.out_shape = a[0].aval()})(a[0], a[1]);
  }), {&x, &y});
  EXPECT_THAT(Findings(outcome), ElementsAre("ownership of output 0: 2 of 4 elements of output 0 were never written, the first is (0,), the last (3,)"));
  const std::vector<double> z = Values(outcome.outputs[0]);
  EXPECT_TRUE(std::isnan(z[0]) && std::isnan(z[3]));
  EXPECT_EQ(z[1], 2);
  EXPECT_EQ(z[2], 6);
}

TEST_F(FieldCase, C13ReturningScratch) {
  for (DType dtype : {DType::kFloat32, DType::kInt32}) {
    const HostArray x = MakeArray(dtype, {8, 128}, [](std::int64_t) { return 0; });
    const Outcome outcome = Simulate(Single([dtype](const auto& a) {
      const auto kernel = [](pl::Ref, pl::Ref z, pl::Ref scratch) { z.store(scratch.load()); };
      return pl::pallas_call(kernel, {.out_shape = a[0].aval(), .scratch_shapes = {pl::VMEM({8, 128}, dtype)}})(a[0]);
    }), {&x});
    EXPECT_THAT(Findings(outcome), ElementsAre(
        "uninitialized of scratch 0: 1024 of the 1024 elements that vector.load reads from scratch 0 were never written, the first is (0, 0), and what "
        "was read becomes part of output 0"));
    const double undefined = Values(outcome.outputs[0])[0];
    EXPECT_TRUE(dtype == DType::kFloat32 ? std::isnan(undefined) : undefined == INT32_MAX);
  }
}

TEST_F(FieldCase, C14SharedOutputReloadedByEveryProgram) {
  const HostArray x = Floats({10, 8}, [](std::int64_t i) { return i; });
  const auto run = [&](bool copy_once) {
    return Simulate(Single([&](const auto& a) {
      const auto kernel = [=](pl::Ref x, pl::Ref z) {
        const pl::Index i = pl::program_id(0);
        const auto copy = [&] { z.store(x.load()); };
        if (copy_once) pl::when(i == 0, copy); else copy();
        z.store(z.load({pl::ds(i, 1), pl::all}) + 1.0f, {pl::ds(i, 1), pl::all});
      };
      const pl::BlockSpec whole({10, 8}, [](pl::Index) { return pl::indices(0, 0); });
      return pl::pallas_call(kernel, {.grid = {10}, .in_specs = {whole}, .out_specs = {whole}, .out_shape = a[0].aval()})(a[0]);
    }), {&x});
  };
  const std::vector<double> want = Values(Floats({10, 8}, [](std::int64_t i) { return i + 1; }));
  const Outcome fixed = run(true), broken = run(false);
  EXPECT_THAT(Findings(fixed), IsEmpty());
  EXPECT_EQ(Values(fixed.outputs[0]), want);
  EXPECT_THAT(Findings(broken), IsEmpty());  // only the values tell
  const std::vector<double> got = Values(broken.outputs[0]);
  EXPECT_EQ(CountDifferent(got, want), 72u);
  EXPECT_TRUE(std::equal(got.begin() + 72, got.end(), want.begin() + 72));
}

// 8 programs that copy (8, 128) blocks; input block i holds i + 1 everywhere.
Outcome CopyBlocks(const std::vector<int>& from, const std::vector<int>& to) {
  const HostArray x = Floats({64, 128}, [](std::int64_t e) { return e / 1024 + 1; });
  return Simulate(Single([&](const auto& a) {
    return pl::pallas_call(Copy, {.grid = {8}, .in_specs = {Lookup({8, 128}, from)}, .out_specs = {Lookup({8, 128}, to)}, .out_shape = a[0].aval()})(a[0]);
  }), {&x});
}

const std::vector<int> kInOrder = {0, 1, 2, 3, 4, 5, 6, 7};

TEST_F(FieldCase, C15GatherWithRepeatedIndices) {
  const Outcome outcome = CopyBlocks({0, 0, 2, 3, 3, 3, 1, 7}, kInOrder);
  EXPECT_THAT(Findings(outcome), IsEmpty());
  EXPECT_THAT(Every(Values(outcome.outputs[0]), 1024), ElementsAre(1, 1, 3, 4, 4, 4, 2, 8));
  EXPECT_EQ(outcome.kernels[0].traffic[0].fetches, 5);
}

TEST_F(FieldCase, C15ScatterToConsecutiveRepeats) {
  const Outcome outcome = CopyBlocks(kInOrder, {0, 0, 2, 2, 2, 5, 3, 3});
  EXPECT_THAT(Findings(outcome), ElementsAre("ownership of output 0: 4096 of 8192 elements of output 0 were never written, the first is (8, 0), "
                                             "the last (63, 127)"));
  const std::vector<double> blocks = Every(Values(outcome.outputs[0]), 1024);
  EXPECT_EQ(blocks[0], 2);
  EXPECT_EQ(blocks[2], 5);
  EXPECT_EQ(blocks[3], 8);
  EXPECT_EQ(blocks[5], 6);
  for (std::size_t unwritten : {1u, 4u, 6u, 7u}) EXPECT_TRUE(std::isnan(blocks[unwritten]));
  constexpr auto nobody = sim::Ownership::kNobody;
  EXPECT_THAT(outcome.kernels[0].ownership[0].owner, ElementsAre(1, nobody, 4, 7, nobody, 5, nobody, nobody));
}

TEST_F(FieldCase, C15ScatterThatComesBack) {
  const Outcome outcome = CopyBlocks(kInOrder, {0, 1, 0, 2, 3, 4, 5, 6});
  EXPECT_THAT(Findings(outcome), ElementsAre(
      "ownership of output 0 at (2,): block (0, 0) of output 0 is visited again after other blocks were; program (0,) wrote it last, and what it left "
      "there is lost (put the reduction on the last grid dimension)",
      "ownership of output 0: 1024 of 8192 elements of output 0 were never written, the first is (56, 0), the last (63, 127)"));
}

TEST_F(FieldCase, C16AliasKeepsWhatIsNotWritten) {
  const HostArray x = Floats({16, 128}, [](std::int64_t i) { return i; });
  const auto run = [&](bool alias) {
    return Simulate(Single([&](const auto& a) {
      const auto kernel = [](pl::Ref x, pl::Ref z) { z.store(x.load({pl::ds(0, 8), pl::all}), {pl::ds(8, 8), pl::all}); };
      pl::PallasOptions options{.out_shape = a[0].aval()};
      if (alias) options.input_output_aliases = {{0, 0}};
      return pl::pallas_call(kernel, options)(a[0]);
    }), {&x});
  };
  const Outcome aliased = run(true);
  EXPECT_THAT(Findings(aliased), IsEmpty());
  EXPECT_EQ(Values(aliased.outputs[0]), Values(Floats({16, 128}, [](std::int64_t i) { return i % 1024; })));
  EXPECT_THAT(Findings(run(false)), ElementsAre("ownership of output 0: 1024 of 2048 elements of output 0 were never written, the first is (0, 0), "
                                                "the last (7, 127)"));
}

TEST_F(FieldCase, C16AnAliasedWindowStartsUninitialised) {
  const HostArray x = Floats({16, 128}, [](std::int64_t i) { return i / 1024 + 1; });
  const Outcome outcome = Simulate(Single([](const auto& a) {
    const pl::BlockSpec rows({8, 128}, [](pl::Index i) { return pl::indices(i, 0); });
    return pl::pallas_call([](pl::Ref, pl::Ref) {}, {.grid = {2}, .in_specs = {rows}, .out_specs = {rows}, .out_shape = a[0].aval(),
                                                     .input_output_aliases = {{0, 0}}})(a[0]);
  }), {&x});
  EXPECT_THAT(Findings(outcome), ElementsAre("ownership of output 0: 2048 of 2048 elements of output 0 were never written, the first is (0, 0), "
                                             "the last (15, 127)"));
}

TEST_F(FieldCase, C16RepeatedBodiesOnAnAliasedBlock) {
  const HostArray x = Floats({8, 128}, [](std::int64_t) { return 0; });
  for (std::int64_t programs : {1, 3, 12}) {
    const Outcome outcome = Simulate(Single([&](const auto& a) {
      const pl::BlockSpec block({8, 128}, [](pl::Index) { return pl::indices(0, 0); });
      return pl::pallas_call(AddOne, {.grid = {programs}, .in_specs = {block}, .out_specs = {block}, .out_shape = a[0].aval(),
                                      .input_output_aliases = {{0, 0}}})(a[0]);
    }), {&x});
    EXPECT_THAT(Findings(outcome), IsEmpty());
    EXPECT_THAT(Values(outcome.outputs[0]), ::testing::Each(1)) << programs;
    EXPECT_EQ(outcome.kernels[0].traffic[0].fetches, 1);
  }
}

TEST_F(FieldCase, C16AWindowIsNotFetchedAgainWhileItsIndexRepeats) {
  const HostArray x = Floats({16, 128}, [](std::int64_t) { return 0; });
  const Outcome outcome = Simulate(Single([&](const auto& a) {
    const pl::BlockSpec rows({8, 128}, [](pl::Index i, pl::Index) { return pl::indices(i, 0); });
    const auto kernel = [](pl::Ref x, pl::Ref z) {
      x.store(x.load() + (pl::program_id(0) * 2 + pl::program_id(1)).astype(pl::f32));
      z.store(x.load());
    };
    return pl::pallas_call(kernel, {.grid = {2, 2}, .in_specs = {rows}, .out_specs = {rows}, .out_shape = a[0].aval()})(a[0]);
  }), {&x});
  EXPECT_THAT(Every(Values(outcome.outputs[0]), 1024), ElementsAre(1, 5));
  EXPECT_THAT(Findings(outcome), IsEmpty());
}

TEST_F(FieldCase, C16WritingAnInputReferenceChangesNoArray) {
  const HostArray x = Floats({8, 128}, [](std::int64_t i) { return i; }), before = x.Clone();
  for (bool window : {false, true}) {
    const Outcome outcome = Simulate([&](const std::vector<pl::Array>& a) {
      const pl::BlockSpec spec = window ? pl::BlockSpec({8, 128}, [](pl::Index) { return pl::indices(0, 0); }) : pl::BlockSpec();
      const auto zero_input = [](pl::Ref x, pl::Ref z) {
        x.store(0.0f);
        z.store(x.load());
      };
      const pl::PallasOptions options{.grid = {1}, .in_specs = {spec}, .out_specs = {spec}, .out_shape = a[0].aval()};
      return std::vector<pl::Array>{pl::pallas_call(zero_input, options)(a[0]), pl::pallas_call(Copy, options)(a[0])};
    }, {&x});
    EXPECT_THAT(Values(outcome.outputs[0]), ::testing::Each(0));
    EXPECT_EQ(Values(outcome.outputs[1]), Values(before));
    EXPECT_EQ(Values(x), Values(before));
  }
}

TEST_F(FieldCase, C18PrefetchTableChangedByTheBody) {
  const HostArray x = Floats({48, 128}, [](std::int64_t e) { return e / 1024; }), ids = Ints({0, 1, 2, 3, 4, 5});
  const Outcome untouched = SimulateModule(MutatedPrefetchModule(false), {&ids, &x});
  EXPECT_THAT(Findings(untouched), IsEmpty());
  EXPECT_THAT(Every(Values(untouched.outputs[0]), 1024), ElementsAre(0, 1, 2, 3, 4, 5));
  // Two buffers: the index of program i + 1 is read before the body of program i.
  const Outcome changed = SimulateModule(MutatedPrefetchModule(true), {&ids, &x});
  EXPECT_THAT(Every(Values(changed.outputs[0]), 1024), ElementsAre(0, 1, 3, 3, 3, 3));
  EXPECT_THAT(Findings(changed), ElementsAre(
      "race of input 0 at (0,): the body changed input 0, which index maps read: whether they see it depends on how far ahead blocks are fetched"));
}

}  // namespace
}  // namespace kernel_audit::testing
