// Loops, branches and the registers that live across them.
#include <cmath>

#include "kernel_audit/import/import_testing.h"
#include "simulate.h"

namespace kernel_audit::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Runs a kernel on an int32 table in SMEM that gives one int32.
std::int32_t Compute(const std::vector<int>& table, const std::function<pl::Value(const pl::Ref&)>& body) {
  const HostArray t = Ints(table);
  const KernelRun run = RunKernel([&](const auto& a) {
    const auto kernel = [&](pl::Ref t, pl::Ref z) { z.store(body(t), {0}); };
    return pl::pallas_call(kernel, {.in_specs = {pl::BlockSpec(pl::smem)}, .out_specs = {pl::BlockSpec(pl::smem)}, .out_shape = pl::ShapeDtype{{1}, pl::i32}})(a[0]);
  }, {&t});
  EXPECT_THAT(Findings(run.report), IsEmpty());
  return static_cast<std::int32_t>(Values(run.outputs[0])[0]);
}

std::int32_t CountSteps(int lower, int upper) {
  return Compute({lower, upper}, [](const pl::Ref& t) {
    return pl::fori_loop(t.load({0}), t.load({1}), t.load({0}) * 0, [](pl::Index, pl::Value n) { return n + 1; });
  });
}

TEST(Loops, RunFromTheLowerBoundToBelowTheUpper) {
  EXPECT_EQ(CountSteps(0, 10), 10);
  EXPECT_EQ(CountSteps(-7, -3), 4);
  EXPECT_EQ(CountSteps(-2, 3), 5);
}

TEST(Loops, MayRunNotAtAll) {
  EXPECT_EQ(CountSteps(5, 5), 0);
  EXPECT_EQ(CountSteps(7, 3), 0);
  EXPECT_EQ(CountSteps(INT32_MAX, INT32_MIN), 0);
}

TEST(Loops, EndAtTheLargestInteger) {
  EXPECT_EQ(CountSteps(INT32_MAX - 3, INT32_MAX), 3);
  EXPECT_EQ(CountSteps(INT32_MAX, INT32_MAX), 0);
  EXPECT_EQ(CountSteps(INT32_MIN, INT32_MIN + 2), 2);
}

TEST(Loops, TheCounterGoesByItsStepAndNeverWrapsAround) {
  // for i from upper - 5 below the largest i32 by 4: two steps, the third would wrap.
  const std::string smem = "memref<8x128xf32, #tpu.memory_space<vmem>>";
  for (const auto& [step, steps] : std::vector<std::pair<int, int>>{{1, 5}, {2, 3}, {4, 2}, {5, 1}, {2147483647, 1}}) {
    const Kernel kernel(import::testing::ModuleWithOps(
        "    %c = \"arith.constant\"() {value = 0 : index} : () -> index\n"
        "    %lower = \"arith.constant\"() {value = 2147483642 : i32} : () -> i32\n    %upper = \"arith.constant\"() {value = 2147483647 : i32} : () -> i32\n"
        "    %step = \"arith.constant\"() {value = " + std::to_string(step) + " : i32} : () -> i32\n"
        "    %one = \"arith.constant\"() {value = dense<1.0> : vector<8x128xf32>} : () -> vector<8x128xf32>\n"
        "    %zero = \"arith.constant\"() {value = dense<0.0> : vector<8x128xf32>} : () -> vector<8x128xf32>\n"
        "    %n = \"scf.for\"(%lower, %upper, %step, %zero) ({\n    ^bb0(%i: i32, %a: vector<8x128xf32>):\n"
        "      %b = \"arith.addf\"(%a, %one) {fastmath = #arith.fastmath<none>} : (vector<8x128xf32>, vector<8x128xf32>) -> vector<8x128xf32>\n"
        "      \"scf.yield\"(%b) : (vector<8x128xf32>) -> ()\n    }) : (i32, i32, i32, vector<8x128xf32>) -> vector<8x128xf32>\n"
        "    \"tpu.vector_store\"(%n, %z, %c, %c) {add = false, operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>} : (vector<8x128xf32>, " + smem +
        ", index, index) -> ()\n"));
    const HostArray x = MakeArray(DType::kFloat32, {8, 128}, [](std::int64_t) { return 0; });
    EXPECT_THAT(Values(kernel.Run({&x}, {.work_limit = 1 << 20}).outputs[0]), ::testing::Each(steps)) << step;
  }
}

