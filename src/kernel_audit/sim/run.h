// Runs a kernel: the grid, its windows, and what was seen while it ran.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel_audit/core/chip.h"
#include "kernel_audit/core/error.h"
#include "kernel_audit/sim/capacity.h"
#include "kernel_audit/sim/dma.h"
#include "kernel_audit/sim/event.h"
#include "kernel_audit/sim/finding.h"
#include "kernel_audit/sim/float_environment.h"
#include "kernel_audit/sim/program.h"

namespace kernel_audit::sim {

struct RunOptions {
  // The chip that the run stands in for: what fits. Never null.
  const core::Chip* chip = &core::DefaultChip();
  // Bounds are always checked. Off: no uninitialised memory, no ownership of elements, no traffic.
  bool observe = true;
  // Elements that all instructions together may work on, with something for each instruction and program; the default is some minutes
  // of work.
  std::uint64_t work_limit = std::uint64_t{1} << 40;
  Subnormals subnormals = Subnormals::kKeep;
  Schedule schedule = {};
  // Cores that share the programs of the first parallel grid dimension, in contiguous parts; each has its own VMEM and semaphores.
  int cores = 1;
  // Parallel grid dimensions in the order that this seed gives; nothing: as they come.
  std::optional<std::uint64_t> permute_parallel = std::nullopt;
  // Of this machine, that may run parts of a grid of independent programs (independent.h) at the same time; 0: as many as it has, where there is enough
  // to do. Nothing in the report depends on it.
  int threads = 0;
  // Where to write down all that happens; null: nowhere. Needs `observe`.
  EventLog* events = nullptr;
};

// Copies between HBM and windows, one operand.
struct Traffic {
  std::string operand;  // "input 0"
  std::int64_t fetches = 0, fetched_bytes = 0;
  std::int64_t write_backs = 0, written_bytes = 0;
  void Add(const Traffic& other);
};

// Which program wrote which block of an output last. Programs are numbered in grid order from 0.
struct Ownership {
  static constexpr std::int32_t kNobody = -1;

  Shape array_shape;
  Shape block_shape;                      // squeezed dimensions 1
  Shape blocks;                           // along each dimension, ceiling
  std::vector<std::int32_t> owner;        // one a block, row-major
  std::int64_t unwritten_elements = 0;    // inside the array
  Shape first_unwritten;                  // empty: none

  // The program that wrote the element, or kNobody.
  std::int32_t OwnerOf(const Shape& element) const;
};

struct Report {
  std::string kernel;
  Shape grid;
  std::int64_t programs = 1;
  int cores = 1;  // that had programs to run
  bool ran = true;  // false: it does not fit the chip, as the findings say; nothing below means anything but the memory
  std::string chip;              // simulated
  std::int64_t vmem_bytes = 0;   // at least needed (capacity.h)
  std::int64_t smem_bytes = 0;
  std::int64_t dmas = 0;         // started
  std::int64_t dma_bytes = 0;
  std::vector<Finding> findings;
  std::vector<Traffic> traffic;       // inputs, then outputs
  std::vector<Ownership> ownership;   // one an output
};

// Runs `program` on dense row-major arrays: kernel().inputs and kernel().outputs in their order. Output arrays may hold anything
// before; elements that nobody writes are undefined (NaN, or the largest integer) afterwards, the same ones every time. Fails with
// kFailed when the work limit is reached and with kUnsupported for grids that the simulator can't run. A kernel that cannot fit the chip
// is not run: its outputs are undefined and the finding says why.
core::Result<Report> Run(const Program& program, std::span<const std::byte* const> inputs, std::span<std::byte* const> outputs, const RunOptions& options);

// The grid point of a program number.
Shape GridPoint(const Shape& grid, std::int64_t program);

}  // namespace kernel_audit::sim
