// Values that were computed from memory nobody wrote: where they spread to, where they stop, and where they are reported.
#include <algorithm>
#include <cmath>

#include "kernel_audit/import/import_testing.h"
#include "simulate.h"

namespace kernel_audit::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int kSide = 4;

// A (4, 4) scratch of which the elements at `unset` (row-major) stay unwritten; the others hold their number + 1.
pl::Value Partly(const pl::Ref& scratch, const std::vector<int>& unset) {
  for (int e = 0; e < kSide * kSide; ++e) {
    if (std::find(unset.begin(), unset.end(), e) != unset.end()) continue;
    scratch.store(pl::full({1, 1}, e + 1, pl::f32), {pl::ds(e / kSide, 1), pl::ds(e % kSide, 1)});
  }
  return scratch.load();
}

using Operation = std::function<pl::Value(const pl::Value&)>;

// Which elements of operation(partly written) have no value: 'x', else '.'; rows apart by '/'. Each element of the result is chosen alone
// and stored: a finding says that it has none.
std::string Poisoned(const std::vector<int>& unset, const Shape& result, const Operation& operation) {
  const HostArray which = Ints({0});
  const Kernel kernel(Single([&](const std::vector<pl::Array>& a) {
    const auto body = [&](pl::Ref which, pl::Ref z, pl::Ref scratch) {
      const pl::Value v = operation(Partly(scratch, unset));
      const pl::Value number = pl::iota(result, 0) * static_cast<int>(result[1]) + pl::iota(result, 1);
      z.store(pl::where(number == which.load({0}), v.astype(pl::f32), 0.0f));
    };
    return pl::pallas_call(body, {.in_specs = {pl::BlockSpec(pl::smem)}, .out_shape = pl::ShapeDtype{result, pl::f32},
                                  .scratch_shapes = {pl::VMEM({kSide, kSide}, pl::f32)}})(a[0]);
  }), {&which});
  std::string map;
  for (int e = 0; e < result[0] * result[1]; ++e) {
    if (e > 0 && e % result[1] == 0) map += '/';
    const HostArray element = Ints({e});
    const KernelRun run = kernel.Run({&element});
    map += run.report.findings.empty() ? '.' : 'x';
    for (const sim::Finding& finding : run.report.findings) EXPECT_EQ(finding.kind, sim::FindingKind::kUninitialized);
  }
  return map;
}

const Shape kSquare = {kSide, kSide};
const std::vector<int> kTwo = {1, 11};  // (0, 1) and (2, 3)
const char* const kTwoMap = ".x../..../...x/....";

TEST(Validity, ElementwiseOperationsKeepThePlace) {
  const std::vector<std::pair<const char*, Operation>> operations = {
      {"add", [](const pl::Value& v) { return v + 1.0f; }},
      {"reversed", [](const pl::Value& v) { return 2.0f - v; }},
      {"zero times", [](const pl::Value& v) { return v * 0.0f; }},  // the product is known, the element is not
      {"itself", [](const pl::Value& v) { return v - v; }},
      {"maximum", [](const pl::Value& v) { return pl::maximum(v, 1000.0f); }},
      {"exp", [](const pl::Value& v) { return pl::exp(v); }},
      {"negate", [](const pl::Value& v) { return -v; }},
      {"compare", [](const pl::Value& v) { return pl::where(v > 3.0f, pl::full(kSquare, 1, pl::f32), 2.0f); }},
      {"narrow", [](const pl::Value& v) { return v.astype(pl::bf16); }},
      {"to integer", [](const pl::Value& v) { return v.astype(pl::i32) & 3; }},
  };
  for (const auto& [name, operation] : operations) EXPECT_EQ(Poisoned(kTwo, kSquare, operation), kTwoMap) << name;
}

TEST(Validity, AChoiceMasks) {
  const auto column = [] { return pl::iota(kSquare, 1); };
  EXPECT_EQ(Poisoned(kTwo, kSquare, [&](const pl::Value& v) { return pl::where(column() < 2, v, 0.0f); }), ".x../..../..../....");
  EXPECT_EQ(Poisoned(kTwo, kSquare, [&](const pl::Value& v) { return pl::where(column() < 2, 0.0f, v); }), "..../..../...x/....");
  EXPECT_EQ(Poisoned(kTwo, kSquare, [&](const pl::Value& v) { return pl::where(column() == 2, v, 5.0f) + 1.0f; }), "..../..../..../....");
}

