// Every way to misuse the front end ends as a TraceError that names the operation, the rule and the line.
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_audit/core/error.h"
#include "kernel_audit/pallas.h"
#include "kernel_audit/trace/module.h"

namespace kernel_audit::trace {
namespace {

namespace pl = pallas;
using pl::Array;
using pl::BlockSpec;
using pl::Index;
using pl::Ref;
using pl::Value;
using testing::EndsWith;
using testing::HasSubstr;

// One statement a row, for the line that is reported is that of the statement. What a row does: with the references of a kernel, or with the arrays of a program.
struct Refs {
  Ref x, n, s, h, z, w;  // float32 (8, 128); int32 (8, 128); int32 (4,) in SMEM; float32 in HBM; float32 and bfloat16 outputs
};
struct Arrays {
  Array x, y, n, flags, doubles, far;  // float32 (8, 128) twice; int32; bool; float64; float32 on a TPU
};

template <typename Subject>
struct Case {
  int line;
  const char* operation;
  const char* rule;
  std::function<void(Subject)> body;
};
using KernelCase = Case<Refs>;
using HostCase = Case<Arrays>;

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
const core::Shape kShape = {8, 128};
const pl::ShapeDtype kOut = {kShape, pl::f32};

void TraceHost(const std::function<void(Arrays)>& body) {
  const core::Shape& s = kShape;
  TraceModule("program", {{pl::f32, s}, {pl::f32, s}, {pl::i32, s}, {pl::boolean, s}, {core::DType::kFloat64, s}, {pl::f32, s, true}},
              [&](const std::vector<Array>& a) {
                body({a[0], a[1], a[2], a[3], a[4], a[5]});
                return std::vector<Array>{a[0]};
              });
}

void TraceKernel(const std::function<void(Refs)>& body) {
  TraceModule("program", {{pl::f32, kShape}, {pl::i32, kShape}, {pl::i32, {4}}, {pl::f32, kShape}}, [&](const std::vector<Array>& a) {
    const auto kernel = [&](const std::vector<Ref>& r) { body({r[0], r[1], r[2], r[3], r[4], r[5]}); };
    const BlockSpec whole;
    const pl::Outputs outputs = pl::pallas_call(kernel, {.grid = {2},
                                                         .in_specs = {whole, whole, BlockSpec(pl::smem), BlockSpec(pl::any)},
                                                         .out_shape = {kOut, {kShape, pl::bf16}}})(a[0], a[1], a[2], a[3]);
    return std::vector<Array>(outputs.begin(), outputs.end());
  });
}

template <typename Subject>
void ExpectRefused(const Case<Subject>& row, void (*trace)(const std::function<void(Subject)>&)) {
  SCOPED_TRACE("line " + std::to_string(row.line));
  try {
    trace(row.body);
    ADD_FAILURE() << "[" << row.operation << "] was not refused";
  } catch (const pl::TraceError& error) {
    EXPECT_THAT(error.what(), HasSubstr(": [" + std::string(row.operation) + "] "));
    EXPECT_THAT(error.what(), HasSubstr(row.rule));
    EXPECT_EQ(error.location().line, row.line) << error.what();
    EXPECT_THAT(error.location().file, EndsWith("misuse_test.cc"));
  } catch (const core::InternalError& error) {
    ADD_FAILURE() << "a misuse must not look like a bug of ours: " << error.what();
  }
}

std::vector<KernelCase> Arithmetic() {
  std::vector<KernelCase> rows;
  rows.push_back({__LINE__, "add", "operands are float32 and int32; convert one with astype", [](Refs r) { r.x.load() + r.n.load(); }});
  rows.push_back({__LINE__, "mul", "operands are float32 and bfloat16", [](Refs r) { 2.0f * r.x.load() * r.x.load().astype(pl::bf16); }});
  rows.push_back({__LINE__, "add", "shapes (8, 128) and (8, 64) don't broadcast", [](Refs r) { r.x.load() + pl::zeros({8, 64}, pl::f32); }});
  rows.push_back({__LINE__, "add", "a fraction meets int32; convert the value with astype first", [](Refs r) { r.n.load() + 1.5; }});
  rows.push_back({__LINE__, "add", "is not a value of int32", [](Refs r) { r.n.load() + 3000000000; }});
  rows.push_back({__LINE__, "add", "an operand is an empty value", [](Refs r) { r.x.load() + Value(); }});
  rows.push_back({__LINE__, "rem", "is not defined for float32", [](Refs r) { r.x.load() % 2; }});
  rows.push_back({__LINE__, "and", "is not defined for float32", [](Refs r) { r.x.load() & r.x.load(); }});
  rows.push_back({__LINE__, "shift_left", "is not defined for bool", [](Refs r) { Value b = r.x.load() > 0; b << 1; }});
  rows.push_back({__LINE__, "sub", "is not defined for bool", [](Refs r) { Value b = r.x.load() > 0; b - b; }});
  rows.push_back({__LINE__, "neg", "is not defined for bool", [](Refs r) { -(r.x.load() > 0); }});
  rows.push_back({__LINE__, "abs", "is not defined for bool", [](Refs r) { pl::abs(r.x.load() > 0); }});
  rows.push_back({__LINE__, "lt", "is not defined for bool", [](Refs r) { (void)((r.x.load() > 0) < (r.x.load() > 1)); }});
  rows.push_back({__LINE__, "not", "takes a boolean; compare with zero", [](Refs r) { !r.x.load(); }});
  rows.push_back({__LINE__, "exp", "takes a float value, not int32", [](Refs r) { pl::exp(r.n.load()); }});
  rows.push_back({__LINE__, "where", "the condition must be boolean", [](Refs r) { pl::where(r.n.load(), r.x.load(), 0); }});
  rows.push_back({__LINE__, "where", "one of the two values must not be a plain number", [](Refs r) { pl::where(r.x.load() > 0, 1, 0); }});
  rows.push_back({__LINE__, "where", "operands are float32 and int32", [](Refs r) { pl::where(r.x.load() > 0, r.x.load(), r.n.load()); }});
  rows.push_back({__LINE__, "astype", "an operand is an empty value", [](Refs) { Value().astype(pl::f32); }});
  rows.push_back({__LINE__, "shape", "an operand is an empty value", [](Refs) { Value().shape(); }});
  return rows;
}

std::vector<KernelCase> Shapes() {
  std::vector<KernelCase> rows;
  rows.push_back({__LINE__, "full", "shape (8, 0) has no elements", [](Refs) { pl::full({8, 0}, 1, pl::f32); }});
  rows.push_back({__LINE__, "full", "is not a value of int8", [](Refs) { pl::full({8, 128}, 300, pl::i8); }});
  rows.push_back({__LINE__, "iota", "has a negative extent", [](Refs) { pl::iota({-8, 128}, 0); }});
  rows.push_back({__LINE__, "iota", "axis 2 is outside a value of shape (8, 128)", [](Refs) { pl::iota({8, 128}, 2); }});
  rows.push_back({__LINE__, "sum", "axis -3 is outside a value of shape (8, 128)", [](Refs r) { pl::sum(r.x.load(), -3); }});
  rows.push_back({__LINE__, "max", "would leave no dimension", [](Refs) { pl::max(pl::zeros({128}, pl::f32), 0); }});
  rows.push_back({__LINE__, "min", "is not defined for bool", [](Refs r) { pl::min(r.x.load() > 0, 0); }});
  rows.push_back({__LINE__, "broadcast_to", "doesn't broadcast to (1, 128)", [](Refs r) { pl::broadcast_to(r.x.load(), {1, 128}); }});
  rows.push_back({__LINE__, "broadcast_to", "has no elements", [](Refs r) { pl::broadcast_to(r.x.load(), {0, 8, 128}); }});
  rows.push_back({__LINE__, "reshape", "shape (8, 128) can't become (8, 64)", [](Refs r) { pl::reshape(r.x.load(), {8, 64}); }});
  rows.push_back({__LINE__, "transpose", "is no permutation of the dimensions of (8, 128)", [](Refs r) { pl::transpose(r.x.load(), {0, 0}); }});
  rows.push_back({__LINE__, "dot", "inner extents of (8, 128) and (8, 128) differ", [](Refs r) { pl::dot(r.x.load(), r.x.load()); }});
  rows.push_back({__LINE__, "dot", "not int32 and int32", [](Refs r) { pl::dot(r.n.load(), r.n.load()); }});
  rows.push_back({__LINE__, "dot", "takes two matrices", [](Refs r) { pl::dot(r.x.load(), pl::zeros({128}, pl::f32)); }});
  rows.push_back({__LINE__, "program_id", "axis 1 is outside", [](Refs) { pl::program_id(1); }});
  return rows;
}

std::vector<KernelCase> Memory() {
  std::vector<KernelCase> rows;
  rows.push_back({__LINE__, "load", "4 elements from 6 on are not inside dimension 0 of extent 8", [](Refs r) { r.x.load({pl::ds(6, 4), pl::all}); }});
  rows.push_back({__LINE__, "load", "1 elements from -1 on are not inside dimension 0", [](Refs r) { r.x.load({-1}); }});
  rows.push_back({__LINE__, "load", "a slice of 16 elements is longer than dimension 0", [](Refs r) { r.x.load({pl::ds(pl::program_id(0), 16)}); }});
  rows.push_back({__LINE__, "load", "a slice needs at least one element, not 0", [](Refs r) { r.x.load({pl::ds(0, 0)}); }});
  rows.push_back({__LINE__, "load", "an index must be an integer", [](Refs r) { r.x.load({pl::ds(0.5, 4)}); }});
  rows.push_back({__LINE__, "load", "an index must be an int32 scalar", [](Refs r) { r.x.load({pl::ds(pl::iota({8, 128}, 0), 4)}); }});
  rows.push_back({__LINE__, "load", "3 indices for a reference with 2 dimensions", [](Refs r) { r.x.load({0, 0, 0}); }});
  rows.push_back({__LINE__, "load", "VMEM holds vectors", [](Refs r) { r.x.load({0, 0}); }});
  rows.push_back({__LINE__, "load", "SMEM holds scalars: index every dimension", [](Refs r) { r.s.load(); }});
  rows.push_back({__LINE__, "load", "the reference lies in HBM", [](Refs r) { r.h.load(); }});
  rows.push_back({__LINE__, "store", "the reference lies in HBM", [](Refs r) { r.h.store(1.0f); }});
  rows.push_back({__LINE__, "store", "the reference holds bfloat16, the value is float32", [](Refs r) { r.w.store(r.x.load()); }});
  rows.push_back({__LINE__, "store", "doesn't broadcast to (4, 128)", [](Refs r) { r.z.store(r.x.load(), {pl::ds(0, 4), pl::all}); }});
  rows.push_back({__LINE__, "store", "a fraction meets int32", [](Refs r) { r.n.store(0.5); }});
  return rows;
}

std::vector<KernelCase> Control() {
  std::vector<KernelCase> rows;
  rows.push_back({__LINE__, "when", "the condition must be a boolean scalar", [](Refs r) { pl::when(r.x.load() > 0, [] {}); }});
  rows.push_back({__LINE__, "when", "the condition must be a boolean scalar", [](Refs) { pl::when(pl::program_id(0), [] {}); }});
  rows.push_back({__LINE__, "fori_loop", "a bound must be an int32 scalar", [](Refs r) { pl::fori_loop(0, r.x.load(), [](Index) {}); }});
  rows.push_back({__LINE__, "fori_loop", "a fraction meets int32", [](Refs) { pl::fori_loop(0, 2.5, [](Index) {}); }});
  rows.push_back({__LINE__, "fori_loop", "is vector<8x128xf32> before the step and vector<8x128xi32> after it",
     [](Refs r) { pl::fori_loop(0, 2, r.x.load(), [](Index, Value v) { return v.astype(pl::i32); }); }});
  rows.push_back({__LINE__, "fori_loop", "vectors of bool can't be carried",
     [](Refs r) { pl::fori_loop(0, 2, r.x.load() > 0, [](Index, Value v) { return v; }); }});
  rows.push_back({__LINE__, "fori_loop", "must return as many values as it carries",
     [](Refs r) { pl::fori_loop(0, 2, std::vector{r.x.load()}, [](Index, const std::vector<Value>&) { return std::vector<Value>{}; }); }});
  return rows;
}

TEST(Misuse, InsideAKernel) {
  for (const auto& table : {Arithmetic(), Shapes(), Memory(), Control()}) {
    for (const KernelCase& row : table) ExpectRefused(row, &TraceKernel);
  }
}

Index BlockRow(Index i) { return i; }
const auto kRows = [](Index i) { return pl::indices(BlockRow(i), 0); };
void CopyKernel(Ref x, Ref z) { z.store(x.load()); }

// Calls a kernel that copies x, with options.
void Copy(const Array& x, const pl::PallasOptions& options, Here here) { pl::pallas_call(CopyKernel, options, here)(x); }

std::vector<HostCase> Calls() {
  std::vector<HostCase> rows;
  rows.push_back({__LINE__, "pallas_call", "out_shape is missing", [](Arrays a) { pl::pallas_call(CopyKernel, {})(a.x); }});
  rows.push_back({__LINE__, "pallas_call", "input 0 is an empty array", [](Arrays) { pl::pallas_call(CopyKernel, {.out_shape = kOut})(Array()); }});
  rows.push_back({__LINE__, "pallas_call", "input 0 is bool", [](Arrays a) { pl::pallas_call(CopyKernel, {.out_shape = kOut})(a.flags); }});
  rows.push_back({__LINE__, "pallas_call", "input 0 is float64; kernels take", [](Arrays a) { pl::pallas_call(CopyKernel, {.out_shape = kOut})(a.doubles); }});
  rows.push_back({__LINE__, "pallas_call", "output 0 has shape (0, 128)",
     [](Arrays a) { pl::pallas_call(CopyKernel, {.out_shape = pl::ShapeDtype{{0, 128}, pl::f32}})(a.x); }});
  rows.push_back({__LINE__, "pallas_call", "2 in_specs for 1 arrays",
     [](Arrays a) { pl::pallas_call(CopyKernel, {.in_specs = {BlockSpec(), BlockSpec()}, .out_shape = kOut})(a.x); }});
  rows.push_back({__LINE__, "pallas_call", "the kernel doesn't take 3 references", [](Arrays a) { pl::pallas_call(CopyKernel, {.out_shape = kOut})(a.x, a.y); }});
  rows.push_back({__LINE__, "pallas_call", "the index map of input 0 doesn't take 2 grid indices",
     [](Arrays a) { Copy(a.x, {.grid = {1, 1}, .in_specs = {BlockSpec({8, 128}, kRows)}, .out_shape = kOut}, Here::Current()); }});
  rows.push_back({__LINE__, "pallas_call", "gives 1 indices for a block with 2 dimensions",
     [](Arrays a) { BlockSpec s({8, 128}, [](Index i) { return pl::indices(i); }); Copy(a.x, {.grid = {1}, .in_specs = {s}, .out_shape = kOut}, {}); }});
  rows.push_back({__LINE__, "index map", "a fraction meets int32",
     [](Arrays a) { BlockSpec s({8, 128}, [](Index i) { return pl::indices(i, 0.5); }); Copy(a.x, {.grid = {1}, .in_specs = {s}, .out_shape = kOut}, {}); }});
  rows.push_back({__LINE__, "pallas_call", "must give int32 scalars",
     [](Arrays a) { BlockSpec s({8, 128}, [](Index i) { return pl::indices(i == 0, 0); }); Copy(a.x, {.grid = {1}, .in_specs = {s}, .out_shape = kOut}, {}); }});
  rows.push_back({__LINE__, "pallas_call", "the block of input 0 has 1 dimensions, the array 2",
     [](Arrays a) { Copy(a.x, {.grid = {1}, .in_specs = {BlockSpec({8}, kRows)}, .out_shape = kOut}, {}); }});
  rows.push_back({__LINE__, "pallas_call", "block extents must be positive, not 0",
     [](Arrays a) { Copy(a.x, {.grid = {1}, .in_specs = {BlockSpec({0, 128}, kRows)}, .out_shape = kOut}, {}); }});
  rows.push_back({__LINE__, "pallas_call", "has too many elements",
     [](Arrays a) { Copy(a.x, {.grid = {1}, .in_specs = {BlockSpec({kHuge, 128}, kRows)}, .out_shape = kOut}, {}); }});
  rows.push_back({__LINE__, "pallas_call", "only single (1) and double (2) buffering",
     [](Arrays a) { Copy(a.x, {.grid = {1}, .in_specs = {BlockSpec({8, 128}, kRows).buffered(3)}, .out_shape = kOut}, {}); }});
  rows.push_back({__LINE__, "pallas_call", "input 0 stays in HBM",
     [](Arrays a) { Copy(a.x, {.grid = {1}, .in_specs = {BlockSpec({8, 128}, kRows, pl::any)}, .out_shape = kOut}, {}); }});
  rows.push_back({__LINE__, "pallas_call", "a grid has at most 4 dimensions, not 5",
     [](Arrays a) { Copy(a.x, {.grid = {1, 1, 1, 1, 1}, .out_shape = kOut}, Here::Current()); }});
  rows.push_back({__LINE__, "pallas_call", "has no programs along a dimension", [](Arrays a) { Copy(a.x, {.grid = {0}, .out_shape = kOut}, Here::Current()); }});
  rows.push_back({__LINE__, "pallas_call", "dimension_semantics has 2 entries, the grid 1 dimensions",
     [](Arrays a) { Copy(a.x, {.grid = {1}, .out_shape = kOut, .dimension_semantics = {pl::parallel, pl::parallel}}, Here::Current()); }});
  rows.push_back({__LINE__, "pallas_call", "alias {0, 1} names no input or output",
     [](Arrays a) { Copy(a.x, {.out_shape = kOut, .input_output_aliases = {{0, 1}}}, Here::Current()); }});
  rows.push_back({__LINE__, "pallas_call", "must have its type: int32(8, 128), float32(8, 128)",
     [](Arrays a) { Copy(a.n, {.out_shape = kOut, .input_output_aliases = {{0, 0}}}, Here::Current()); }});
  rows.push_back({__LINE__, "pallas_call", "is aliased twice",
     [](Arrays a) { Copy(a.x, {.out_shape = kOut, .input_output_aliases = {{0, 0}, {0, 0}}}, Here::Current()); }});
  rows.push_back({__LINE__, "pallas_call", "scratch of shape (0,)",
     [](Arrays a) { Copy(a.x, {.out_shape = kOut, .scratch_shapes = {pl::VMEM({0}, pl::f32)}}, Here::Current()); }});
  rows.push_back({__LINE__, "pallas_call", "scratch is bool",
     [](Arrays a) { Copy(a.x, {.out_shape = kOut, .scratch_shapes = {pl::VMEM({8}, pl::boolean)}}, Here::Current()); }});
  rows.push_back({__LINE__, "pallas_call", "mode tpu needs every input placed on a TPU, input 0 is not",
     [](Arrays a) { Copy(a.x, {.out_shape = kOut, .mode = pl::Mode::tpu}, Here::Current()); }});
  rows.push_back({__LINE__, "pallas_call", "mode 97 is unknown",
     [](Arrays a) { Copy(a.x, {.out_shape = kOut, .mode = static_cast<pl::Mode>(97)}, Here::Current()); }});
  rows.push_back({__LINE__, "pallas_call", "one operand lies on a TPU",
     [](Arrays a) { pl::pallas_call([](Ref, Ref, Ref) {}, {.out_shape = kOut})(a.x, a.far); }});
  rows.push_back({__LINE__, "pallas_call", "there are 2 outputs; take one by its index",
     [](Arrays a) { a.y = pl::pallas_call([](Ref, Ref, Ref) {}, {.out_shape = {kOut, kOut}})(a.x); }});
  rows.push_back({__LINE__, "pallas_call", "there is no output 1 of 1", [](Arrays a) { pl::pallas_call(CopyKernel, {.out_shape = kOut})(a.x)[1]; }});
  rows.push_back({__LINE__, "pad", "is an operation on whole arrays and can't be used inside a kernel",
     [](Arrays a) { pl::pallas_call([a](Ref, Ref) { pl::pad(a.x, {0, 0}, {0, 0}); }, {.out_shape = kOut})(a.x); }});
  rows.push_back({__LINE__, "pallas_call", "is an operation on whole arrays",
     [](Arrays a) { pl::pallas_call([a](Ref, Ref) { Copy(a.x, {.out_shape = kOut}, Here::Current()); }, {.out_shape = kOut})(a.x); }});
  return rows;
}

std::vector<HostCase> Host() {
  std::vector<HostCase> rows;
  rows.push_back({__LINE__, "ceil_grid", "block (8,) and shape (8, 128) differ in rank", [](Arrays a) { pl::ceil_grid(a.x.shape(), {8}); }});
  rows.push_back({__LINE__, "ceil_grid", "block extents must be positive, not -8", [](Arrays a) { pl::ceil_grid(a.x.shape(), {-8, 128}); }});
  rows.push_back({__LINE__, "pad_to", "block extents must be positive, not 0", [](Arrays a) { pl::pad_to(a.x, {0, 128}); }});
  rows.push_back({__LINE__, "pad_to", "(8,) has not as many entries as shape (8, 128) has dimensions", [](Arrays a) { pl::pad_to(a.x, {8}); }});
  rows.push_back({__LINE__, "pad", "padding can't be negative", [](Arrays a) { pl::pad(a.x, {-1, 0}, {0, 0}); }});
  rows.push_back({__LINE__, "pad", "makes an array of too many elements", [](Arrays a) { pl::pad(a.x, {kHuge, 0}, {kHuge, 0}); }});
  rows.push_back({__LINE__, "pad", "makes an array of too many elements", [](Arrays a) { pl::pad_to(a.x, {kHuge, kHuge}); }});
  rows.push_back({__LINE__, "pad", "is not a value of int32", [](Arrays a) { pl::pad(a.n, {0, 0}, {1, 1}, 1e10); }});
  rows.push_back({__LINE__, "pad", "no constants of float64", [](Arrays a) { pl::pad(a.doubles, {0, 0}, {1, 1}); }});
  rows.push_back({__LINE__, "slice", "200 elements from 0 on are not inside dimension 1 of extent 128", [](Arrays a) { pl::slice(a.x, {0, 0}, {8, 200}); }});
  rows.push_back({__LINE__, "slice", "are not inside dimension 0", [](Arrays a) { pl::slice(a.x, {kHuge, 0}, {8, 128}); }});
  rows.push_back({__LINE__, "crop", "9 elements from 0 on are not inside dimension 0 of extent 8", [](Arrays a) { pl::crop(a.x, {9, 128}); }});
  rows.push_back({__LINE__, "reshape", "shape (8, 128) can't become (-8, -128)", [](Arrays a) { pl::reshape(a.x, {-8, -128}); }});
  rows.push_back({__LINE__, "broadcast_to", "doesn't broadcast to (16, 128)", [](Arrays a) { pl::broadcast_to(a.x, {16, 128}); }});
  rows.push_back({__LINE__, "add", "nothing is broadcast or converted unasked", [](Arrays a) { a.x + a.n; }});
  rows.push_back({__LINE__, "add", "a fraction meets int32", [](Arrays a) { a.n + 0.5; }});
  rows.push_back({__LINE__, "add", "one operand lies on a TPU and another one doesn't", [](Arrays a) { a.x + a.far; }});
  rows.push_back({__LINE__, "where", "the condition must be bool(8, 128)", [](Arrays a) { pl::where(a.x, a.x, a.y); }});
  rows.push_back({__LINE__, "shape", "an operand is an empty array", [](Arrays) { Array().shape(); }});
  rows.push_back({__LINE__, "require", "the matrix is too small", [](Arrays a) { pl::require(a.x.shape()[0] > 8, "the matrix is too small"); }});
  rows.push_back({__LINE__, "iota", "only works inside a kernel or an index map", [](Arrays) { pl::iota({8, 128}, 0); }});
  rows.push_back({__LINE__, "program_id", "only works inside a kernel", [](Arrays) { pl::program_id(0); }});
  return rows;
}

TEST(Misuse, OnWholeArrays) {
  for (const auto& table : {Calls(), Host()}) {
    for (const HostCase& row : table) ExpectRefused(row, &TraceHost);
  }
}

// Values that outlive what they belong to.
std::vector<HostCase> Lifetimes() {
  std::vector<HostCase> rows;
  rows.push_back({__LINE__, "add", "used after its body ended",
     [](Arrays a) { pl::pallas_call([](Ref x, Ref) { Value v; pl::when(pl::program_id(0) == 0, [&] { v = x.load(); }); v + 1; }, {.grid = {1}, .out_shape = kOut})(a.x); }});
  rows.push_back({__LINE__, "store", "used after its body ended",
     [](Arrays a) { pl::pallas_call([](Ref, Ref z) { Index i; pl::fori_loop(0, 4, [&](Index j) { i = j; }); z.store(1.0f, {pl::ds(i, 8)}); }, {.out_shape = kOut})(a.x); }});
  rows.push_back({__LINE__, "store", "a value of another kernel",
     [](Arrays a) { Value v; const auto k = [&](Ref x, Ref z) { if (v.node() != nullptr) z.store(v); v = x.load(); }; for (int i = 0; i < 2; ++i) pl::pallas_call(k, {.out_shape = kOut})(a.x); }});
  rows.push_back({__LINE__, "when", "a value of another kernel",
     [](Arrays a) { Value v; const auto k = [&](Ref x, Ref) { if (v.node() != nullptr) pl::when(v, [] {}); v = x.load({0}) == x.load({1}); v = pl::program_id(0) == 0; }; for (int i = 0; i < 2; ++i) pl::pallas_call(k, {.grid = {1}, .out_shape = kOut})(a.x); }});
  rows.push_back({__LINE__, "load", "a value of another kernel",
     [](Arrays a) { std::optional<Ref> kept; const auto k = [&](Ref x, Ref) { if (kept) kept->load(); kept = x; }; for (int i = 0; i < 2; ++i) pl::pallas_call(k, {.out_shape = kOut})(a.x); }});
  rows.push_back({__LINE__, "index map", "a value of another kernel or index map",
     [](Arrays a) { Index i; BlockSpec s({8, 128}, [&](Index) { return pl::indices(i, 0); }); pl::pallas_call([&](Ref, Ref) { i = pl::program_id(0); }, {.grid = {1}, .in_specs = {s}, .out_shape = kOut})(a.x); }});
  return rows;
}

TEST(Misuse, ValuesThatOutliveTheirScope) {
  for (const HostCase& row : Lifetimes()) ExpectRefused(row, &TraceHost);
}

TEST(Misuse, HandlesThatOutliveTheirProgramAreNeverFollowed) {
  Array array;
  Value value;
  std::optional<Ref> ref;
  TraceHost([&](Arrays a) {
    array = a.x;
    pl::pallas_call([&](Ref x, Ref) { value = x.load(), ref = x; }, {.out_shape = kOut})(a.x);
  });
  ExpectRefused<Arrays>({__LINE__, "shape", "an array of a program whose tracing has ended", [&](Arrays) { array.shape(); }}, &TraceHost);
  ExpectRefused<Arrays>({__LINE__, "add", "an array of a program whose tracing has ended", [&](Arrays a) { a.x + array; }}, &TraceHost);
  ExpectRefused<Refs>({__LINE__, "add", "a value of a program whose tracing has ended", [&](Refs r) { r.x.load() + value; }}, &TraceKernel);
  ExpectRefused<Refs>({__LINE__, "load", "belongs to a program whose tracing has ended", [&](Refs) { ref->load(); }}, &TraceKernel);
}

TEST(Misuse, AfterARefusalTheNextProgramIsTraced) {
  EXPECT_THROW(TraceKernel([](Refs r) { r.h.load(); }), pl::TraceError);
  EXPECT_NO_THROW(TraceKernel([](Refs r) { r.z.store(r.x.load()); }));
}

TEST(Misuse, AProgramMustReturnArrays) {
  const auto returns = [](std::vector<Array> arrays) { TraceModule("f", {}, [&](const auto&) { return arrays; }); };
  EXPECT_THROW(returns({}), pl::TraceError);
  EXPECT_THROW(returns({Array()}), pl::TraceError);
}

TEST(Misuse, ABlockHasNoDimensionBeyondItsLast) {
  const pl::Block block = {8};
  EXPECT_THROW(block[1], pl::TraceError);
}

}  // namespace
}  // namespace kernel_audit::trace
