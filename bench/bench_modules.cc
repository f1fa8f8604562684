// Runs any modules, over and over, in one process, at the word of another program (bench/compare). One JSON document a line comes in, one
// goes out:
//   {"do": "load", "name": N, "module": FILE, "inputs": [FILE.npy...]}   {}
//   {"do": "run", "name": N, "observe": true}                            {"ns": wall time, "cpu_ns": of all threads, "findings": F, "programs": P}
//   {"do": "save", "name": N, "folder": FOLDER}                          {}: the outputs of a run, as out<i>.npy
//   {"do": "drop", "name": N}                                            {}
// or {"error": "..."}. A run begins with its arrays in place and ends with its outputs in place, as a compiled program's does.
#include <sys/resource.h>

#include <chrono>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "kernel_audit/core/file.h"
#include "kernel_audit/core/json.h"
#include "kernel_audit/core/npy.h"
#include "kernel_audit/simulated/simulator.h"

namespace {

namespace core = kernel_audit::core;
namespace pjrt = kernel_audit::pjrt;
namespace simulated = kernel_audit::simulated;
using core::Json;
using core::Result;

struct Loaded {
  simulated::SimulatedProgram program;
  std::vector<pjrt::Buffer> inputs;
};

Result<core::HostArray> ReadInput(const std::string& path, const core::ArrayType& wanted) {
  auto array = core::ReadNpy(path);
  if (array && wanted.dtype == core::DType::kBFloat16) array = core::Reinterpret(std::move(*array), wanted.dtype);
  if (array && array->type() != wanted) return core::Fail(core::ErrorCode::kBadInput, path + " is not what the module takes: " + core::ToString(wanted));
  return array;
}

std::int64_t CpuNanoseconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) { return (std::int64_t{time.tv_sec} * 1000000 + time.tv_usec) * 1000; };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

class Server {
 public:
  explicit Server(simulated::Simulator simulator) : simulator_(std::move(simulator)) {}

  Result<Json> Answer(const Json& request) {
    const std::string what = request.value("do", ""), name = request.value("name", "");
    if (what == "load") return Load(name, request);
    const auto found = loaded_.find(name);
    if (found == loaded_.end()) return core::Fail(core::ErrorCode::kBadInput, "nothing is loaded as '" + name + "'");
    if (what == "run") return Run(found->second, request.value("observe", false));
    if (what == "save") return Save(found->second, request.value("folder", ""));
    loaded_.erase(found);
    return Json::object();
  }

 private:
  Result<Json> Load(const std::string& name, const Json& request) {
    auto text = core::ReadFile(request.value("module", ""), std::uint64_t{1} << 30);
    if (!text) return tl::unexpected(text.error());
    auto program = simulator_.Load(*text, name);
    if (!program) return tl::unexpected(program.error());
    std::vector<core::HostArray> arrays;
    const auto files = request.value("inputs", std::vector<std::string>());
    for (std::size_t i = 0; i < files.size() && i < program->inputs().size(); ++i) {
      auto array = ReadInput(files[i], program->inputs()[i]);
      if (!array) return tl::unexpected(array.error());
      arrays.push_back(std::move(*array));
    }
    std::vector<const core::HostArray*> pointers;
    for (const core::HostArray& array : arrays) pointers.push_back(&array);
    auto placed = program->Place(pointers);
    if (!placed) return tl::unexpected(placed.error());
    loaded_.erase(name);
    loaded_.emplace(name, Loaded{std::move(*program), std::move(*placed)});
    return Json::object();
  }

  static Result<Json> Run(Loaded& loaded, bool observe) {
    const std::int64_t cpu = CpuNanoseconds();
    const auto start = std::chrono::steady_clock::now();
    auto outcome = loaded.program.RunPlaced(loaded.inputs, {.observe = observe});
    const auto wall = std::chrono::steady_clock::now() - start;
    if (!outcome) return tl::unexpected(outcome.error());
    std::int64_t findings = 0, programs = 0;
    for (const auto& kernel : outcome->kernels) {
      findings += static_cast<std::int64_t>(kernel.findings.size());
      programs += kernel.programs;
    }
    return Json{{"ns", std::chrono::nanoseconds(wall).count()}, {"cpu_ns", CpuNanoseconds() - cpu}, {"findings", findings}, {"programs", programs}};
  }

  static Result<Json> Save(Loaded& loaded, const std::string& folder) {
    auto outcome = loaded.program.RunPlaced(loaded.inputs, {.observe = false});
    if (!outcome) return tl::unexpected(outcome.error());
    for (std::size_t i = 0; i < outcome->outputs.size(); ++i) {
      const auto array = outcome->outputs[i].ToHost();
      if (!array) return tl::unexpected(array.error());
      if (auto written = core::WriteNpy(folder + "/out" + std::to_string(i) + ".npy", *array); !written) return tl::unexpected(written.error());
    }
    return Json::object();
  }

  simulated::Simulator simulator_;
  std::map<std::string, Loaded> loaded_;
};

}  // namespace

int main() {
  auto simulator = simulated::Simulator::Create();
  if (!simulator) {
    std::cerr << simulator.error().ToString() << "\n";
    return 2;
  }
  Server server(std::move(*simulator));
  for (std::string line; std::getline(std::cin, line);) {
    const auto request = core::ParseJson(line);
    const Result<Json> answer = request ? server.Answer(*request) : Result<Json>(tl::unexpected(request.error()));
    std::cout << (answer ? *answer : Json{{"error", answer.error().ToString()}}).dump() << std::endl;
  }
}