TEST(Validity, ReductionsMixARowOrAColumn) {
  EXPECT_EQ(Poisoned(kTwo, {4, 1}, [](const pl::Value& v) { return pl::sum(v, 1, true); }), "x/./x/.");
  EXPECT_EQ(Poisoned(kTwo, {1, 4}, [](const pl::Value& v) { return pl::sum(v, 0, true); }), ".x.x");
  EXPECT_EQ(Poisoned(kTwo, {4, 1}, [](const pl::Value& v) { return pl::max(v, 1, true); }), "x/./x/.");
  EXPECT_EQ(Poisoned(kTwo, {1, 4}, [](const pl::Value& v) { return pl::min(v, 0, true); }), ".x.x");
  EXPECT_EQ(Poisoned(kTwo, {1, 1}, [](const pl::Value& v) { return pl::sum(pl::sum(v, 0, true), 1, true); }), "x");
  EXPECT_EQ(Poisoned({}, {1, 1}, [](const pl::Value& v) { return pl::sum(pl::sum(v, 0, true), 1, true); }), ".");
}

TEST(Validity, MatrixProductsMixARowWithAColumn) {
  const auto ones = [] { return pl::full(kSquare, 1, pl::f32); };
  EXPECT_EQ(Poisoned(kTwo, kSquare, [&](const pl::Value& v) { return pl::dot(v, ones()); }), "xxxx/..../xxxx/....");
  EXPECT_EQ(Poisoned(kTwo, kSquare, [&](const pl::Value& v) { return pl::dot(ones(), v); }), ".x.x/.x.x/.x.x/.x.x");
  EXPECT_EQ(Poisoned({6}, kSquare, [&](const pl::Value& v) { return pl::dot(v, v); }), "..x./xxxx/..x./..x.");
  EXPECT_EQ(Poisoned({6}, kSquare, [&](const pl::Value& v) { return pl::dot(v, ones(), {.transpose_lhs = true}); }), "..../..../xxxx/....");
  EXPECT_EQ(Poisoned({6}, kSquare, [&](const pl::Value& v) { return pl::dot(ones(), v, {.transpose_rhs = true}); }), ".x../.x../.x../.x..");
  EXPECT_EQ(Poisoned({6}, kSquare, [&](const pl::Value& v) { return pl::dot(ones(), ones()) + v; }), "..../..x./..../....");
}

TEST(Validity, RearrangingMovesThePlace) {
  EXPECT_EQ(Poisoned(kTwo, kSquare, [](const pl::Value& v) { return pl::transpose(v); }), "..../x.../..../..x.");
  EXPECT_EQ(Poisoned(kTwo, {2, 8}, [](const pl::Value& v) { return pl::reshape(v, {2, 8}); }), ".x....../...x....");
  EXPECT_EQ(Poisoned({1}, kSquare, [](const pl::Value& v) { return pl::broadcast_to(pl::sum(v, 0, true), kSquare); }), ".x../.x../.x../.x..");
  EXPECT_EQ(Poisoned({4}, kSquare, [](const pl::Value& v) { return pl::broadcast_to(pl::sum(v, 1, true), kSquare); }), "..../xxxx/..../....");
}

TEST(Validity, LoopsCarryIt) {
  // The carried value is masked in the first step, or never.
  const auto masked = [](const pl::Value& v) {
    return pl::fori_loop(0, 3, v, [](pl::Index, pl::Value carried) { return pl::where(pl::iota(kSquare, 1) == 1, 0.0f, carried) + 1.0f; });
  };
  EXPECT_EQ(Poisoned(kTwo, kSquare, masked), "..../..../...x/....");
  const auto mixed = [](const pl::Value& v) {
    return pl::fori_loop(0, 2, v, [](pl::Index, pl::Value carried) { return pl::transpose(carried) + carried; });
  };
  EXPECT_EQ(Poisoned({1}, kSquare, mixed), ".x../x.../..../....");
  const auto swapped = [](const pl::Value& v) {
    return pl::fori_loop(0, 3, {v, pl::full(kSquare, 0, pl::f32)}, [](pl::Index, const std::vector<pl::Value>& c) { return std::vector<pl::Value>{c[1], c[0]}; })[1];
  };
  EXPECT_EQ(Poisoned({1}, kSquare, swapped), ".x../..../..../....");
  const auto not_run = [](const pl::Value& v) {
    return pl::fori_loop(3, 3, pl::full(kSquare, 0, pl::f32), [&](pl::Index, pl::Value) { return v; });
  };
  EXPECT_EQ(Poisoned({1}, kSquare, not_run), "..../..../..../....");
}

