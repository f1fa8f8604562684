// The device behind a PJRT plugin: the one code path of `target`, whatever the plugin.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_audit/core/chip.h"
#include "kernel_audit/pjrt/client.h"
#include "kernel_audit/target/device.h"

namespace kernel_audit::target {

// What the plugin of this project's own tests calls its platform. It passes the guards, so that the protocol can be tested, and
// RequireReceiptable refuses it.
inline constexpr const char* kTestPlatform = "kernel-audit-test-tpu";

// The chip that a device's kind names ("TPU v5 lite"); null for a kind that is none of them. Source of the kinds: JAX 0.9.2's tpu_info.py.
const core::Chip* ChipOfKind(std::string_view kind);

class PjrtDevice : public Device {
 public:
  // Loads the plugin, makes its client and takes its first device. Plugin::Load's errors for a file that is no plugin. kRefused, with the
  // plugin's words: no client, no device, or a lock that another process holds.
  static core::Result<PjrtDevice> Open(const std::filesystem::path& plugin);

  // The first of the devices that this process can give work to.
  std::string backend() const override { return client_.platform_name(); }
  std::string kind() const override { return client_.devices()[0].kind; }
  bool is_tpu() const override;
  std::int64_t bytes_per_second() const override;

  core::Result<PlacedArray> Place(const core::HostArray& array) override;
  bool IsPlaced(PlacedArray array) const override;
  core::Result<core::HostArray> Fetch(PlacedArray array) override;
  void Free(PlacedArray array) override { arrays_.erase(array); }
  // kBadInput for a program of more or fewer than one result.
  core::Result<CompiledProgram> Compile(const std::string& module, const std::string& name) override;
  core::Result<PlacedArray> Execute(CompiledProgram program, std::span<const PlacedArray> inputs) override;
  core::Result<void> Await(PlacedArray array) override;
  bool IsReady(PlacedArray array) const override;
  std::chrono::nanoseconds Now() override;

  const pjrt::Client& client() const { return client_; }

 private:
  explicit PjrtDevice(pjrt::Client client) : client_(std::move(client)) {}
  PlacedArray Keep(pjrt::Buffer buffer);
  const pjrt::Buffer& Array(PlacedArray array) const;

  pjrt::Client client_;
  std::vector<pjrt::Executable> programs_;
  std::map<PlacedArray, pjrt::Buffer> arrays_;
  std::int64_t next_ = 1;
};

}  // namespace kernel_audit::target
