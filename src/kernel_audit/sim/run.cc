#include "kernel_audit/sim/run.h"

#include <algorithm>
#include <array>
#include <deque>
#include <exception>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <system_error>
#include <thread>

#include "kernel_audit/sim/core_run.h"
#include "kernel_audit/sim/independent.h"

namespace kernel_audit::sim {
namespace {

constexpr std::int64_t kMostPrograms = std::int64_t{1} << 31;
constexpr std::int64_t kMostConnectedCores = 16;
// A thread is worth starting for about this many elements.
constexpr std::int64_t kLeastElementsPerThread = std::int64_t{1} << 16;
constexpr std::int64_t kMostThreads = 64;

// A kernel that signals other cores is written for one program a core.
bool SignalsCores(const ir::Region& region) {
  return std::any_of(region.ops.begin(), region.ops.end(), [](const ir::Op* op) {
    const auto& segments = op->attributes.segments;
    if (op->code == ir::OpCode::kSemSignal && segments.size() == 4 && segments[3] == 1) return true;
    return std::any_of(op->regions.begin(), op->regions.end(), [](const ir::Region* inner) { return SignalsCores(*inner); });
  });
}

// The kernel says so, or signals other cores.
bool OneProgramACore(const ir::Kernel& kernel) {
  const auto core_parallel = std::find(kernel.semantics.begin(), kernel.semantics.end(), ir::DimensionSemantics::kCoreParallel);
  return core_parallel != kernel.semantics.end() || SignalsCores(*kernel.body);
}

// How many parts of the grid are run at the same time.
std::int64_t Threads(const ir::Kernel& kernel, const RunOptions& options) {
  if (options.threads == 1 || options.cores > 1 || options.events != nullptr || OneProgramACore(kernel)) return 1;
  const auto dimension = IndependentDimension(kernel, kernel.grid);
  if (!dimension) return 1;
  std::int64_t most = options.threads;
  if (most == 0) {
    std::int64_t elements = 0;
    for (const core::ArrayType& output : kernel.outputs) elements += core::NumElements(output.shape);
    most = std::min<std::int64_t>(std::thread::hardware_concurrency(), elements / kLeastElementsPerThread);
  }
  return std::min({most, kMostThreads, kernel.grid[*dimension]});
}

class Runner {
 public:
  // `threads`: parts of the grid that run at the same time; more than 1 only where programs are independent.
  Runner(const Program& program, std::span<const std::byte* const> inputs, std::span<std::byte* const> outputs, const RunOptions& options, std::int64_t threads)
      : threads_(threads), program_(program), kernel_(program.kernel()), options_(options), grid_(kernel_.grid), arrays_(kernel_, inputs, outputs) {}

  core::Result<Report> Run() {
    ReadGrid();
    programs_ = core::CheckedNumElements(grid_);
    if (programs_ < 0 || programs_ > kMostPrograms) {
      return core::Fail(core::ErrorCode::kUnsupported, "a grid of " + core::ToString(grid_) + " has too many programs to simulate", kernel_.location);
    }
    memory_ = CountMemory(kernel_);
    CapacityCheck capacity = CheckCapacity(kernel_, memory_, *options_.chip);
    for (Finding& finding : capacity.findings) log_.Add(std::move(finding));
    if (!capacity.can_run) return Refused();
    MakeDefined();
    if (auto done = threads_ > 1 ? RunThreads() : RunCores(); !done) return tl::unexpected(done.error());
    for (std::size_t i = 0; i < kernel_.outputs.size(); ++i) FinishOutput(i);
    return MakeReport();
  }

  bool found_anything() const {
    return !log_.empty() || std::any_of(logs_.begin(), logs_.end(), [](const FindingLog& log) { return !log.empty(); });
  }