// A kernel with SMEM scratch that is not written, VMEM scratch that is not written, and a table in SMEM.
KernelRun Unset(const std::function<void(pl::Ref table, pl::Ref x, pl::Ref z, pl::Ref flag, pl::Ref rows)>& body) {
  const HostArray table = Ints({0, 1, 2, 3}), x = MakeArray(DType::kFloat32, {8, 128}, [](std::int64_t i) { return static_cast<double>(i); });
  return RunKernel([&](const auto& a) {
    return pl::pallas_call([&](pl::Ref t, pl::Ref x, pl::Ref z, pl::Ref f, pl::Ref r) { body(t, x, z, f, r); },
                           {.in_specs = {pl::BlockSpec(pl::smem), pl::BlockSpec()}, .out_shape = a[1].aval(),
                            .scratch_shapes = {pl::SMEM({4}, pl::i32), pl::VMEM({8, 128}, pl::f32)}})(a[0], a[1]);
  }, {&table, &x});
}

const std::string kScalar = "element (2,) of scratch 0 was read before anything was written to it, and what was read becomes ";

TEST(Validity, ScalarsThatDecideAreReported) {
  const auto branch = Unset([](pl::Ref, pl::Ref x, pl::Ref z, pl::Ref flag, pl::Ref) {
    z.store(x.load());
    pl::when(flag.load({2}) > 0, [&] { z.store(0.0f); });
  });
  EXPECT_THAT(Findings(branch.report), ElementsAre("uninitialized of scratch 0: " + kScalar + "the condition of a branch"));
  const auto loop = Unset([](pl::Ref, pl::Ref x, pl::Ref z, pl::Ref flag, pl::Ref) {
    z.store(x.load());
    pl::fori_loop(0, pl::minimum(flag.load({2}), 3), [&](pl::Index) { z.store(z.load() + 1.0f); });
  });
  EXPECT_THAT(Findings(loop.report), ElementsAre("uninitialized of scratch 0, 4 times: " + kScalar + "the bound of a loop"));
  const auto index = Unset([](pl::Ref, pl::Ref x, pl::Ref z, pl::Ref flag, pl::Ref) {
    z.store(x.load());
    z.store(x.load({pl::ds(pl::minimum(flag.load({2}), 7), 1), pl::all}), {pl::ds(0, 1), pl::all});
  });
  EXPECT_THAT(Findings(index.report), ElementsAre("uninitialized of scratch 0: " + kScalar + "an index"));
  const auto choice = Unset([](pl::Ref, pl::Ref x, pl::Ref z, pl::Ref flag, pl::Ref) { z.store(pl::where(flag.load({2}) > 0, x.load(), -x.load())); });
  EXPECT_THAT(Findings(choice.report), SizeIs(1));
}

TEST(Validity, TheLowerBoundOfALoopCountsToo) {
  const auto run = Unset([](pl::Ref, pl::Ref x, pl::Ref z, pl::Ref flag, pl::Ref) {
    z.store(x.load());
    pl::fori_loop(pl::minimum(flag.load({2}), 3), 5, [&](pl::Index) { z.store(z.load() + 1.0f); });
  });
  EXPECT_THAT(Findings(run.report), SizeIs(1));
}

TEST(Validity, AScalarChoiceBetweenScalarsMasks) {
  const auto run = Unset([](pl::Ref table, pl::Ref x, pl::Ref z, pl::Ref flag, pl::Ref) {
    const pl::Value chosen = pl::where(table.load({0}) == 0, table.load({1}), flag.load({2}));
    z.store(x.load() + chosen.astype(pl::f32));
  });
  EXPECT_THAT(Findings(run.report), IsEmpty());
}

TEST(Validity, AScalarSpreadsThroughABroadcast) {
  const auto run = Unset([](pl::Ref, pl::Ref x, pl::Ref z, pl::Ref flag, pl::Ref) { z.store(x.load() + flag.load({2}).astype(pl::f32)); });
  EXPECT_THAT(Findings(run.report), ElementsAre("uninitialized of scratch 0: " + kScalar + "part of output 0"));
}

