#include "kernel_audit/sim/run.h"

#include <algorithm>
#include <deque>
#include <memory>

#include "kernel_audit/sim/machine.h"
#include "kernel_audit/sim/memory.h"
#include "kernel_audit/sim/window.h"

namespace kernel_audit::sim {
namespace {

constexpr std::int64_t kMostPrograms = std::int64_t{1} << 31;

// Which reference arguments the kernel may write to: through stores, slices and copies.
bool IsWritten(const ir::Region& region, const ir::Value* reference) {
  for (const ir::Op* op : region.ops) {
    for (const ir::Region* inner : op->regions) {
      if (IsWritten(*inner, reference)) return true;
    }
    const bool uses = std::find(op->operands.begin(), op->operands.end(), reference) != op->operands.end();
    if (!uses) continue;
    if (op->info().effect == ir::Effect::kWrite) return true;
    if (op->code == ir::OpCode::kEnqueueDma && op->operands[0] != reference) return true;
    const bool derives = op->code == ir::OpCode::kRefSlice || op->code == ir::OpCode::kRefSqueeze;
    if (derives && IsWritten(region, op->result())) return true;
  }
  return false;
}

class Runner {
 public:
  Runner(const Program& program, std::span<const std::byte* const> inputs, std::span<std::byte* const> outputs, const RunOptions& options)
      : program_(program), kernel_(program.kernel()), machine_(program, log_, options.observe, options.schedule, 0) {
    machine_.set_work_limit(options.work_limit);
    MakeArrays(inputs, outputs);
    BindReferences();
  }

  core::Result<Report> Run() {
    programs_ = core::CheckedNumElements(kernel_.grid);
    if (programs_ < 0 || programs_ > kMostPrograms) {
      return core::Fail(core::ErrorCode::kUnsupported, "a grid of " + core::ToString(kernel_.grid) + " has too many programs to simulate", kernel_.location);
    }
    if (auto done = RunGrid(); !done) return tl::unexpected(done.error());
    machine_.Free(nullptr);
    for (const Buffer& buffer : own_) machine_.CheckSemaphores(buffer, "the kernel ended");
    FinishOutputs();
    return MakeReport();
  }

 private:
  std::size_t num_inputs() const { return kernel_.inputs.size(); }

  void MakeArrays(std::span<const std::byte* const> inputs, std::span<std::byte* const> outputs) {
    for (std::size_t i = 0; i < kernel_.outputs.size(); ++i) {
      arrays_out_.push_back(Buffer::On("output " + std::to_string(i), MemorySpace::kAny, kernel_.outputs[i].shape, kernel_.outputs[i].dtype, outputs[i]));
      arrays_out_.back().shadow.Reset(arrays_out_.back().elements, kUnwritten);
    }
    for (std::size_t i = 0; i < num_inputs(); ++i) {
      // The simulator reads inputs only; an input that the kernel may write gets memory of its own in BindReferences.
      arrays_in_.push_back(Buffer::On("input " + std::to_string(i), MemorySpace::kAny, kernel_.inputs[i].shape, kernel_.inputs[i].dtype,
                                      const_cast<std::byte*>(inputs[i])));
      arrays_in_.back().shadow.Reset(arrays_in_.back().elements, kValid);
    }
    aliased_.assign(kernel_.outputs.size(), false);
    shared_.assign(num_inputs(), nullptr);
    for (const auto& [input, output] : kernel_.aliases) {
      Buffer& to = arrays_out_[static_cast<std::size_t>(output)];
      std::copy_n(inputs[static_cast<std::size_t>(input)], to.elements * to.element_size, to.data);
      to.shadow.SetAll(kValid);
      aliased_[static_cast<std::size_t>(output)] = true;
      shared_[static_cast<std::size_t>(input)] = &to;
    }
  }

  Buffer& InputArray(std::size_t i) { return shared_[i] != nullptr ? *shared_[i] : arrays_in_[i]; }

  // Memory that belongs to the kernel: a copy of an input that it writes to, or scratch.
  Buffer& OwnBuffer(std::string name, const ir::Type& type) {
    Buffer& buffer = own_.emplace_back(Buffer::Own(std::move(name), type.space, type.shape, type.dtype));
    buffer.shadow.Reset(buffer.elements, core::IsSemaphore(type.dtype) ? kValid : kUnwritten);
    return buffer;
  }

