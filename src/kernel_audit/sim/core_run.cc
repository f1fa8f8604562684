#include "kernel_audit/sim/core_run.h"

#include <algorithm>

#include "kernel_audit/sim/independent.h"

namespace kernel_audit::sim {
namespace {

// What moving from program to program costs, in elements' worth of time.
constexpr std::uint64_t kProgramWork = 1024;

bool IsRead(const ir::Region& region, const ir::Value* reference) {
  return std::any_of(region.ops.begin(), region.ops.end(), [&](const ir::Op* op) {
    return std::find(op->operands.begin(), op->operands.end(), reference) != op->operands.end();
  });
}

// Whether an index map reads the scalar prefetch of this number.
bool IndexMapsRead(const ir::Kernel& kernel, std::size_t prefetch) {
  return std::any_of(kernel.index_maps.begin(), kernel.index_maps.end(), [&](const ir::IndexMap& map) {
    return IsRead(*map.body, map.body->arguments[kernel.grid.size() + prefetch]);
  });
}

bool Advance(Shape& position, const Shape& size) {
  for (std::size_t d = size.size(); d-- > 0;) {
    if (++position[d] < size[d]) return true;
    position[d] = 0;
  }
  return false;
}

std::int64_t ProgramNumber(const Shape& point, const Shape& grid) {
  std::int64_t number = 0;
  for (std::size_t d = 0; d < grid.size(); ++d) number = number * grid[d] + point[d];
  return number;
}

}  // namespace

void Share::PointAt(const Shape& position, Shape& point) const {
  point.resize(position.size());
  for (std::size_t d = 0; d < point.size(); ++d) {
    const std::int64_t at = first[d] + position[d];
    point[d] = order[d].empty() ? at : order[d][static_cast<std::size_t>(at)];
  }
}

CoreRun::CoreRun(const Program& program, const Shape& grid, Arrays& arrays, FindingLog& log, CrossCore* cross_core, const RunOptions& options, int core)
    : program_(program), kernel_(program.kernel()), arrays_(arrays), machine_(program, log, cross_core, options, core),
      output_windows_(kernel_.outputs.size(), nullptr) {
  machine_.grid = grid;
  machine_.set_own_memory(&own_);
  BindReferences();
}

void CoreRun::BindReferences() {
  const std::vector<ir::Value*>& arguments = kernel_.body->arguments;
  const std::size_t first = kernel_.grid.size();
  for (std::size_t i = 0; first + i < arguments.size(); ++i) {
    machine_.reference(program_.body().reference_registers[i]) = View::Whole(BufferOf(kernel_.num_dynamic_extents() + i, arguments[first + i]));
  }
}

Buffer& CoreRun::BufferOf(std::size_t operand, const ir::Value* argument) {
  const std::size_t operands = num_inputs() + kernel_.outputs.size();
  const auto prefetch = kernel_.num_dynamic_extents() + static_cast<std::size_t>(kernel_.num_scalar_prefetch);
  if (operand >= operands) return OwnBuffer("scratch " + std::to_string(operand - operands), argument->type);
  const bool windowed = operand >= prefetch && operand - prefetch < kernel_.windows.size() && kernel_.windows[operand - prefetch];
  return windowed ? AddWindow(operand, *kernel_.windows[operand - prefetch], argument->type.space) : WholeArray(operand, argument);
}

// Memory that belongs to the core: scratch, or a copy of an input that the kernel writes to.
Buffer& CoreRun::OwnBuffer(std::string name, const ir::Type& type) {
  Buffer& buffer = own_.emplace_back(Buffer::Own(std::move(name), type.space, type.shape, type.dtype));
  buffer.shadow.Reset(buffer.elements, core::IsSemaphore(type.dtype) ? kValid : kUnwritten);
  return buffer;
}

Buffer& CoreRun::AddWindow(std::size_t operand, const ir::Window& window, MemorySpace space) {
  const bool output = operand >= num_inputs();
  const std::size_t index = output ? operand - num_inputs() : operand;
  Buffer& array = output ? arrays_.output(index) : arrays_.input(index);
  const std::string name = (output ? "output " : "input ") + std::to_string(index);
  windows_.push_back(std::make_unique<OperandWindow>(name, window, array, output, output && arrays_.is_aliased(index), IsAlone(output, index), space));
  if (output) output_windows_[index] = windows_.back().get();
  window_maps_.push_back(window.index_map);
  next_.emplace_back(window.block_shape.size());
  return windows_.back()->block();
}

// Nothing but this one window reads or writes the array while the kernel runs.
bool CoreRun::IsAlone(bool output, std::size_t index) const {
  const bool aliased = std::any_of(kernel_.aliases.begin(), kernel_.aliases.end(), [&](const auto& alias) {
    return static_cast<std::size_t>(output ? alias.second : alias.first) == index;
  });
  return !aliased && (!output || machine_.cross_core() == nullptr);
}

Buffer& CoreRun::WholeArray(std::size_t operand, const ir::Value* argument) {
  if (operand >= num_inputs()) return arrays_.output(operand - num_inputs());
  Buffer& array = arrays_.input(operand);
  const ir::Op* writer = WriterOf(*kernel_.body, argument);
  if (arrays_.is_shared(operand) || writer == nullptr) return array;
  Buffer& copy = OwnBuffer(array.name, argument->type);
  std::copy_n(array.data, array.elements * array.element_size, copy.data);
  copy.shadow.SetAll(kValid);
  const std::size_t prefetch = operand - kernel_.num_dynamic_extents();
  if (prefetch < static_cast<std::size_t>(kernel_.num_scalar_prefetch) && IndexMapsRead(kernel_, prefetch)) tables_.push_back({&copy, writer, copy.storage});
  return copy;
}

void CoreRun::SetGridPoint(const Function& function, const Shape& point) {
  for (std::size_t d = 0; d < point.size(); ++d) machine_.SetInt32(function.grid_registers[d], static_cast<std::int32_t>(point[d]));
}

// The block index of every window at a grid point.
core::Result<void> CoreRun::EvaluateIndexMaps(const Shape& point, Buffering buffering) {
  machine_.grid_point = point;
  for (std::size_t w = 0; w < windows_.size(); ++w) {
    const bool one = windows_[w]->window().buffers == 1;
    if (one != (buffering == Buffering::kOne) && buffering != Buffering::kAny) continue;
    const Function& function = program_.index_maps()[static_cast<std::size_t>(window_maps_[w])];
    SetGridPoint(function, point);
    for (std::size_t r = 0; r < function.reference_registers.size(); ++r) {
      machine_.reference(function.reference_registers[r]) = machine_.reference(program_.body().reference_registers[r]);
    }
    if (auto done = machine_.Run(function); !done) return done;
    for (std::size_t d = 0; d < next_[w].size(); ++d) {
      machine_.CheckScalar(function.result_registers[d], nullptr, "a block index");
      next_[w][d] = machine_.Integer(function.result_registers[d]);
    }
  }
  return {};
}

void CoreRun::SwapTables() {
  for (PrefetchTable& table : tables_) std::swap_ranges(table.before.begin(), table.before.end(), table.buffer->storage.begin());
}

// Whether what the body did to the tables matters to a block of the program at `position` or of a later one.
core::Result<bool> CoreRun::ChangesBlocks(const Share& share, Shape position) {
  const std::vector<Shape> kept = next_;
  bool changes = false;
  do {
    Shape point;
    share.PointAt(position, point);
    if (auto done = EvaluateIndexMaps(point, Buffering::kAny); !done) return tl::unexpected(done.error());
    const std::vector<Shape> now = next_;
    SwapTables();
    auto done = EvaluateIndexMaps(point, Buffering::kAny);
    SwapTables();
    if (!done) return tl::unexpected(done.error());
    changes = next_ != now;
  } while (!changes && Advance(position, share.size));
  next_ = kept;
  return changes;
}

// The next index has been read already, the one after it has not: how many depends on the number of buffers.
core::Result<void> CoreRun::CheckPrefetch(const Share& share, const Shape& position) {
  const auto same = [](const PrefetchTable& table) { return table.before == table.buffer->storage; };
  if (std::all_of(tables_.begin(), tables_.end(), same)) return {};
  const Shape point = machine_.grid_point;
  const auto changes = ChangesBlocks(share, position);
  machine_.grid_point = point;
  if (!changes) return tl::unexpected(changes.error());
  for (PrefetchTable& table : tables_) {
    const bool report = *changes && !same(table);
    table.before = table.buffer->storage;
    if (report) ReportPrefetch(table);
  }
  return {};
}

void CoreRun::ReportPrefetch(const PrefetchTable& table) {
  Finding finding;
  finding.kind = FindingKind::kRace;
  finding.buffer = table.buffer->name;
  finding.location = table.writer->location;
  finding.other_location = kernel_.location;
  const std::string region = RegionText(View::Whole(*table.buffer));
  finding.accesses = {{machine_.name(), true, finding.location, region, machine_.grid_point},
                      {"the index maps", false, finding.other_location, region, machine_.grid_point}};
  finding.message = "the body changed " + table.buffer->name + ", which index maps read: whether they see it depends on how far ahead blocks are fetched";
  machine_.Report(std::move(finding));
}

core::Result<void> CoreRun::Run(const Share& share) {
  if (auto done = RunPrograms(share); !done) return done;
  if (machine_.stopped()) {
    for (const auto& window : windows_) window->Abandon();
    return {};
  }
  return {};
}

void CoreRun::Finish() {
  if (machine_.stopped()) return;
  machine_.Free(nullptr);
  for (const Buffer& buffer : own_) machine_.CheckSemaphores(buffer, "the kernel ended");
}

core::Result<void> CoreRun::StartAfter(const Shape& point) {
  if (auto done = EvaluateIndexMaps(point, Buffering::kAny); !done) return done;
  for (std::size_t w = 0; w < windows_.size(); ++w) windows_[w]->StartAfter(next_[w]);
  return {};
}

// A double-buffered window is fetched while the program before it runs, so its index is worked out before that program's body; one with a
// single buffer is fetched when the body has ended.
core::Result<void> CoreRun::RunPrograms(const Share& share) {
  Shape position(kernel_.grid.size(), 0);
  Shape point, following;
  share.PointAt(position, point);
  if (core::NumElements(machine_.grid) == 0) return {};
  if (auto done = EvaluateIndexMaps(point, Buffering::kAny); !done) return done;
  for (bool last = false; !last;) {
    const std::int64_t number = ProgramNumber(point, machine_.grid);
    machine_.grid_point = point;
    machine_.program_number = number;
    machine_.Charge(kProgramWork);
    machine_.Log(Event::Kind::kProgram, nullptr);
    for (const auto& window : windows_) {
      window->MoveTo(machine_, next_[static_cast<std::size_t>(&window - windows_.data())], static_cast<std::int32_t>(number));
    }
    const Shape current = position;
    last = !Advance(position, share.size);
    share.PointAt(position, following);
    if (!last) {
      if (auto done = EvaluateIndexMaps(following, Buffering::kMore); !done) return done;
    }
    machine_.grid_point = point;
    SetGridPoint(program_.body(), point);
    if (auto done = machine_.Run(program_.body()); !done || machine_.stopped()) return done;
    if (!last) {
      if (auto done = EvaluateIndexMaps(following, Buffering::kOne); !done) return done;
      machine_.grid_point = point;
      if (auto done = CheckPrefetch(share, current); !done) return done;
    }
    for (std::size_t w = 0; w < windows_.size(); ++w) {
      if (last || windows_[w]->Leaves(next_[w])) windows_[w]->WriteBack(machine_, static_cast<std::int32_t>(number));
    }
    point = following;
  }
  return {};
}

}  // namespace kernel_audit::sim
