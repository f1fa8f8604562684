// Right pipelines with one small fault each: the race engine and the slow judge must say the same of every one.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "kernel_audit/ir/verifier.h"
#include "races/compare.h"
#include "races/mutation.h"
#include "races/patterns.h"

namespace kernel_audit::testing {
namespace {

struct Tally {
  int run = 0, refused = 0, endless = 0, harmful = 0;
};

// Many times what a right one of these pipelines does: a loop whose step has become 0 never ends.
constexpr std::uint64_t kMostWork = 1 << 20;

std::string PatternModule(const std::string& number) {
  MarkedLines lines;
  const HostArray x = PatternInput();
  for (const Pattern& pattern : CleanPatterns()) {
    if (pattern.number == number) return Trace({&x}, Single([&](const std::vector<pl::Array>& a) { return pattern.kernel(a[0], false, lines); }));
  }
  throw std::runtime_error("no pattern " + number);
}

// Three slots, blocks fetched two ahead, a regular semaphore that hands each block from one half of a step to the other.
std::string TripleBufferModule() {
  const HostArray x = PatternInput();
  return Trace({&x}, Single([](const std::vector<pl::Array>& a) {
    const auto body = [](const std::vector<pl::Ref>& refs) {
      const pl::Ref &x = refs[0], &z = refs[1], &in = refs[2], &out = refs[3], &arrived = refs[4], &left = refs[5], &ready = refs[6];
      const auto rows = [](const pl::Ref& ref, const pl::Value& i) { return ref.at({pl::ds(i * 4, 4)}); };
      const auto fetch = [&](const pl::Value& i) { return pl::make_async_copy(rows(x, i), in.at({i % 3}), arrived.at({i % 3})); };
      const auto write = [&](const pl::Value& i) { return pl::make_async_copy(out.at({i % 2}), rows(z, i), left.at({i % 2})); };
      pl::fori_loop(0, 2, [&](pl::Index i) { fetch(i).start(); });
      pl::fori_loop(0, 8, [&](pl::Index i) {
        pl::when(i < 6, [&] { fetch(i + 2).start(); });
        fetch(i).wait();
        pl::semaphore_signal(ready, 1);
        pl::when(i >= 2, [&] { write(i - 2).wait(); });
        pl::semaphore_wait(ready, 1);
        out.store(in.load({i % 3}), {i % 2});
        write(i).start();
      });
      write(pl::semaphore_read(ready) + 6).wait();
      write(pl::semaphore_read(ready) + 7).wait();
    };
    return pl::pallas_call(body, {.in_specs = {pl::BlockSpec(pl::any)}, .out_specs = {pl::BlockSpec(pl::any)}, .out_shape = a[0].aval(),
                                  .scratch_shapes = {pl::VMEM({3, 4, 128}, pl::f32), pl::VMEM({2, 4, 128}, pl::f32), pl::DMA({3}), pl::DMA({2}),
                                                     pl::Semaphore()}})(a[0]);
  }));
}

std::string PipelineModule() {
  const HostArray x = PatternInput();
  return Trace({&x}, Single([](const std::vector<pl::Array>& a) {
    const pl::BlockSpec rows({8, 128}, [](pl::Index i, pl::Index) { return pl::indices(i, 0); }), tiles({12, 128}, [](pl::Index, pl::Index j) { return pl::indices(j, 0); });
    const auto body = [](pl::Ref x, pl::Ref y, pl::Ref z) {
      pl::when(pl::program_id(1) == 0, [&] { z.store(0.0f); });
      z.store(z.load() + x.load() + y.load({pl::ds(0, 8)}));
    };
    const auto kernel = [&](pl::Ref x, pl::Ref z) { pl::emit_pipeline(body, {.grid = {4, 2}, .in_specs = {rows.buffered(3), tiles}, .out_specs = {rows}})(x, x, z); };
    return pl::pallas_call(kernel, {.in_specs = {pl::BlockSpec(pl::any)}, .out_specs = {pl::BlockSpec(pl::any)}, .out_shape = a[0].aval()})(a[0]);
  }));
}

std::string GoldenModule(const std::string& name) {
  std::ifstream file(std::filesystem::path(KA_SOURCE_DIR) / "tests" / "data" / "golden" / "races" / (name + ".mlir"), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void RunMutant(ir::Kernel& kernel, const std::string& what, std::size_t seed, Tally& tally) {
  if (!ir::Verify(kernel)) {
    ++tally.refused;
    return;
  }
  const auto program = sim::Program::Decode(kernel);
  ASSERT_TRUE(program) << program.error().ToString();
  std::vector<HostArray> arrays;
  std::vector<const std::byte*> in;
  std::vector<std::byte*> out;
  for (const auto& type : kernel.inputs) arrays.push_back(MakeArray(type.dtype, type.shape, [](std::int64_t i) { return static_cast<double>(i % 61); }));
  for (const auto& type : kernel.outputs) arrays.emplace_back(type);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (i < kernel.inputs.size()) in.push_back(arrays[i].data());
    if (i >= kernel.inputs.size()) out.push_back(arrays[i].data());
  }
  sim::EventLog events;
  sim::RunOptions options;
  options.schedule = Schedules()[seed % Schedules().size()].schedule;
  options.cores = 1 + static_cast<int>(seed % 2);
  options.events = &events;
  options.work_limit = kMostWork;
  const auto report = sim::Run(**program, in, out, options);
  if (!report && report.error().code == core::ErrorCode::kFailed) {
    ++tally.endless;
    return;
  }
  ASSERT_TRUE(report) << what << ": " << report.error().ToString();
  EXPECT_THAT(Disagreements(*report, kernel.grid, events), ::testing::IsEmpty()) << what;
  const OracleVerdict verdict = Judge(events);
  tally.harmful += verdict.races.size() + verdict.leaks.size() + verdict.deadlocks.size() > 0 ? 1 : 0;
  ++tally.run;
}

Tally RunMutantsOf(const std::string& name, const std::string& module) {
  SCOPED_TRACE(name);
  Tally tally;
  const std::size_t mutants = CountMutants(*import::ImportModule(module, 0).value().kernels[0]);
  for (std::size_t mutant = 0; mutant < mutants; ++mutant) {
    const import::ImportedModule fresh = import::ImportModule(module, 0).value();
    const std::string what = Mutate(*fresh.kernels[0], mutant);
    RunMutant(*fresh.kernels[0], what, mutant, tally);
    if (::testing::Test::HasFailure()) break;
  }
  std::printf("%s: %d mutants ran, %d of them at fault, %d refused, %d endless\n", name.c_str(), tally.run, tally.harmful, tally.refused, tally.endless);
  return tally;
}

TEST(Mutations, BothEnginesAgreeOnEveryOne) {
  const std::vector<std::pair<std::string, std::string>> pipelines = {
      {"double buffer", PatternModule("double_buffer")}, {"triple buffer", TripleBufferModule()}, {"emit_pipeline", PipelineModule()},
      {"pipeline of two cores", PatternModule("nested_pipeline")}, {"JAX's double buffer", GoldenModule("pipe_ok_n4")},
      {"JAX's epilogue", GoldenModule("docs_epilogue_last_n5")}};
  Tally all;
  for (const auto& [name, module] : pipelines) {
    const Tally tally = RunMutantsOf(name, module);
    all.run += tally.run;
    all.harmful += tally.harmful;
  }
  EXPECT_GE(all.run, 500);
  EXPECT_GE(all.harmful, 250);
  RecordProperty("run", all.run);
  RecordProperty("at fault", all.harmful);
}

}  // namespace
}  // namespace kernel_audit::testing