TEST(Validity, TheReportStandsAtTheUseAndNamesTheLoad) {
  int load_line = 0, store_line = 0;
  const auto run = Unset([&](pl::Ref, pl::Ref, pl::Ref z, pl::Ref, pl::Ref rows) {
    const pl::Value v = rows.load(); load_line = __LINE__;
    const pl::Value w = v * 2.0f + 1.0f;
    z.store(w); store_line = __LINE__;
  });
  ASSERT_THAT(Findings(run.report), SizeIs(1));
  const sim::Finding& finding = run.report.findings[0];
  EXPECT_EQ(finding.location.line, store_line);
  EXPECT_EQ(finding.other_location.line, load_line);
  EXPECT_EQ(finding.buffer, "scratch 1");
}

TEST(Validity, CopyingBetweenScratchIsSilentUntilItMatters) {
  const auto silent = Unset([](pl::Ref, pl::Ref x, pl::Ref z, pl::Ref, pl::Ref rows) {
    rows.store(rows.load() + 1.0f);  // unknown, but nobody looks
    rows.store(x.load({pl::ds(0, 4), pl::all}), {pl::ds(0, 4), pl::all});
    z.store(x.load());
    z.store(rows.load({pl::ds(0, 4), pl::all}), {pl::ds(0, 4), pl::all});
  });
  EXPECT_THAT(Findings(silent.report), IsEmpty());
  const auto loud = Unset([](pl::Ref, pl::Ref x, pl::Ref z, pl::Ref, pl::Ref rows) {
    rows.store(x.load({pl::ds(0, 4), pl::all}), {pl::ds(0, 4), pl::all});
    z.store(rows.load());
  });
  EXPECT_THAT(Findings(loud.report), ElementsAre("uninitialized of scratch 1: 512 of the 1024 elements that vector.load reads from scratch 1 were never "
                                                 "written, the first is (4, 0), and what was read becomes part of output 0"));
}

TEST(Validity, WritingMakesValidAgain) {
  const auto run = Unset([](pl::Ref, pl::Ref x, pl::Ref z, pl::Ref flag, pl::Ref rows) {
    z.store(rows.load());  // unknown
    z.store(x.load());     // overwritten before the end
    flag.store(1, {2});
    pl::when(flag.load({2}) == 1, [&] { rows.store(x.load()); });
    z.store(rows.load());
  });
  EXPECT_THAT(Findings(run.report), IsEmpty());
}

// Operations that the front end doesn't write, as text. z's rows from 4 on are not written when `ops` begin; %u is the whole of z.
KernelRun RunText(const std::string& ops) {
  const std::string ref = "memref<8x128xf32, #tpu.memory_space<vmem>>", half = "vector<4x128xf32>", whole = "vector<8x128xf32>";
  const Kernel kernel(import::testing::ModuleWithOps(
      "    %c = \"arith.constant\"() {value = 0 : index} : () -> index\n"
      "    %f = \"arith.constant\"() {value = dense<0.0> : " + whole + "} : () -> " + whole + "\n"
      "    %h = \"vector.load\"(%x, %c, %c) : (" + ref + ", index, index) -> " + half + "\n"
      "    %v = \"vector.load\"(%x, %c, %c) : (" + ref + ", index, index) -> " + whole + "\n"
      "    \"tpu.vector_store\"(%h, %z, %c, %c) {add = false, operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>} : (" + half + ", " + ref +
      ", index, index) -> ()\n"
      "    %u = \"vector.load\"(%z, %c, %c) : (" + ref + ", index, index) -> " + whole + "\n" + ops +
      "    \"tpu.vector_store\"(%r, %z, %c, %c) {add = false, operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>} : (" + whole + ", " + ref +
      ", index, index) -> ()\n"));
  const HostArray x = MakeArray(DType::kFloat32, {8, 128}, [](std::int64_t i) { return static_cast<double>(i); });
  return kernel.Run({&x});
}

