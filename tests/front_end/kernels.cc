#include "front_end/kernels.h"

#include "examples/column_sum.cpp"
#include "examples/masked_max.cpp"
#include "examples/matmul.cpp"
#include "examples/softmax.cpp"
#include "projects/kernel-audit/solution/model.cpp"

namespace front_end_tests {
namespace {

const pl::ShapeDtype kOut = {{16, 128}, pl::f32};

// Branches and loops, one inside the other, and values that travel through them.
Array ControlFlow(const std::vector<Array>& a) {
  return pl::pallas_call([](pl::Ref x, pl::Ref z) {
    const pl::Value start = x.load({pl::ds(0, 1), pl::all});
    z.store(0.0f);
    const pl::Value last = pl::fori_loop(0, 16, start, [&](pl::Index i, pl::Value carried) {
      const pl::Value row = x.load({pl::ds(i, 1), pl::all}) + carried;
      pl::when((i % 2 == 0) & (pl::program_id(0) > 0), [&] {
        z.store(row * 2.0f, {pl::ds(i, 1), pl::all});
        pl::when(i == 8, [&] { z.store(-row, {pl::ds(0, 1), pl::all}); });
      });
      return pl::where(row > 100.0f, start, row);
    });
    const pl::Value dropped = pl::exp(last);
    pl::fori_loop(0, pl::num_programs(0), [&](pl::Index i) { z.store(last + z.load({pl::ds(i, 1), pl::all}), {pl::ds(i, 1), pl::all}); });
    (void)dropped;
  }, {.name = "control_flow", .grid = {2}, .out_shape = kOut})(a[0]);
}

// Every kind of memory access; a squeezed block; scalars; scratch; an alias; one buffer.
Array Memory(const std::vector<Array>& a) {
  const auto map = [](pl::Index b, pl::Index i) { return pl::indices((b + 1) % 3, pl::where(i == 0, 1, i), 0); };
  const pl::BlockSpec block({pl::squeezed, 8, 128}, map);
  const auto kernel = [](pl::Ref s, pl::Ref x, pl::Ref, pl::Ref z, pl::Ref rows, pl::Ref count) {
    count.store(s.load({0}) + 1, {0});
    rows.store(x.load({3}), {2});
    rows.store(x.load({pl::all, pl::ds(64, 64)}), {pl::ds(0, 8), pl::ds(0, 64)});
    z.store(rows.load() * count.load({0}).astype(pl::f32) + s.load({pl::program_id(1)}).astype(pl::f32));
  };
  return pl::pallas_call(kernel, {.name = "memory", .grid = {3, 2},
                                  .in_specs = {pl::BlockSpec(pl::smem), block.buffered(1), pl::BlockSpec(pl::any)},
                                  .out_specs = {block}, .out_shape = a[1].aval(),
                                  .scratch_shapes = {pl::VMEM({8, 128}, pl::f32), pl::SMEM({1}, pl::i32)},
                                  .input_output_aliases = {{1, 0}}, .dimension_semantics = {pl::parallel, pl::arbitrary},
                                  .vmem_limit_bytes = 1 << 20})(a[0], a[1], a[2]);
}

// Conversions, comparisons, integers, reductions and the rest of what a value can do.
Array Values(const std::vector<Array>& a) {
  return pl::pallas_call([](pl::Ref x, pl::Ref n, pl::Ref z) {
    const pl::Value v = x.load(), k = n.load();
    const pl::Value bits = (((k ^ 5) & 255) | (k << 3)) + (k >> 1) % 7 - k / 3 + pl::abs(-k);
    const pl::Value flags = ((v >= 0) == (v != 1)) ^ !(k < 4);
    const pl::Value smooth = pl::tanh(v) + pl::log(pl::sqrt(pl::abs(v)) + 1) * pl::sin(v) - pl::rsqrt(pl::maximum(v, 0.5));
    const pl::Value rows = pl::sum(v, 0) + pl::reshape(pl::max(v, 0, true) - pl::min(v, 0, true), {128});
    const pl::Value product = pl::dot(v.astype(pl::bf16), v.astype(pl::bf16), {.transpose_rhs = true});
    const pl::Value square = pl::broadcast_to(pl::sum(pl::transpose(product), 1, true), {16, 128});
    z.store(pl::where(flags, smooth + rows, square) + bits.astype(pl::f32) + flags.astype(pl::f32));
  }, {.name = "values", .out_shape = kOut})(a[0], a[1]);
}

// Operands that g++ and clang++ evaluate in different orders, over several lines.
Array Order(const std::vector<Array>& a) {
  const auto twice = [](const pl::Value& v) { return v + v * 2.0f; };
  const auto row_of = [](const pl::Ref& ref, int i) {
    return ref.load({pl::ds(i, 1),
                     pl::all});
  };
  const auto kernel = [&](pl::Ref x, pl::Ref y, pl::Ref z) {
    z.store(x.load() + y.load());
    z.store(twice(pl::exp(x.load())
                  - pl::maximum(z.load(), pl::iota(z.shape(), 0).astype(pl::f32)))
            * (twice(y.load())
               + pl::where(x.load() > y.load(),
                           twice(z.load()), z.load() / 3.0f)));
    z.store(row_of(x, 3) + row_of(y, 5)
            + row_of(z, 7), {pl::ds(1, 1),
                             pl::all});
  };
  return pl::pallas_call(kernel,
                         {.name = "order",
                          .out_shape = kOut})(
             pl::exp(a[0]) + pl::pad(a[1], {0, 0}, {0, 0}) * 2.0f,
             pl::maximum(a[0] - a[1],
                         a[1] / a[0]));
}

// Operations on whole arrays alone.
Array Host(const std::vector<Array>& a) {
  const Array x = a[0];
  const Array b = pl::broadcast_to(pl::reshape(a[1].astype(pl::f32), {1, 128}), {16, 128});
  const Array y = pl::exp(x) + pl::log(b) - pl::tanh(x) * pl::sqrt(b) / pl::rsqrt(x) + pl::abs(-x);
  const Array low = pl::where(x == b, x, pl::where(x != b, pl::minimum(x, 1), y)), high = pl::where(x < b, pl::maximum(low, 0.1), 2);
  const Array both = pl::where(x <= b, low, pl::where(x > b, high, pl::where(x >= b, 3, x)));
  const Array cut = pl::slice(pl::crop(pl::pad(both, {1, 2}, {3, 4}, -1), {18, 130}), {1, 1}, {8, 128});
  return pl::pad_to(cut.astype(pl::bf16).astype(pl::boolean).astype(pl::i8), {16, 256}, 7);
}

}  // namespace

std::vector<Program> AllPrograms() {
  const ArgumentType matrix{pl::f32, {16, 128}}, wide{pl::f32, {17, 257}}, half{pl::bf16, {17, 257}};
  return {
      {"blocked_axpy", {half, half}, [](const auto& a) { return blocked_axpy(a[0], a[1], {8, 128}, pl::Mode::interpret); }},
      {"fused_bias_relu", {wide, {pl::f32, {257}}}, [](const auto& a) { return fused_bias_relu(a[0], a[1], {8, 128}, pl::Mode::interpret); }},
      {"pipelined_axpy", {half, half}, [](const auto& a) { return pipelined_axpy(a[0], a[1], {8, 128}, {.buffers = 3}, pl::Mode::interpret); }},
      {"matmul", {{pl::bf16, {200, 300}}, {pl::bf16, {300, 129}}}, [](const auto& a) { return matmul(a[0], a[1], {64, 128, 128}); }},
      {"softmax", {wide}, [](const auto& a) { return softmax(a[0], 8); }},
      {"masked_max", {wide}, [](const auto& a) { return masked_max(a[0], {8, 128}); }},
      {"column_sum", {half}, [](const auto& a) { return column_sum(a[0], {8, 128}); }},
      {"control_flow", {matrix}, ControlFlow},
      {"memory", {{pl::i32, {2}}, {pl::f32, {3, 16, 128}}, matrix}, Memory},
      {"values", {matrix, {pl::i32, {16, 128}}}, Values},
      {"order", {matrix, matrix}, Order},
      {"host", {matrix, {pl::i32, {128}}}, Host},
  };
}

}  // namespace front_end_tests