 private:
  // Every thread has a core of its own, which is the one simulated core for its part of the programs.
  core::Result<void> RunThreads() {
    const std::size_t dimension = *IndependentDimension(kernel_, grid_);
    const std::int64_t extent = grid_[dimension];
    for (std::size_t i = 0; options_.observe && i < kernel_.outputs.size(); ++i) arrays_.output(i).shadow.Mixed();  // now, and not when a thread wants it
    std::vector<Share> shares;
    for (std::int64_t t = 0; t < threads_; ++t) {
      Share share{Shape(grid_.size(), 0), grid_, Order()};
      share.first[dimension] = t * extent / threads_;
      share.size[dimension] = (t + 1) * extent / threads_ - share.first[dimension];
      cores_.push_back(std::make_unique<CoreRun>(program_, grid_, arrays_, logs_.emplace_back(), nullptr, options_, 0));
      // Together no more than the limit; where a part alone reaches its share, the run in order tells what is right.
      cores_.back()->machine().set_work_limit(options_.work_limit / static_cast<std::uint64_t>(threads_));
      if (t > 0) cores_.back()->machine().KeepOwnWork();
      shares.push_back(std::move(share));
    }
    const auto run = [&](std::size_t t) -> core::Result<void> {
      if (t > 0) {
        // The last program of the part before.
        Shape position(grid_.size(), 0), point;
        for (std::size_t d = dimension; d < grid_.size(); ++d) position[d] = shares[t - 1].size[d] - 1;
        shares[t - 1].PointAt(position, point);
        if (auto done = cores_[t]->StartAfter(point); !done) return done;
      }
      return cores_[t]->Run(shares[t]);
    };
    try {
      return InThreads(run);
    } catch (const std::system_error& error) {
      return core::Fail(core::ErrorCode::kFailed, std::string("no thread: ") + error.what());  // and the programs run in order
    }
  }

  // Extents that are not known stand in the first operands.
  void ReadGrid() {
    int next = 0;
    for (std::int64_t& extent : grid_) {
      if (extent == core::kDynamicExtent) extent = std::max(0, *reinterpret_cast<const std::int32_t*>(arrays_.input(next++).data));
    }
  }

  // What a whole array holds before the kernel writes to it is undefined, the same way every time.
  void MakeDefined() {
    for (std::size_t i = 0; i < kernel_.outputs.size(); ++i) {
      const std::size_t window = kernel_.inputs.size() - kernel_.num_dynamic_extents() - static_cast<std::size_t>(kernel_.num_scalar_prefetch) + i;
      const bool windowed = window < kernel_.windows.size() && kernel_.windows[window] && !kernel_.windows[window]->element_indexed;
      if (!windowed && !arrays_.is_aliased(i)) arrays_.output(i).FillUndefined();
    }
  }

  // The dimension whose programs are divided among the cores, or nothing.
  std::optional<std::size_t> DividedDimension() const {
    const bool several = options_.cores > 1 || OneProgramACore(kernel_);
    for (std::size_t d = 0; several && d < grid_.size(); ++d) {
      if (kernel_.semantics[d] != ir::DimensionSemantics::kArbitrary && grid_[d] > 1) return d;
    }
    return std::nullopt;
  }

  std::vector<std::vector<std::int32_t>> Order() const {
    std::vector<std::vector<std::int32_t>> order(grid_.size());
    if (!options_.permute_parallel) return order;
    std::mt19937_64 random(*options_.permute_parallel);
    for (std::size_t d = 0; d < order.size(); ++d) {
      if (kernel_.semantics[d] != ir::DimensionSemantics::kParallel) continue;
      order[d].resize(static_cast<std::size_t>(grid_[d]));
      std::iota(order[d].begin(), order[d].end(), 0);
      std::shuffle(order[d].begin(), order[d].end(), random);
    }
    return order;
  }

  core::Result<void> RunCores() {
    const auto divided = DividedDimension();
    const bool all = divided && OneProgramACore(kernel_) && grid_[*divided] <= kMostConnectedCores, connected = all && SignalsCores(*kernel_.body);
    const int cores = all ? static_cast<int>(grid_[*divided]) : divided ? options_.cores : 1;
    if (cores > 1) RegisterArrays();
    const auto order = Order();
    std::vector<Share> shares;
    for (int core = 0; core < cores; ++core) {
      Share share{Shape(grid_.size(), 0), grid_, order};
      if (divided) {
        const std::int64_t extent = grid_[*divided], each = (extent + cores - 1) / cores;
        share.first[*divided] = std::min(extent, core * each);
        share.size[*divided] = std::min(each, extent - share.first[*divided]);
        if (share.size[*divided] <= 0) break;
      }
      cores_.push_back(std::make_unique<CoreRun>(program_, grid_, arrays_, log_, cross_core_.get(), options_, core));
      cores_.back()->machine().set_work_limit(options_.work_limit);
      cores_.back()->machine().ShareOriginsWith(cores_.front()->machine());
      shares.push_back(std::move(share));
    }
    if (auto done = connected ? RunInTurns(shares) : RunInOrder(shares); !done) return done;
    for (const auto& core : cores_) stopped_ = stopped_ || core->machine().stopped();
    for (const auto& core : cores_) core->Finish();
    return {};
  }