std::string KeepRow(const std::string& value, int row) {
  return "    %row = \"tpu.iota\"() {dimensions = array<i32: 0>} : () -> vector<8x128xi32>\n"
         "    %k = \"arith.constant\"() {value = dense<" + std::to_string(row) + "> : vector<8x128xi32>} : () -> vector<8x128xi32>\n"
         "    %m = \"arith.cmpi\"(%row, %k) {predicate = 0 : i64} : (vector<8x128xi32>, vector<8x128xi32>) -> vector<8x128xi1>\n"
         "    %r = \"arith.select\"(%m, " + value + ", %f) : (vector<8x128xi1>, vector<8x128xf32>, vector<8x128xf32>) -> vector<8x128xf32>\n";
}

TEST(Validity, ALoadThatNothingUsesIsSilent) {
  EXPECT_THAT(Findings(RunText("    %r = \"arith.addf\"(%v, %f) {fastmath = #arith.fastmath<none>} : (vector<8x128xf32>, vector<8x128xf32>) -> vector<8x128xf32>\n").report),
              IsEmpty());
  EXPECT_THAT(Findings(RunText("    %r = \"arith.addf\"(%u, %f) {fastmath = #arith.fastmath<none>} : (vector<8x128xf32>, vector<8x128xf32>) -> vector<8x128xf32>\n").report),
              SizeIs(1));
}

TEST(Validity, RotatingTurnsThePlace) {
  for (int row = 0; row < 8; ++row) {
    const KernelRun run = RunText(
        "    %by = \"arith.constant\"() {value = 2 : i32} : () -> i32\n"
        "    %t = \"tpu.dynamic_rotate\"(%u, %by) {dimension = 0 : i32} : (vector<8x128xf32>, i32) -> vector<8x128xf32>\n" + KeepRow("%t", row));
    const bool unset = (row + 6) % 8 >= 4;
    EXPECT_THAT(Findings(run.report), SizeIs(unset ? 1 : 0)) << row;
    const double element = Values(run.outputs[0])[static_cast<std::size_t>(row * 128 + 5)];
    EXPECT_TRUE(unset ? std::isnan(element) : element == (row + 6) % 8 * 128 + 5) << row << ": " << element;
  }
}

TEST(Validity, ConcatenatingAndSlicingKeepParts) {
  for (const auto& [offset, unset] : std::vector<std::pair<int, bool>>{{0, true}, {64, true}, {127, true}, {128, false}}) {
    const KernelRun run = RunText(
        "    %w = \"tpu.concatenate\"(%u, %v) {dimension = 1 : i32} : (vector<8x128xf32>, vector<8x128xf32>) -> vector<8x256xf32>\n"
        "    %r = \"vector.extract_strided_slice\"(%w) {offsets = [0, " + std::to_string(offset) + "], sizes = [8, 128], strides = [1, 1]} : (vector<8x256xf32>) -> vector<8x128xf32>\n");
    EXPECT_THAT(Findings(run.report), SizeIs(unset ? 1 : 0)) << offset;
  }
}

TEST(Validity, BranchesGiveWhatTheChosenSideYields) {
  for (const char* condition : {"true", "false"}) {
    const KernelRun run = RunText(
        "    %q = \"arith.constant\"() {value = " + std::string(condition) + "} : () -> i1\n"
        "    %r = \"scf.if\"(%q) ({\n      \"scf.yield\"(%u) : (vector<8x128xf32>) -> ()\n    }, {\n      \"scf.yield\"(%v) : (vector<8x128xf32>) -> ()\n"
        "    }) : (i1) -> vector<8x128xf32>\n");
    EXPECT_THAT(Findings(run.report), SizeIs(condition[0] == 't' ? 1 : 0));
  }
}

TEST(Validity, ManyOriginsStayApartOrShareTheLastOne) {
  // More places of reading than the shadow can number: still reported, never lost.
  const auto run = Unset([](pl::Ref, pl::Ref x, pl::Ref z, pl::Ref, pl::Ref rows) {
    for (int i = 0; i < 400; ++i) {
      const pl::Value one = rows.load({pl::ds(i % 8, 1), pl::ds(i % 100, 1)});
      z.store(one + 1.0f, {pl::ds(i % 8, 1), pl::ds(i % 128, 1)});
    }
    z.store(x.load({pl::ds(0, 4), pl::all}), {pl::ds(0, 4), pl::all});
    z.store(rows.load({pl::ds(4, 4), pl::all}), {pl::ds(4, 4), pl::all});
  });
  EXPECT_THAT(Findings(run.report), SizeIs(1));
}

}  // namespace
}  // namespace kernel_audit::testing