TEST(Loops, SwapWhatTheyCarry) {
  const auto fibonacci = [](int n) {
    return Compute({n, 0, 1}, [](const pl::Ref& t) {
      return pl::fori_loop(0, t.load({0}), {t.load({1}), t.load({2})}, [](pl::Index, const std::vector<pl::Value>& v) {
        return std::vector<pl::Value>{v[1], v[0] + v[1]};
      })[0];
    });
  };
  EXPECT_EQ(fibonacci(0), 0);
  EXPECT_EQ(fibonacci(1), 1);
  EXPECT_EQ(fibonacci(30), 832040);
  for (int n : {0, 1, 2, 7, 8}) {
    // (a, b, c) -> (c, a, b), and a pure swap beside it.
    const std::int32_t digits = Compute({n, 1, 2, 3, 4, 5}, [](const pl::Ref& t) {
      const auto v = pl::fori_loop(0, t.load({0}), {t.load({1}), t.load({2}), t.load({3}), t.load({4}), t.load({5})},
                                   [](pl::Index, const std::vector<pl::Value>& c) { return std::vector<pl::Value>{c[2], c[0], c[1], c[4], c[3]}; });
      return (((v[0] * 10 + v[1]) * 10 + v[2]) * 10 + v[3]) * 10 + v[4];
    });
    const int rotated[] = {123, 312, 231};
    EXPECT_EQ(digits, rotated[n % 3] * 100 + (n % 2 == 0 ? 45 : 54)) << n;
  }
}

TEST(Loops, CarryOneValueToManyPlaces) {
  const std::int32_t digits = Compute({3, 1, 2, 3}, [](const pl::Ref& t) {
    const auto v = pl::fori_loop(0, t.load({0}), {t.load({1}), t.load({2}), t.load({3})}, [](pl::Index i, const std::vector<pl::Value>& c) {
      return std::vector<pl::Value>{c[2] + i, c[2] + i, c[0]};
    });
    return v[0] * 100 + v[1] * 10 + v[2];
  });
  EXPECT_EQ(digits, 552);  // (1, 2, 3), (3, 3, 1), (2, 2, 3), (5, 5, 2)
}

TEST(Loops, NestWithBranches) {
  for (int n : {0, 1, 5, 12}) {
    const HostArray size = Ints({n});
    const KernelRun run = RunKernel([](const auto& a) {
      const auto kernel = [](pl::Ref n, pl::Ref z) {
        for (int k = 0; k < 3; ++k) z.store(0, {k});
        pl::fori_loop(0, n.load({0}), [&](pl::Index i) {
          pl::fori_loop(i, n.load({0}), [&](pl::Index j) {
            pl::when((i + j) % 3 == 0, [&] {
              z.store(z.load({0}) + i * j, {0});
              pl::when(i == j, [&] { z.store(z.load({1}) + 1, {1}); });
              pl::fori_loop(0, j, [&](pl::Index k) { z.store(z.load({2}) + k, {2}); });
            });
          });
        });
      };
      return pl::pallas_call(kernel, {.in_specs = {pl::BlockSpec(pl::smem)}, .out_specs = {pl::BlockSpec(pl::smem)}, .out_shape = pl::ShapeDtype{{3}, pl::i32}})(a[0]);
    }, {&size});
    EXPECT_THAT(Findings(run.report), IsEmpty());
    double products = 0, diagonal = 0, inner = 0;
    for (int i = 0; i < n; ++i) {
      for (int j = i; j < n; ++j) {
        if ((i + j) % 3 != 0) continue;
        products += i * j;
        diagonal += i == j ? 1 : 0;
        for (int k = 0; k < j; ++k) inner += k;
      }
    }
    EXPECT_THAT(Values(run.outputs[0]), ElementsAre(products, diagonal, inner)) << n;
  }
}