  // Nothing that one core does waits for another.
  core::Result<void> RunInOrder(const std::vector<Share>& shares) {
    for (std::size_t core = 0; core < cores_.size(); ++core) {
      if (auto done = cores_[core]->Run(shares[core]); !done) return done;
    }
    return {};
  }

  core::Result<void> RunInTurns(const std::vector<Share>& shares) {
    std::vector<Machine*> machines;
    for (const auto& core : cores_) machines.push_back(&core->machine());
    cross_core_->Connect(std::move(machines), options_.schedule);
    return InThreads([&](std::size_t core) {
      cross_core_->turns()->Begin(static_cast<int>(core));
      const auto end = [&] { cross_core_->turns()->End(static_cast<int>(core)); };
      try {
        auto result = cores_[core]->Run(shares[core]);
        end();
        return result;
      } catch (...) {
        end();
        throw;
      }
    });
  }

  // work(core) for each core, the first in this thread, the others in threads of their own. What it throws is thrown; else the first error is the result.
  template <typename F>
  core::Result<void> InThreads(F&& work) {
    std::vector<core::Result<void>> results(cores_.size());
    std::vector<std::exception_ptr> thrown(cores_.size());
    std::vector<std::jthread> threads;
    const auto run = [&](std::size_t core) {
      const FloatEnvironment environment(options_.subnormals);
      try {
        results[core] = work(core);
      } catch (...) {
        thrown[core] = std::current_exception();
      }
    };
    for (std::size_t core = 1; core < cores_.size(); ++core) threads.emplace_back(run, core);
    run(0);
    for (std::jthread& thread : threads) thread.join();
    for (const std::exception_ptr& each : thrown) {
      if (each != nullptr) std::rethrow_exception(each);
    }
    for (const auto& result : results) {
      if (!result) return result;
    }
    return {};
  }

  void RegisterArrays() {
    cross_core_ = std::make_unique<CrossCore>(kernel_, grid_);
    for (std::size_t i = 0; i < kernel_.inputs.size(); ++i) cross_core_->Register(arrays_.input(i));
    for (std::size_t i = 0; i < kernel_.outputs.size(); ++i) cross_core_->Register(arrays_.output(i));
  }

  void FinishOutput(std::size_t i) {
    Buffer& array = arrays_.output(i);
    Ownership ownership;
    ownership.array_shape = array.shape;
    ownership.block_shape = array.shape;
    ownership.blocks.assign(array.shape.size(), 1);
    ownership.owner.assign(1, static_cast<std::int32_t>(programs_ - 1));
    if (const OperandWindow* window = cores_.front()->OutputWindow(i)) {
      ownership.block_shape = window->window().block_shape;
      ownership.blocks = window->blocks();
      ownership.owner = MergedOwners(i);
      if (!arrays_.is_aliased(i) && !window->window().element_indexed) FillUnvisited(array, ownership);
    }
    // After a deadlock nothing that is missing means anything.
    if (options_.observe && !stopped_) FindGaps(array, ownership);
    ownerships_.push_back(std::move(ownership));
  }

  std::vector<std::int32_t> MergedOwners(std::size_t output) const {
    std::vector<std::int32_t> owners = cores_.front()->OutputWindow(output)->owners();
    for (const auto& core : cores_) {
      const auto& more = core->OutputWindow(output)->owners();
      for (std::size_t b = 0; b < owners.size(); ++b) owners[b] = more[b] == Ownership::kNobody ? owners[b] : more[b];
    }
    return owners;
  }

