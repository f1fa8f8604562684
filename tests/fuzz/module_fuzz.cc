#include "module_fuzz.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "kernel_audit/core/host_array.h"
#include "kernel_audit/import/host_program.h"
#include "kernel_audit/import/mosaic.h"
#include "kernel_audit/ir/verifier.h"
#include "kernel_audit/sim/run.h"

namespace kernel_audit::fuzz {
namespace {

constexpr std::uint64_t kWork = 1u << 20;
constexpr std::int64_t kMostElements = 1 << 22;

std::vector<import::KernelCall> ReadCalls() {
  namespace fs = std::filesystem;
  std::vector<fs::path> paths;
  for (const char* folder : {"golden/data", "golden/races", "production", "features", "newest_jax", "user_races"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(KA_SOURCE_DIR) / "tests/data" / folder)) {
      if (entry.path().extension() == ".mlir") paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<import::KernelCall> calls;
  for (const fs::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto program = import::ReadHostProgram(text, 1);
    if (program) calls.insert(calls.end(), program->calls.begin(), program->calls.end());
  }
  return calls;
}

// What a kernel asks for must stay small enough to try many a second.
bool IsSmall(const ir::Kernel& kernel) {
  std::int64_t elements = 0;
  for (const ir::Value* argument : kernel.body->arguments) {
    const std::int64_t count = core::CheckedNumElements(argument->type.shape);
    if (count < 0 || count > kMostElements) return false;
    elements += count;
  }
  return elements <= kMostElements;
}

void RunKernel(const ir::Kernel& kernel) {
  if (!IsSmall(kernel)) return;
  const auto program = sim::Program::Decode(kernel);
  if (!program || (*program)->arena_size() > (std::size_t{64} << 20)) return;
  std::vector<core::HostArray> arrays;
  std::vector<const std::byte*> inputs;
  std::vector<std::byte*> outputs;
  for (const core::ArrayType& type : kernel.inputs) inputs.push_back(arrays.emplace_back(type).data());
  for (const core::ArrayType& type : kernel.outputs) outputs.push_back(arrays.emplace_back(type).data());
  sim::RunOptions options;
  options.work_limit = kWork;
  (void)sim::Run(**program, inputs, outputs, options);
}

}  // namespace

const std::vector<import::KernelCall>& GoldenCalls() {
  static const std::vector<import::KernelCall> calls = ReadCalls();
  return calls;
}

void TryBody(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return;
  import::KernelCall call = GoldenCalls()[data[0] % GoldenCalls().size()];
  call.body.assign(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto kernel = import::ReadMosaic(call);
  if (kernel && ir::Verify(**kernel)) RunKernel(**kernel);
}

}  // namespace kernel_audit::fuzz