  void BindReferences() {
    const std::vector<ir::Value*>& arguments = kernel_.body->arguments;
    const std::size_t first = kernel_.grid.size();
    const std::size_t prefetch = static_cast<std::size_t>(kernel_.num_scalar_prefetch);
    const std::size_t operands = num_inputs() + kernel_.outputs.size();
    for (std::size_t i = 0; first + i < arguments.size(); ++i) {
      const int reference = program_.body().reference_registers[i];
      const ir::Value* argument = arguments[first + i];
      Buffer* buffer = nullptr;
      if (i >= operands) {
        buffer = &OwnBuffer("scratch " + std::to_string(i - operands), argument->type);
      } else if (i >= prefetch && i - prefetch < kernel_.windows.size() && kernel_.windows[i - prefetch]) {
        buffer = &AddWindow(i, *kernel_.windows[i - prefetch], argument->type.space);
      } else {
        buffer = &WholeArray(i, argument);
      }
      machine_.reference(reference) = View::Whole(*buffer);
    }
  }

  Buffer& AddWindow(std::size_t operand, const ir::Window& window, MemorySpace space) {
    const bool output = operand >= num_inputs();
    const std::size_t index = output ? operand - num_inputs() : operand;
    Buffer& array = output ? arrays_out_[index] : InputArray(operand);
    const std::string name = (output ? "output " : "input ") + std::to_string(index);
    windows_.push_back(std::make_unique<OperandWindow>(name, window, array, output, output && aliased_[index], space));
    window_maps_.push_back(window.index_map);
    next_.emplace_back(window.block_shape.size());
    return windows_.back()->block();
  }

  Buffer& WholeArray(std::size_t operand, const ir::Value* argument) {
    if (operand >= num_inputs()) {
      Buffer& array = arrays_out_[operand - num_inputs()];
      if (!aliased_[operand - num_inputs()]) array.FillUndefined();
      return array;
    }
    Buffer& array = InputArray(operand);
    if (shared_[operand] != nullptr || !IsWritten(*kernel_.body, argument)) return array;
    Buffer& copy = OwnBuffer(array.name, argument->type);
    std::copy_n(array.data, array.elements * array.element_size, copy.data);
    copy.shadow.SetAll(kValid);
    return copy;
  }

  void SetGridPoint(const Function& function, const Shape& point) {
    for (std::size_t d = 0; d < point.size(); ++d) machine_.SetInt32(function.grid_registers[d], static_cast<std::int32_t>(point[d]));
  }