// Many values that are made before a loop and used after it, while the loop makes and drops as many of its own.
TEST(Registers, ValuesThatLiveAcrossALoopAreNotOverwritten) {
  constexpr int kValues = 60;
  for (int nesting : {1, 2, 3}) {
    const HostArray x = MakeArray(DType::kFloat32, {2, 64}, [](std::int64_t i) { return static_cast<double>(i % 7); });
    const KernelRun run = RunKernel([&](const auto& a) {
      const auto kernel = [&](pl::Ref x, pl::Ref z) {
        const pl::Value v = x.load();
        std::vector<pl::Value> before;
        for (int k = 0; k < kValues; ++k) before.push_back(v * static_cast<float>(k) + static_cast<float>(k % 5));
        const std::function<pl::Value(int, pl::Value)> loop = [&](int depth, pl::Value start) -> pl::Value {
          return pl::fori_loop(0, 3, start, [&](pl::Index i, pl::Value carried) {
            pl::Value sum = carried;
            for (int k = 0; k < kValues; ++k) sum = sum + (before[static_cast<std::size_t>((k * 7) % kValues)] - static_cast<float>(k) * v) * i.astype(pl::f32);
            return depth > 1 ? loop(depth - 1, sum) : sum;
          });
        };
        pl::Value total = loop(nesting, v);
        for (int k = 0; k < kValues; k += 3) total = total + before[static_cast<std::size_t>(k)];
        z.store(total);
      };
      return pl::pallas_call(kernel, {.out_shape = a[0].aval()})(a[0]);
    }, {&x});
    EXPECT_THAT(Findings(run.report), IsEmpty());
    const std::vector<double> values = Values(x);
    std::vector<double> want;
    for (double element : values) {
      const auto v = static_cast<float>(element);
      std::vector<float> before;
      for (int k = 0; k < kValues; ++k) before.push_back(v * static_cast<float>(k) + static_cast<float>(k % 5));
      const std::function<float(int, float)> loop = [&](int depth, float carried) {
        for (int i = 0; i < 3; ++i) {
          for (int k = 0; k < kValues; ++k) carried = carried + (before[static_cast<std::size_t>((k * 7) % kValues)] - static_cast<float>(k) * v) * static_cast<float>(i);
          if (depth > 1) carried = loop(depth - 1, carried);
        }
        return carried;
      };
      float total = loop(nesting, v);
      for (int k = 0; k < kValues; k += 3) total = total + before[static_cast<std::size_t>(k)];
      want.push_back(total);
    }
    EXPECT_EQ(Values(run.outputs[0]), want) << nesting;
  }
}

TEST(Registers, ConstantsAndGridIndicesSurviveEveryProgram) {
  const HostArray x = MakeArray(DType::kFloat32, {8, 128}, [](std::int64_t) { return 1; });
  const KernelRun run = RunKernel([](const auto& a) {
    const auto kernel = [](pl::Ref x, pl::Ref z) {
      const pl::Value a = x.load() + 3.0f, b = a * a, c = b - a;
      z.store(c + (pl::program_id(0) * 10 + pl::program_id(1)).astype(pl::f32) + pl::full({8, 128}, 0.5, pl::f32));
    };
    const pl::BlockSpec in({8, 128}, [](pl::Index, pl::Index) { return pl::indices(0, 0); }), out({8, 128}, [](pl::Index i, pl::Index j) { return pl::indices(i, j); });
    return pl::pallas_call(kernel, {.grid = {3, 4}, .in_specs = {in}, .out_specs = {out}, .out_shape = pl::ShapeDtype{{24, 512}, pl::f32}})(a[0]);
  }, {&x});
  const std::vector<double> z = Values(run.outputs[0]);
  for (std::size_t e = 0; e < z.size(); ++e) ASSERT_EQ(z[e], 12.5 + static_cast<double>(e / 512 / 8 * 10 + e % 512 / 128));
}

}  // namespace
}  // namespace kernel_audit::testing
