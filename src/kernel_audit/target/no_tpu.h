// The device of a process that has no TPU: it says so, and does nothing else.
#pragma once

#include "kernel_audit/target/device.h"

namespace kernel_audit::target {

// `backend` is the one that the process has, `why` the reason that it is no other.
class NoTpu : public Device {
 public:
  explicit NoTpu(std::string why = "this process loaded no libtpu", std::string backend = "cpu") : why_(std::move(why)), backend_(std::move(backend)) {}

  std::string backend() const override { return backend_; }
  std::string kind() const override { return "none: " + why_; }
  bool is_tpu() const override { return false; }
  std::int64_t bytes_per_second() const override { return 0; }

  // All kRefused.
  core::Result<PlacedArray> Place(const core::HostArray&) override;
  core::Result<core::HostArray> Fetch(PlacedArray) override;
  core::Result<CompiledProgram> Compile(const std::string&, const std::string&) override;
  core::Result<PlacedArray> Execute(CompiledProgram, std::span<const PlacedArray>) override;
  core::Result<void> Await(PlacedArray) override;

  bool IsPlaced(PlacedArray) const override { return false; }
  bool IsReady(PlacedArray) const override { return false; }
  void Free(PlacedArray) override {}
  std::chrono::nanoseconds Now() override { return std::chrono::nanoseconds(0); }

 private:
  std::string why_, backend_;
};

}  // namespace kernel_audit::target
