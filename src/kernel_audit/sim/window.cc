#include "kernel_audit/sim/window.h"

#include <algorithm>

namespace kernel_audit::sim {
namespace {

// Where the index map was written: at its first operation, or else at the call.
core::SourceLocation IndexMapLocation(const ir::Kernel& kernel, const ir::Window& window) {
  for (const ir::Op* op : kernel.index_maps[static_cast<std::size_t>(window.index_map)].body->ops) {
    if (op->location.known()) return op->location;
  }
  return kernel.location;
}

}  // namespace

OperandWindow::OperandWindow(std::string operand, const ir::Window& window, Buffer& array, bool is_output, bool aliased, bool alone, MemorySpace space)
    : operand_(std::move(operand)), window_(&window), array_(&array), is_output_(is_output), aliased_(aliased), alone_(alone), index_(window.block_shape.size()) {
  block_ = Buffer::Own("the window of " + operand_, space, window.block_shape, array.dtype);
  traffic_.operand = operand_;
  whole_array_ = View::Whole(array);
  whole_block_view_ = View::Whole(block_);
  std::int64_t count = 1;
  for (std::size_t d = 0; d < window.block_shape.size(); ++d) {
    blocks_.push_back((array.shape[d] + window.block_shape[d] - 1) / window.block_shape[d]);
    count *= blocks_.back();
  }
  if (is_output) owner_.assign(static_cast<std::size_t>(count), Ownership::kNobody);
}

std::int64_t OperandWindow::BlockNumber() const {
  std::int64_t number = 0;
  for (std::size_t d = 0; d < index_.size(); ++d) {
    const std::int64_t at = window_->element_indexed ? std::max<std::int64_t>(0, index_[d]) / window_->block_shape[d] : index_[d];
    number = number * blocks_[d] + at;
  }
  return number;
}

// The first element of a dimension that the block covers, and whether the window may lie there: blocks may stick out at the end, windows
// that are placed by elements only as far as their padding goes.
bool OperandWindow::Covers(std::size_t d, std::int64_t index, std::int64_t& start) const {
  const std::int64_t extent = array_->shape[d], block = window_->block_shape[d];
  if (!window_->element_indexed) {
    start = index * block;
    return index >= 0 && start < extent;
  }
  const std::int64_t low = window_->padding_low[d], high = window_->padding_high[d];
  start = index - low;
  return start >= -low && start + block <= extent + high && start < extent && start + block > 0;
}

// Works out which part of the array the block covers. A block without any element in the array is reported.
bool OperandWindow::Place(Machine& machine, const Shape& index) {
  std::array<std::int64_t, kMaxRank> start{}, size{}, skip{};
  index_ = index;
  placed_ = true;
  whole_block_ = true;
  for (std::size_t d = 0; d < index.size(); ++d) {
    const std::int64_t extent = array_->shape[d], block = window_->block_shape[d];
    if (Covers(d, index[d], start[d])) {
      skip[d] = std::max<std::int64_t>(0, -start[d]);
      start[d] += skip[d];
      size[d] = std::min(block - skip[d], extent - start[d]);
      whole_block_ = whole_block_ && size[d] == block;
      continue;
    }
    Finding finding;
    finding.kind = FindingKind::kOutOfBounds;
    finding.buffer = operand_;
    finding.location = IndexMapLocation(machine.program().kernel(), *window_);
    finding.accesses = {{machine.name(), is_output_, finding.location, "block " + core::ToString(index), machine.grid_point}};
    finding.message = "the index map of " + operand_ + " gives block " + core::ToString(index) + ", elements " + RangeText(start[d], block) + " of dimension " + std::to_string(d) + ", whose extent is " + std::to_string(extent);
    machine.Report(std::move(finding));
    return false;
  }
  array_part_ = whole_array_.Sub(start.data(), size.data());
  block_part_ = whole_block_view_.Sub(skip.data(), size.data());
  return true;
}

void OperandWindow::MoveTo(Machine& machine, const Shape& index, std::int32_t program) {
  if (placed_ && index == index_) return;
  inside_ = Place(machine, index);
  // From here on the memory is the next block's.
  if (machine.observe()) machine.dmas().NoteAccess(View::Whole(block_), true, nullptr);
  if (is_output_) {
    block_.Show(array_part_, Buffer::Content::kUndefined, alone_ && inside_ && whole_block_ && !window_->element_indexed);
    if (machine.observe()) block_.shadow.Reset(block_.elements, kUnwritten);
    if (inside_) NoteVisit(machine, program);
  } else {
    Fetch(machine);
  }
}

void OperandWindow::Fetch(Machine& machine) {
  block_.content = Buffer::Content::kOwn;
  if (!whole_block_ || !inside_) block_.FillUndefined();
  if (!inside_) return block_.shadow.Reset(block_.elements, kValid);  // reported already
  if (alone_ && whole_block_) {
    block_.Show(array_part_, Buffer::Content::kInArray, false);
  } else {
    Copy(block_part_, array_part_);
  }
  machine.Charge(block_.elements);
  if (index_before_ != index_) {
    ++traffic_.fetches;
    traffic_.fetched_bytes += block_part_.elements() * static_cast<std::int64_t>(block_.element_size);
  }
  index_before_.reset();
  if (!machine.observe()) return;
  machine.NoteAccess(array_part_, false, nullptr);
  block_.shadow.Reset(block_.elements, whole_block_ ? kValid : kUnwritten);
  block_.past_edge = !whole_block_;
  states_.resize(static_cast<std::size_t>(block_part_.elements()));
  const bool any = ReadStates(array_part_, states_.data());
  if (any || !whole_block_) WriteStates(block_part_, any ? states_.data() : nullptr);
}

void OperandWindow::NoteVisit(Machine& machine, std::int32_t program) {
  std::int32_t& owner = owner_[static_cast<std::size_t>(BlockNumber())];
  if (owner != Ownership::kNobody && !aliased_ && !window_->element_indexed) {
    Finding finding;
    finding.kind = FindingKind::kOwnership;
    finding.buffer = operand_;
    finding.location = IndexMapLocation(machine.program().kernel(), *window_);
    finding.accesses = {{machine.name(), true, finding.location, RegionText(array_part_), machine.grid_point}};
    finding.message = "block " + core::ToString(index_) + " of " + operand_ + " is visited again after other blocks were; program " +
                      core::ToString(GridPoint(machine.grid, owner)) +
                      " wrote it last, and what it left there is lost (put the reduction on the last grid dimension)";
    machine.Report(std::move(finding));
  }
  owner = program;
}

void OperandWindow::Abandon() {
  if (is_output_ && placed_ && inside_) owner_[static_cast<std::size_t>(BlockNumber())] = Ownership::kNobody;
}

void OperandWindow::WriteBack(Machine& machine, std::int32_t program) {
  if (!is_output_ || !placed_ || !inside_) return;
  owner_[static_cast<std::size_t>(BlockNumber())] = program;
  if (machine.observe()) machine.dmas().NoteAccess(block_part_, false, nullptr);
  if (block_.content != Buffer::Content::kInArray) Copy(array_part_, block_part_);
  machine.Charge(block_.elements);
  ++traffic_.write_backs;
  traffic_.written_bytes += block_part_.elements() * static_cast<std::int64_t>(block_.element_size);
  if (!machine.observe()) return;
  machine.NoteAccess(array_part_, true, nullptr);
  states_.resize(static_cast<std::size_t>(block_part_.elements()));
  const bool any = ReadStates(block_part_, states_.data());
  WriteStates(array_part_, any ? states_.data() : nullptr);
  if (any) ReportUnset(machine);
}

// A block that carries elements computed from memory that was never written.
void OperandWindow::ReportUnset(Machine& machine) {
  const auto bad = std::find_if(states_.begin(), states_.end(), [](ElementState state) { return state >= kFirstOrigin; });
  if (bad != states_.end()) machine.ReportUninitialized(*bad, block_.stored_by, "part of " + operand_);
}

}  // namespace kernel_audit::sim
