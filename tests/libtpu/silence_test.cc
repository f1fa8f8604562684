// What the TPU compiler never objects to, and what must be refused before it.
#include "field_cases/prefetch_module.h"
#include "kernel_audit/trace/trace_error.h"
#include "libtpu/libtpu_fixture.h"
#include "libtpu/wrong_kernels.h"
#include "races/patterns.h"

namespace kernel_audit::testing {
namespace {

using ::testing::Ne;

const std::vector<core::ArrayType> kInput = {{DType::kFloat32, {32, 128}}};

TEST_F(LibtpuTest, WrongMapsGridsAndOutputsCompile) {
  for (const WrongKernel& wrong : WrongKernels()) ExpectAccepted(wrong.what, ModuleOf(wrong.function, kInput), V5e());
}

TEST_F(LibtpuTest, RacyKernelsCompile) {
  for (const Pattern& pattern : Patterns()) {
    MarkedLines lines;
    const HostArray x = PatternInput();
    ExpectAccepted(pattern.number + " " + pattern.what, Trace({&x}, Single([&](const std::vector<pl::Array>& a) { return pattern.kernel(a[0], true, lines); })), V5e());
  }
}

TEST(WrongKernelsSimulated, EachIsFound) {
  for (const WrongKernel& wrong : WrongKernels()) {
    const HostArray x = PatternInput();
    EXPECT_THAT(KindsOf(RunKernel(wrong.function, {&x}).report), Ne("clean")) << wrong.what;
  }
}

std::string Refusal(const std::function<void()>& trace) {
  try {
    trace();
    return "";
  } catch (const pl::TraceError& error) {
    return error.what();
  }
}

pl::BlockSpec Rows(int buffers) {
  return pl::BlockSpec({8, 128}, [](pl::Index i) { return pl::indices(i, 0); }).buffered(buffers);
}

std::string OfAGrid(int input, std::int64_t programs) {
  return ModuleOf([&](const auto& a) {
    return pl::pallas_call([](pl::Ref x, pl::Ref z) { z.store(x.load()); }, {.grid = {programs}, .in_specs = {Rows(input)}, .out_specs = {Rows(2)}, .out_shape = a[0].aval()})(a[0]);
  }, kInput);
}

std::string OfAPipeline(int input, int output, std::int64_t steps) {
  return ModuleOf([&](const auto& a) {
    const auto kernel = [&](pl::Ref x, pl::Ref z) {
      pl::emit_pipeline([](pl::Ref x, pl::Ref z) { z.store(x.load()); }, {.grid = {steps}, .in_specs = {Rows(input)}, .out_specs = {Rows(output)}})(x, z);
    };
    return pl::pallas_call(kernel, {.in_specs = {pl::BlockSpec(pl::any)}, .out_specs = {pl::BlockSpec(pl::any)}, .out_shape = a[0].aval()})(a[0]);
  }, kInput);
}

TEST(BufferCounts, OthersAreRefused) {
  for (const int buffers : {0, 3}) EXPECT_THAT(Refusal([&] { OfAGrid(buffers, 4); }), ::testing::HasSubstr("only single (1) and double (2) buffering")) << buffers;
  EXPECT_NE(Refusal([] { OfAPipeline(0, 2, 4); }), "");
  EXPECT_NE(Refusal([] { OfAPipeline(2, 0, 4); }), "");
  EXPECT_NE(Refusal([] { OfAPipeline(2, 3, 4); }), "");
}

TEST(EmptyGrids, AreRefused) {
  EXPECT_NE(Refusal([] { OfAGrid(2, 0); }), "");
  EXPECT_NE(Refusal([] { OfAPipeline(2, 2, 0); }), "");
  const std::string map = "    %zero = \"arith.constant\"() {value = 0 : i32} : () -> i32\n    \"func.return\"(%i, %zero) : (i32, i32) -> ()\n";
  EXPECT_TRUE(import::ImportModule(PrefetchModule(PrefetchBody("8", 1, "", map), "8", 32, 32), 0));
  EXPECT_FALSE(import::ImportModule(PrefetchModule(PrefetchBody("8", 0, "", map), "8", 32, 32), 0));
}

TEST_F(LibtpuTest, BufferCountsThatCompile) {
  for (const int buffers : {1, 2}) ExpectAccepted(std::to_string(buffers) + " of a grid", OfAGrid(buffers, 4), V5e());
  for (const int buffers : {1, 2, 3, 4}) ExpectAccepted(std::to_string(buffers) + " of a pipeline", OfAPipeline(buffers, 2, 4), V5e());
}

}  // namespace
}  // namespace kernel_audit::testing
