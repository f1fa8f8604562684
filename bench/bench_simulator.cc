// How long a simulated program takes: z = 2x + y on float32 matrices in blocks of (8, 128), so that rows x columns / 1024 programs run: on
// windows, and through emit_pipeline with two slots for each operand.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kernel_audit/import/module.h"
#include "kernel_audit/pallas.h"
#include "kernel_audit/simulated/simulator.h"
#include "kernel_audit/trace/module.h"

namespace {

namespace pl = kernel_audit::pallas;
using kernel_audit::core::HostArray;
using kernel_audit::core::Result;

template <typename T>
T OrExit(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().ToString().c_str());
  std::exit(3);
}

HostArray Matrix(std::int64_t side, float factor) {
  HostArray array({pl::f32, {side, side}});
  std::size_t i = 0;
  for (float& element : array.elements<float>()) element = factor * static_cast<float>(i++ % 1021);
  return array;
}

std::string AxpyModule(std::int64_t side) {
  const std::vector<kernel_audit::trace::ArgumentType> arguments(2, {pl::f32, {side, side}});
  return kernel_audit::trace::TraceModule("axpy", arguments, [side](const std::vector<pl::Array>& a) {
    const pl::BlockSpec tile({8, 128}, [](pl::Index i, pl::Index j) { return pl::indices(i, j); });
    const auto kernel = [](pl::Ref x, pl::Ref y, pl::Ref z) { z.store(2.0f * x.load() + y.load()); };
    const pl::Array z = pl::pallas_call(kernel, {.name = "axpy", .grid = {side / 8, side / 128}, .in_specs = {tile, tile}, .out_specs = {tile},
                                                 .out_shape = a[0].aval()})(a[0], a[1]);
    return std::vector<pl::Array>{z};
  });
}

std::string PipelineModule(std::int64_t side) {
  const std::vector<kernel_audit::trace::ArgumentType> arguments(2, {pl::f32, {side, side}});
  return kernel_audit::trace::TraceModule("pipelined_axpy", arguments, [side](const std::vector<pl::Array>& a) {
    const pl::BlockSpec tile({8, 128}, [](pl::Index i, pl::Index j) { return pl::indices(i, j); }), whole(pl::any);
    const auto body = [](pl::Ref x, pl::Ref y, pl::Ref z) { z.store(2.0f * x.load() + y.load()); };
    const auto kernel = [&](pl::Ref x, pl::Ref y, pl::Ref z) {
      pl::emit_pipeline(body, {.grid = {side / 8, side / 128}, .in_specs = {tile, tile}, .out_specs = {tile}})(x, y, z);
    };
    const pl::Array z = pl::pallas_call(kernel, {.name = "pipelined_axpy", .in_specs = {whole, whole}, .out_specs = {whole},
                                                 .out_shape = a[0].aval()})(a[0], a[1]);
    return std::vector<pl::Array>{z};
  });
}

kernel_audit::sim::RunOptions Options(const benchmark::State& state) { return {.observe = state.range(1) != 0}; }

void Count(benchmark::State& state) {
  const std::int64_t side = state.range(0), programs = side * side / 1024;
  state.counters["programs"] = static_cast<double>(programs);
  state.counters["s/program"] = benchmark::Counter(static_cast<double>(programs), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// The machine alone: output memory is reused.
void RunAlone(benchmark::State& state, std::string (*module_of)(std::int64_t side)) {
  const std::int64_t side = state.range(0);
  const auto module = OrExit(kernel_audit::import::ImportModule(module_of(side), 0));
  const auto program = OrExit(kernel_audit::sim::Program::Decode(*module.kernels[0]));
  const HostArray x = Matrix(side, 1), y = Matrix(side, 0.5f);
  HostArray z(x.type());
  const std::vector<const std::byte*> inputs = {x.data(), y.data()};
  const std::vector<std::byte*> outputs = {z.data()};
  for (auto _ : state) benchmark::DoNotOptimize(OrExit(kernel_audit::sim::Run(*program, inputs, outputs, Options(state))));
  Count(state);
}

void BM_Run(benchmark::State& state) { RunAlone(state, AxpyModule); }
void BM_Pipeline(benchmark::State& state) { RunAlone(state, PipelineModule); }

// The whole simulated tier: arrays to XLA, the kernel, arrays back.
void BM_Tier(benchmark::State& state) {
  static const auto simulator = OrExit(kernel_audit::simulated::Simulator::Create());
  const std::int64_t side = state.range(0);
  const auto program = OrExit(simulator.Load(AxpyModule(side), "axpy.mlir"));
  const HostArray x = Matrix(side, 1), y = Matrix(side, 0.5f);
  const std::vector<const HostArray*> inputs = {&x, &y};
  for (auto _ : state) benchmark::DoNotOptimize(OrExit(program.Run(inputs, Options(state))));
  Count(state);
}

void Arguments(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"side", "observe"})->ArgsProduct({{1024, 2048, 4096}, {0, 1}})->Unit(benchmark::kMillisecond)->UseRealTime();
}
BENCHMARK(BM_Run)->Apply(Arguments);
BENCHMARK(BM_Pipeline)->Apply(Arguments);
BENCHMARK(BM_Tier)->Apply(Arguments);

}  // namespace

BENCHMARK_MAIN();
