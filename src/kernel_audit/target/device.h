// What the measuring protocol asks of a device.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

#include "kernel_audit/core/error.h"
#include "kernel_audit/core/host_array.h"

namespace kernel_audit::target {

// Numbers of the device's own.
enum class PlacedArray : std::int64_t {};
enum class CompiledProgram : std::int64_t {};

class Device {
 public:
  virtual ~Device() = default;

  // In the backend's own words; asking allocates nothing.
  virtual std::string backend() const = 0;  // "cpu", "tpu"
  virtual std::string kind() const = 0;     // "TPU v5 lite"
  virtual bool is_tpu() const = 0;
  // At most, between the device's cores and its main memory; 0: not known. A peak from a table, never a measurement.
  virtual std::int64_t bytes_per_second() const = 0;

  // Copies an array to the device and returns when it is there.
  virtual core::Result<PlacedArray> Place(const core::HostArray& array) = 0;
  // Whether the array lies in this device's memory.
  virtual bool IsPlaced(PlacedArray array) const = 0;
  virtual core::Result<core::HostArray> Fetch(PlacedArray array) = 0;
  virtual void Free(PlacedArray array) = 0;

  // A StableHLO module of one result. `name` begins messages about it.
  virtual core::Result<CompiledProgram> Compile(const std::string& module, const std::string& name) = 0;
  // Starts the program; the result may still be on its way.
  virtual core::Result<PlacedArray> Execute(CompiledProgram program, std::span<const PlacedArray> inputs) = 0;
  // Returns when the array holds its values.
  virtual core::Result<void> Await(PlacedArray array) = 0;
  virtual bool IsReady(PlacedArray array) const = 0;

  // Never goes backwards.
  virtual std::chrono::nanoseconds Now() = 0;
};

}  // namespace kernel_audit::target
