// One core's share of a kernel's run: its programs, windows, scratch and semaphores.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "kernel_audit/sim/arrays.h"
#include "kernel_audit/sim/cross_core.h"
#include "kernel_audit/sim/machine.h"
#include "kernel_audit/sim/run.h"
#include "kernel_audit/sim/window.h"

namespace kernel_audit::sim {

// The programs of one core, in the order it runs them: a box of the grid, its parallel dimensions perhaps permuted.
struct Share {
  Shape first, size;                             // one a grid dimension
  std::vector<std::vector<std::int32_t>> order;  // a dimension: coordinate for each position; empty: as they come

  void PointAt(const Shape& position, Shape& point) const;
};

class CoreRun {
 public:
  // `grid`: the kernel's, its dynamic extents filled in.
  CoreRun(const Program& program, const Shape& grid, Arrays& arrays, FindingLog& log, CrossCore* cross_core, const RunOptions& options, int core);

  // The program at `point` came before, on another thread: a block that it saw too is not fetched a second time.
  core::Result<void> StartAfter(const Shape& point);
  core::Result<void> Run(const Share& share);
  // What is left when the kernel has ended on all cores: leaks.
  void Finish();

  Machine& machine() { return machine_; }
  // The window of an output, or null where the kernel sees the whole array.
  const OperandWindow* OutputWindow(std::size_t output) const { return output_windows_[output]; }
  const std::vector<std::unique_ptr<OperandWindow>>& windows() const { return windows_; }

 private:
  std::size_t num_inputs() const { return kernel_.inputs.size(); }
  void BindReferences();
  Buffer& BufferOf(std::size_t operand, const ir::Value* argument);
  Buffer& AddWindow(std::size_t operand, const ir::Window& window, MemorySpace space);
  bool IsAlone(bool output, std::size_t index) const;
  Buffer& WholeArray(std::size_t operand, const ir::Value* argument);
  Buffer& OwnBuffer(std::string name, const ir::Type& type);
  void SetGridPoint(const Function& function, const Shape& point);
  enum class Buffering { kOne, kMore, kAny };
  core::Result<void> EvaluateIndexMaps(const Shape& point, Buffering buffering);
  core::Result<void> RunPrograms(const Share& share);

  const Program& program_;
  const ir::Kernel& kernel_;
  Arrays& arrays_;
  Machine machine_;
  std::deque<Buffer> own_;
  std::vector<std::unique_ptr<OperandWindow>> windows_;
  std::vector<const OperandWindow*> output_windows_;
  std::vector<int> window_maps_;
  std::vector<Shape> next_;  // the block index of each window for the program that comes
  // A scalar prefetch that index maps read and the body writes, and what it held before the body.
  struct PrefetchTable {
    Buffer* buffer;
    const ir::Op* writer;
    std::vector<std::byte> before;
  };
  std::vector<PrefetchTable> tables_;
  core::Result<void> CheckPrefetch(const Share& share, const Shape& position);
  core::Result<bool> ChangesBlocks(const Share& share, Shape position);
  void SwapTables();
  void ReportPrefetch(const PrefetchTable& table);
};

}  // namespace kernel_audit::sim
