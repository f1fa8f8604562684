// An operand's window: the block of it that the kernel sees, copied when its index changes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel_audit/sim/machine.h"
#include "kernel_audit/sim/memory.h"
#include "kernel_audit/sim/run.h"

namespace kernel_audit::sim {

// One windowed input or output of a running kernel.
class OperandWindow {
 public:
  // `array` is the operand's whole array. `alone`: nobody else has anything to do with it while the kernel runs, so that the block may
  // lie in the array itself instead of memory of the window's own.
  OperandWindow(std::string operand, const ir::Window& window, Buffer& array, bool is_output, bool aliased, bool alone, MemorySpace space);

  Buffer& block() { return block_; }
  bool is_output() const { return is_output_; }
  const std::string& operand() const { return operand_; }
  const ir::Window& window() const { return *window_; }

  // Brings the block at `index` in: an input is fetched, an output starts undefined. Nothing happens while the index stays the same.
  // Call WriteBack first.
  void MoveTo(Machine& machine, const Shape& index, std::int32_t program);
  // The program before the first one was at `index`.
  void StartAfter(const Shape& index) { index_before_ = index; }
  // True when `index` is not where the window is.
  bool Leaves(const Shape& index) const { return placed_ && index != index_; }
  // An output's block will not be written back: a deadlock.
  void Abandon();
  // Copies an output's block to its array.
  void WriteBack(Machine& machine, std::int32_t program);

  const Traffic& traffic() const { return traffic_; }
  const std::vector<std::int32_t>& owners() const { return owner_; }
  const Shape& blocks() const { return blocks_; }

 private:
  bool Covers(std::size_t d, std::int64_t index, std::int64_t& start) const;
  bool Place(Machine& machine, const Shape& index);
  void Fetch(Machine& machine);
  void NoteVisit(Machine& machine, std::int32_t program);
  void ReportUnset(Machine& machine);
  std::int64_t BlockNumber() const;

  std::string operand_;
  const ir::Window* window_;
  Buffer* array_;
  Buffer block_;
  bool is_output_, aliased_, alone_;
  bool placed_ = false, inside_ = false;
  Shape index_, blocks_;
  std::optional<Shape> index_before_;
  View whole_array_, whole_block_view_;
  View array_part_, block_part_;  // the elements of the block that the array has
  bool whole_block_ = true;
  std::vector<std::int32_t> owner_;
  Traffic traffic_;
  std::vector<ElementState> states_;
};

}  // namespace kernel_audit::sim