  // Blocks that no program visited hold what was in the memory before: they become undefined, the same way every time.
  static void FillUnvisited(Buffer& array, const Ownership& ownership) {
    for (std::size_t b = 0; b < ownership.owner.size(); ++b) {
      if (ownership.owner[b] != Ownership::kNobody) continue;
      const Shape block = GridPoint(ownership.blocks, static_cast<std::int64_t>(b));
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
  }

  void FindGaps(Buffer& array, Ownership& ownership) {
    if (array.shadow.all_valid()) return;
    ElementState poisoned = kValid;
    std::int64_t first = -1, last = -1;
    const auto note = [&](ElementState state, std::int64_t element) {
      if (state >= kFirstOrigin && poisoned == kValid) poisoned = state;
      if (state != kUnwritten) return;
      if (first < 0) first = element;
      last = element;
      ++ownership.unwritten_elements;
    };
    // Piece by piece: most have nothing to say, which is seen at the speed of memory.
    std::array<ElementState, 4096> states;
    View piece = View::Dense({static_cast<std::int64_t>(states.size())});
    piece.buffer = &array;
    const auto elements = static_cast<std::int64_t>(array.elements);
    for (; piece.offset < elements; piece.offset += piece.shape[0]) {
      piece.shape[0] = std::min(piece.shape[0], elements - piece.offset);
      if (!ReadStates(piece, states.data())) continue;
      for (std::int64_t e = 0; e < piece.shape[0]; ++e) note(states[static_cast<std::size_t>(e)], piece.offset + e);
    }
    Machine& machine = cores_.front()->machine();
    machine.grid_point.clear();
    // Windows report when they are written back; what was stored or copied to the array itself is reported here.
    if (poisoned != kValid && array.stored_by != nullptr) machine.ReportUninitialized(poisoned, array.stored_by, "part of " + array.name);
    if (first < 0) return;
    ownership.first_unwritten = ElementIndex(array, first);
    Finding finding;
    finding.kind = FindingKind::kOwnership;
    finding.buffer = array.name;
    finding.location = kernel_.location;
    finding.message = std::to_string(ownership.unwritten_elements) + " of " + std::to_string(array.elements) + " elements of " + array.name +
                      " were never written, the first is " + core::ToString(ownership.first_unwritten) + ", the last " +
                      core::ToString(ElementIndex(array, last));
    machine.Report(std::move(finding));
  }

  // Without a run nobody writes the outputs.
  Report Refused() {
    for (std::size_t i = 0; i < kernel_.outputs.size(); ++i) {
      Buffer& array = arrays_.output(i);
      array.FillUndefined();
      Ownership ownership;
      ownership.array_shape = ownership.block_shape = array.shape;
      ownership.blocks.assign(array.shape.size(), 1);
      ownership.owner.assign(1, Ownership::kNobody);
      ownership.unwritten_elements = static_cast<std::int64_t>(array.elements);
      ownership.first_unwritten.assign(array.shape.size(), 0);
      ownerships_.push_back(std::move(ownership));
    }
    Report report = Described();
    report.ran = false;
    report.ownership = std::move(ownerships_);
    return report;
  }

  // All that is known without running.
  Report Described() const {
    Report report;
    report.kernel = kernel_.name;
    report.grid = grid_;
    report.programs = programs_;
    report.chip = options_.chip->name;
    report.vmem_bytes = memory_.vmem.bytes;
    report.smem_bytes = memory_.smem.bytes;
    report.findings = log_.findings();
    return report;
  }

  Report MakeReport() {
    Report report = Described();
    report.cores = threads_ > 1 ? 1 : static_cast<int>(cores_.size());
    for (const auto& core : cores_) {
      report.dmas += core->machine().dmas().started();
      report.dma_bytes += core->machine().dmas().bytes();
    }
    for (std::size_t w = 0; w < cores_.front()->windows().size(); ++w) {
      report.traffic.push_back(cores_.front()->windows()[w]->traffic());
      for (std::size_t c = 1; c < cores_.size(); ++c) report.traffic.back().Add(cores_[c]->windows()[w]->traffic());
    }
    report.ownership = std::move(ownerships_);
    return report;
  }

  const std::int64_t threads_;
  const Program& program_;
  const ir::Kernel& kernel_;
  const RunOptions& options_;
  Shape grid_;
  FindingLog log_;
  std::deque<FindingLog> logs_;  // one a thread
  KernelMemory memory_;
  Arrays arrays_;
  std::unique_ptr<CrossCore> cross_core_;
  std::vector<std::unique_ptr<CoreRun>> cores_;
  std::int64_t programs_ = 1;
  bool stopped_ = false;
  std::vector<Ownership> ownerships_;
};

}  // namespace

void Traffic::Add(const Traffic& other) {
  fetches += other.fetches;
  fetched_bytes += other.fetched_bytes;
  write_backs += other.write_backs;
  written_bytes += other.written_bytes;
}

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
  if (const std::int64_t threads = Threads(program.kernel(), options); threads > 1) {
    RunOptions watched = options;
    watched.observe = options.observe || program.kernel().num_scratch > 0;
    Runner runner(program, inputs, outputs, watched, threads);
    auto report = runner.Run();
    if (report && !runner.found_anything()) return report;
  }
  // In order. After a divided run that found something, so that it is told as it would be found; nothing that the other run wrote is read.
  return Runner(program, inputs, outputs, options, 1).Run();
}

}  // namespace kernel_audit::sim