  // The block index of every window at a grid point.
  core::Result<void> EvaluateIndexMaps(const Shape& point) {
    for (std::size_t w = 0; w < windows_.size(); ++w) {
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

  static bool Advance(Shape& point, const Shape& grid) {
    for (std::size_t d = grid.size(); d-- > 0;) {
      if (++point[d] < grid[d]) return true;
      point[d] = 0;
    }
    return false;
  }

  // A double-buffered window is fetched while the program before it runs, so its index is worked out before that program's body.
  core::Result<void> RunGrid() {
    Shape point(kernel_.grid.size(), 0);
    Shape following = point;
    if (auto done = EvaluateIndexMaps(point); !done) return done;
    for (std::int64_t program = 0; program < programs_; ++program) {
      machine_.grid_point = point;
      machine_.program_number = program;
      for (std::size_t w = 0; w < windows_.size(); ++w) windows_[w]->MoveTo(machine_, next_[w], static_cast<std::int32_t>(program));
      const bool last = !Advance(following, kernel_.grid);
      if (!last) {
        if (auto done = EvaluateIndexMaps(following); !done) return done;
      }
      SetGridPoint(program_.body(), point);
      if (auto done = machine_.Run(program_.body()); !done) return done;
      if (machine_.stopped()) return {};
      for (std::size_t w = 0; w < windows_.size(); ++w) {
        if (last || windows_[w]->Leaves(next_[w])) windows_[w]->WriteBack(machine_, static_cast<std::int32_t>(program));
      }
      point = following;
    }
    return {};
  }

  // Blocks that no program visited hold what was in the memory before: they become undefined, the same way every time.
  void FinishOutputs() {
    for (std::size_t i = 0; i < kernel_.outputs.size(); ++i) {
      Buffer& array = arrays_out_[i];
      Ownership ownership;
      ownership.array_shape = array.shape;
      ownership.block_shape = array.shape;
      ownership.blocks.assign(array.shape.size(), 1);
      ownership.owner.assign(1, static_cast<std::int32_t>(programs_ - 1));
      if (const OperandWindow* window = WindowOf(i)) {
        ownership.block_shape = window->window().block_shape;
        ownership.blocks = window->blocks();
        ownership.owner = window->owners();
        if (!aliased_[i]) FillUnvisited(array, ownership);
      }
      if (machine_.observe()) FindGaps(array, ownership);
      ownerships_.push_back(std::move(ownership));
    }
  }

  const OperandWindow* WindowOf(std::size_t output) const {
    for (const auto& window : windows_) {
      if (window->is_output() && window->operand() == "output " + std::to_string(output)) return window.get();
    }
    return nullptr;
  }

  static void FillUnvisited(Buffer& array, const Ownership& ownership) {
    Shape block(ownership.blocks.size(), 0);
    for (std::int32_t owner : ownership.owner) {
      if (owner == Ownership::kNobody) {
        std::array<std::int64_t, kMaxRank> start{}, size{};
        for (std::size_t d = 0; d < block.size(); ++d) {
          start[d] = block[d] * ownership.block_shape[d];
          size[d] = std::min(ownership.block_shape[d], array.shape[d] - start[d]);
        }
        View::Whole(array).Sub(start.data(), size.data()).ForEachRun([&](std::int64_t element, std::int64_t run) {
          ops::Fill(array.data + static_cast<std::size_t>(element) * array.element_size, UndefinedElement(array.dtype).data(), array.element_size,
                    static_cast<std::size_t>(run));
        });
      }
      Advance(block, ownership.blocks);
    }
  }

  void FindGaps(Buffer& array, Ownership& ownership) {
    if (array.shadow.all_valid()) return;
    ElementState poisoned = kValid;
    std::int64_t first = -1;
    for (std::size_t e = 0; e < array.elements; ++e) {
      const ElementState state = array.shadow.at(e);
      if (state == kUnwritten && first < 0) first = static_cast<std::int64_t>(e);
      if (state == kUnwritten) ++ownership.unwritten_elements;
      if (state >= kFirstOrigin && poisoned == kValid) poisoned = state;
    }
    machine_.grid_point.clear();
    const bool direct = array.stored_by != nullptr;  // windows report when they are written back
    if (poisoned != kValid && direct) machine_.ReportUninitialized(poisoned, array.stored_by, "part of " + array.name);
    if (first < 0) return;
    ownership.first_unwritten = ElementIndex(array, first);
    Finding finding;
    finding.kind = FindingKind::kOwnership;
    finding.buffer = array.name;
    finding.location = kernel_.location;
    finding.message = std::to_string(ownership.unwritten_elements) + " of " + std::to_string(array.elements) + " elements of " + array.name +
                      " were never written, the first is " + core::ToString(ownership.first_unwritten);
    machine_.Report(std::move(finding));
  }

  Report MakeReport() {
    Report report;
    report.kernel = kernel_.name;
    report.grid = kernel_.grid;
    report.programs = programs_;
    report.findings = log_.findings();
    for (const auto& window : windows_) report.traffic.push_back(window->traffic());
    report.ownership = std::move(ownerships_);
    return report;
  }

  const Program& program_;
  const ir::Kernel& kernel_;
  FindingLog log_;
  Machine machine_;
  std::int64_t programs_ = 1;
  std::vector<Buffer> arrays_in_;
  std::deque<Buffer> arrays_out_;
  std::deque<Buffer> own_;
  std::vector<bool> aliased_;       // one an output
  std::vector<Buffer*> shared_;     // one an input: the output it shares memory with
  std::vector<std::unique_ptr<OperandWindow>> windows_;
  std::vector<int> window_maps_;
  std::vector<Shape> next_;
  std::vector<Ownership> ownerships_;
};

}  // namespace

std::int32_t Ownership::OwnerOf(const Shape& element) const {
  std::int64_t number = 0;
  for (std::size_t d = 0; d < element.size(); ++d) number = number * blocks[d] + element[d] / block_shape[d];
  return owner[static_cast<std::size_t>(number)];
}

Shape GridPoint(const Shape& grid, std::int64_t program) {
  Shape point(grid.size());
  for (std::size_t d = grid.size(); d-- > 0;) {
    point[d] = program % grid[d];
    program /= grid[d];
  }
  return point;
}

core::Result<Report> Run(const Program& program, std::span<const std::byte* const> inputs, std::span<std::byte* const> outputs, const RunOptions& options) {
  const FloatEnvironment environment(options.subnormals);
  return Runner(program, inputs, outputs, options).Run();
}

}  // namespace kernel_audit::sim
