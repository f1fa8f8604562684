#include "kernel_audit/simulated/simulator.h"

#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <optional>

#include "kernel_audit/core/sha256.h"
#include "kernel_audit/import/module.h"
#include "kernel_audit/pjrt/custom_call.h"

namespace kernel_audit::simulated {
namespace {

// Kernels run on XLA's threads and find their program by its number.
struct KernelHost {
  std::mutex mutex;
  std::vector<std::unique_ptr<sim::Program>> programs;
  sim::RunOptions options;
  std::vector<sim::Report> reports;
  std::optional<core::Error> error;  // the first one, before the plugin wraps it
};

std::mutex registry_mutex;
std::map<std::int64_t, KernelHost*>& Registry() {
  static std::map<std::int64_t, KernelHost*> hosts;
  return hosts;
}

core::Result<KernelHost*> FindHost(std::int64_t program) {
  const std::lock_guard<std::mutex> lock(registry_mutex);
  const auto found = Registry().find(program);
  if (found == Registry().end()) return core::Fail(core::ErrorCode::kBadInput, "no program " + std::to_string(program) + " is loaded");
  return found->second;
}

core::Result<void> CheckArrays(std::span<const pjrt::BufferView> given, const std::vector<core::ArrayType>& wanted, const char* what) {
  bool same = given.size() == wanted.size();
  for (std::size_t i = 0; same && i < given.size(); ++i) same = given[i].shape == wanted[i].shape && given[i].dtype == wanted[i].dtype;
  if (!same) return core::Fail(core::ErrorCode::kBadInput, std::string("XLA passed other ") + what + " than the kernel's call declares");
  return {};
}

// XLA hands out fresh memory for large results. A block of a wide array touches a page a row, and each new page costs about as much time as
// a kernel needs for its elements; whether the system has huge pages to give makes no difference but to time.
void PreferHugePages(const pjrt::BufferView& view) {
  constexpr std::uintptr_t kPage = 4096;
  constexpr std::size_t kLarge = std::size_t{1} << 22;
  const std::size_t bytes = core::ArrayType{view.dtype, view.shape}.byte_size();
  if (bytes < kLarge) return;
  const auto start = (reinterpret_cast<std::uintptr_t>(view.data) + kPage - 1) / kPage * kPage;
  const auto end = (reinterpret_cast<std::uintptr_t>(view.data) + bytes) / kPage * kPage;
  static_cast<void>(madvise(reinterpret_cast<void*>(start), end - start, MADV_HUGEPAGE));
}

core::Result<void> RunKernel(const pjrt::CustomCall& call, KernelHost& host) {
  const auto index = call.GetInteger("kernel");
  if (!index) return tl::unexpected(index.error());
  if (*index < 0 || static_cast<std::size_t>(*index) >= host.programs.size()) return core::Fail(core::ErrorCode::kBadInput, "no such kernel");
  const std::lock_guard<std::mutex> lock(host.mutex);
  const sim::Program& program = *host.programs[static_cast<std::size_t>(*index)];
  if (auto ok = CheckArrays(call.arguments, program.kernel().inputs, "arguments"); !ok) return ok;
  if (auto ok = CheckArrays(call.results, program.kernel().outputs, "results"); !ok) return ok;
  std::vector<const std::byte*> inputs;
  std::vector<std::byte*> outputs;
  for (const pjrt::BufferView& view : call.arguments) inputs.push_back(static_cast<const std::byte*>(view.data));
  for (const pjrt::BufferView& view : call.results) {
    PreferHugePages(view);
    outputs.push_back(static_cast<std::byte*>(view.data));
  }
  auto report = sim::Run(program, inputs, outputs, host.options);
  if (!report) {
    if (!host.error) host.error = report.error();
    return tl::unexpected(report.error());
  }
  host.reports.push_back(std::move(*report));
  return {};
}

core::Result<void> HandleKernel(const pjrt::CustomCall& call) {
  const auto program = call.GetInteger("program");
  if (!program) return tl::unexpected(program.error());
  const auto host = FindHost(*program);
  if (!host) return tl::unexpected(host.error());
  return RunKernel(call, **host);
}

}  // namespace

std::string CpuPluginPath() {
  const char* named = std::getenv("KERNEL_AUDIT_XLA_CPU_PLUGIN");
  return named != nullptr ? named : KA_DEPS_DIR "/xla_cpu/pjrt_c_api_cpu_plugin.so";
}

bool Outcome::clean() const {
  for (const sim::Report& report : kernels) {
    if (!report.findings.empty()) return false;
  }
  return true;
}

struct SimulatedProgram::State {
  State(std::int64_t number) : id(number) {
    const std::lock_guard<std::mutex> lock(registry_mutex);
    Registry()[id] = &host;
  }
  ~State() {
    const std::lock_guard<std::mutex> lock(registry_mutex);
    Registry().erase(id);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::int64_t id;
  std::string sha256;
  import::ImportedModule module;
  mutable KernelHost host;
  const pjrt::Client* client = nullptr;
  std::optional<pjrt::Executable> executable;
};

SimulatedProgram::SimulatedProgram(std::unique_ptr<State> state) : state_(std::move(state)) {}
SimulatedProgram::SimulatedProgram(SimulatedProgram&&) noexcept = default;
SimulatedProgram& SimulatedProgram::operator=(SimulatedProgram&&) noexcept = default;
SimulatedProgram::~SimulatedProgram() = default;

const std::string& SimulatedProgram::sha256() const { return state_->sha256; }
const std::vector<core::ArrayType>& SimulatedProgram::inputs() const { return state_->module.inputs; }
const std::vector<core::ArrayType>& SimulatedProgram::outputs() const { return state_->module.outputs; }
std::size_t SimulatedProgram::num_kernels() const { return state_->module.kernels.size(); }

const ir::Kernel& SimulatedProgram::kernel(std::size_t index) const { return *state_->module.kernels.at(index); }

core::Result<std::vector<pjrt::Buffer>> SimulatedProgram::Place(std::span<const core::HostArray* const> inputs) const {
  std::vector<pjrt::Buffer> buffers;
  for (const core::HostArray* input : inputs) {
    auto buffer = state_->client->FromHost(*input);
    if (!buffer) return tl::unexpected(buffer.error());
    buffers.push_back(std::move(*buffer));
  }
  return buffers;
}

core::Result<PlacedOutcome> SimulatedProgram::RunPlaced(std::span<const pjrt::Buffer> inputs, const sim::RunOptions& options) const {
  std::vector<const pjrt::Buffer*> arguments;
  for (const pjrt::Buffer& buffer : inputs) arguments.push_back(&buffer);
  {
    const std::lock_guard<std::mutex> lock(state_->host.mutex);
    state_->host.options = options;
    state_->host.reports.clear();
    state_->host.error.reset();
  }
  auto results = state_->executable->Execute(arguments);
  const std::lock_guard<std::mutex> lock(state_->host.mutex);
  if (!results) return tl::unexpected(state_->host.error ? *state_->host.error : results.error());
  return PlacedOutcome{std::move(*results), std::move(state_->host.reports)};
}

core::Result<Outcome> SimulatedProgram::Run(std::span<const core::HostArray* const> inputs, const sim::RunOptions& options) const {
  const auto placed = Place(inputs);
  if (!placed) return tl::unexpected(placed.error());
  auto ran = RunPlaced(*placed, options);
  if (!ran) return tl::unexpected(ran.error());
  Outcome outcome;
  for (const pjrt::Buffer& result : ran->outputs) {
    auto array = result.ToHost();
    if (!array) return tl::unexpected(array.error());
    outcome.outputs.push_back(std::move(*array));
  }
  outcome.kernels = std::move(ran->kernels);
  return outcome;
}

core::Result<Simulator> Simulator::Create() {
  auto plugin = pjrt::Plugin::Load(CpuPluginPath());
  if (!plugin) return tl::unexpected(plugin.error());
  if (auto done = pjrt::RegisterCustomCall(*plugin, "tpu_custom_call", HandleKernel); !done) return tl::unexpected(done.error());
  auto client = pjrt::Client::Create(*plugin);
  if (!client) return tl::unexpected(client.error());
  return Simulator(std::move(*client));
}

core::Result<SimulatedProgram> Simulator::Load(std::string_view module, std::string_view name, const AcceptHost& accept) const {
  static std::atomic<std::int64_t> next{1};
  auto state = std::make_unique<SimulatedProgram::State>(next++);
  auto imported = import::ImportModule(module, state->id);
  if (!imported) return tl::unexpected(imported.error());
  if (accept) {
    if (auto accepted = accept(imported->host_text); !accepted) return tl::unexpected(accepted.error());
  }
  state->module = std::move(*imported);
  state->sha256 = core::Sha256(module);
  for (const auto& kernel : state->module.kernels) {
    auto program = sim::Program::Decode(*kernel);
    if (!program) return tl::unexpected(program.error());
    state->host.programs.push_back(std::move(*program));
  }
  auto executable = client_.Compile(state->module.host_text, name);
  if (!executable) return tl::unexpected(executable.error());
  state->executable = std::move(*executable);
  state->client = &client_;
  return SimulatedProgram(std::move(state));
}

}  // namespace kernel_audit::simulated
