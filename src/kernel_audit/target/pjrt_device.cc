#include "kernel_audit/target/pjrt_device.h"

#include <utility>

#include "kernel_audit/target/benchmark.h"

namespace kernel_audit::target {
namespace {

using core::ErrorCode;

core::Error Refusal(const std::string& plugin, core::Error error) {
  if (error.code != ErrorCode::kPlugin) return error;
  const bool locked = error.message.find("lockfile") != std::string::npos || error.message.find("already in use") != std::string::npos;
  const std::string what = locked ? "the TPU is held by another process; end that one first" : "no TPU";
  return {ErrorCode::kRefused, what + ": " + plugin + " says: " + error.message, {}};
}

}  // namespace

const core::Chip* ChipOfKind(std::string_view kind) {
  static constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
      {"TPU v2", "v2"},       {"TPU v3", "v3"},       {"TPU v4 lite", "v4i"}, {"TPU v4", "v4"},   {"TPU v5 lite", "v5e"}, {"TPU v5e", "v5e"},
      {"TPU v5", "v5p"},      {"TPU v5p", "v5p"},     {"TPU v6 lite", "v6e"}, {"TPU v6e", "v6e"}, {"TPU7x", "7x"}};
  for (const auto& [name, chip] : kKinds) {
    if (name == kind) return *core::FindChip(chip);
  }
  return nullptr;
}

core::Result<PjrtDevice> PjrtDevice::Open(const std::filesystem::path& path) {
  auto plugin = pjrt::Plugin::Load(path);
  if (!plugin) return tl::unexpected(Refusal(path.string(), plugin.error()));
  auto client = pjrt::Client::Create(*plugin);
  if (!client) return tl::unexpected(Refusal(path.string(), client.error()));
  if (!client->devices().empty()) return PjrtDevice(std::move(*client));
  return core::Fail(ErrorCode::kRefused, "no TPU: " + plugin->path() + " (platform " + client->platform_name() + ") reports " +
                                             std::to_string(client->device_count()) + " devices, none of which this process can use");
}

bool PjrtDevice::is_tpu() const { return backend() == kTpuPlatform || backend() == kTestPlatform; }

// A device is a core, or a chip whose cores run one program together.
std::int64_t PjrtDevice::bytes_per_second() const {
  const core::Chip* chip = backend() == kTestPlatform ? &core::DefaultChip() : ChipOfKind(kind());
  if (chip == nullptr) return 0;
  return chip->hbm_bytes_per_second * (chip->megacore ? chip->cores : 1);
}

PlacedArray PjrtDevice::Keep(pjrt::Buffer buffer) {
  const auto number = static_cast<PlacedArray>(next_++);
  arrays_.emplace(number, std::move(buffer));
  return number;
}

const pjrt::Buffer& PjrtDevice::Array(PlacedArray array) const {
  const auto found = arrays_.find(array);
  if (found == arrays_.end()) throw core::InternalError("an array that the device does not hold");
  return found->second;
}

core::Result<PlacedArray> PjrtDevice::Place(const core::HostArray& array) {
  auto buffer = client_.FromHost(array, 0);
  if (!buffer) return tl::unexpected(std::move(buffer.error()));
  if (auto there = buffer->AwaitReady(); !there) return tl::unexpected(std::move(there.error()));
  return Keep(std::move(*buffer));
}

bool PjrtDevice::IsPlaced(PlacedArray array) const { return Array(array).IsOnDevice(0).value_or(false); }

core::Result<core::HostArray> PjrtDevice::Fetch(PlacedArray array) { return Array(array).ToHost(); }

core::Result<CompiledProgram> PjrtDevice::Compile(const std::string& module, const std::string& name) {
  auto program = client_.Compile(module, name);
  if (!program) return tl::unexpected(std::move(program.error()));
  if (program->num_outputs() != 1) return core::Fail(ErrorCode::kBadInput, name + ": the program has " + std::to_string(program->num_outputs()) + " results, one is asked for");
  programs_.push_back(std::move(*program));
  return static_cast<CompiledProgram>(programs_.size() - 1);
}

core::Result<PlacedArray> PjrtDevice::Execute(CompiledProgram program, std::span<const PlacedArray> inputs) {
  std::vector<const pjrt::Buffer*> arguments;
  for (const PlacedArray input : inputs) arguments.push_back(&Array(input));
  auto outputs = programs_.at(static_cast<std::size_t>(program)).Start(arguments);
  if (!outputs) return tl::unexpected(std::move(outputs.error()));
  return Keep(std::move(outputs->front()));
}

core::Result<void> PjrtDevice::Await(PlacedArray array) { return Array(array).AwaitReady(); }

bool PjrtDevice::IsReady(PlacedArray array) const { return Array(array).IsReady().value_or(false); }

std::chrono::nanoseconds PjrtDevice::Now() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace kernel_audit::target
