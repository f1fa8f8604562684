#include "races/random_program.h"

#include <algorithm>
#include <random>

#include "races/kernel_builder.h"

namespace kernel_audit::testing {
namespace {

using ir::OpCode;
using ir::Type;
using ir::Value;

constexpr std::int64_t kSemaphores = 3;

// A box of a reference; the first row may move with a loop's counter.
struct Box {
  Value* reference;
  std::int64_t row, column;
  Value* moved_by;  // or null
  std::int64_t rows, columns;
};

struct Chosen {
  Value* semaphores;
  std::int64_t index;
  Value* moved_by;  // index = (index + counter) mod kSemaphores; or null
};

// A DMA that was started and, as far as this scope knows, not awaited.
struct Pending {
  Box source, target;
  Chosen semaphore;
};

// What is visible at some place of the program.
struct Scope {
  std::vector<Value*> data, dma_semaphores, semaphores, counters;
  std::vector<Pending> pending;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed), kernel_(std::make_unique<ir::Kernel>()), build_(*kernel_) {}

  std::unique_ptr<ir::Kernel> Make() {
    kernel_->name = "random";
    kernel_->location = build_.here();
    Scope scope = MakeArguments();
    build_.Fill(kernel_->body, OpCode::kReturn, [&] {
      Statements(scope, 4 + Below(9), 0);
      Flush(scope, 85);
    });
    return std::move(kernel_);
  }

 private:
  std::int64_t Below(std::int64_t bound) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound)); }
  bool Chance(int percent) { return Below(100) < percent; }
  template <typename T>
  const T& One(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(Below(static_cast<std::int64_t>(list.size())))];
  }

  static Type Data(MemorySpace space) { return Type::Ref(DType::kFloat32, {kRandomRows, kRandomColumns}, space); }
  static Type Semaphores(DType dtype) { return Type::Ref(dtype, {kSemaphores}, MemorySpace::kSemaphore); }

  Scope MakeArguments() {
    Scope scope;
    kernel_->body = kernel_->NewRegion();
    if (Chance(50)) {
      kernel_->grid = {2 + Below(3)};
      kernel_->semantics = {Chance(80) ? ir::DimensionSemantics::kParallel : ir::DimensionSemantics::kArbitrary};
      scope.counters.push_back(build_.AddArgument(kernel_->body, Type::Scalar(DType::kInt32)));
    }
    kernel_->inputs.assign(2, {DType::kFloat32, {kRandomRows, kRandomColumns}});
    kernel_->outputs = kernel_->inputs;
    const bool windows = !kernel_->grid.empty() && Chance(40);
    for (int i = 0; i < 4; ++i) AddOperand(scope, windows && (i == 0 || i == 3));
    // The windowed input's array is the whole output's too; the whole input's may be the windowed output's.
    if (windows && Chance(60)) kernel_->aliases.emplace_back(0, 0);
    if (windows && Chance(60)) kernel_->aliases.emplace_back(1, 1);
    for (const Type& type : {Data(MemorySpace::kVmem), Data(MemorySpace::kVmem), Data(MemorySpace::kSmem)}) {
      scope.data.push_back(build_.AddArgument(kernel_->body, type));
    }
    scope.dma_semaphores.push_back(build_.AddArgument(kernel_->body, Semaphores(DType::kDmaSemaphore)));
    scope.semaphores.push_back(build_.AddArgument(kernel_->body, Semaphores(DType::kSemaphore)));
    kernel_->num_scratch = 5;
    return scope;
  }

  void AddOperand(Scope& scope, bool windowed) {
    if (!windowed) {
      scope.data.push_back(build_.AddArgument(kernel_->body, Data(MemorySpace::kAny)));
      kernel_->windows.emplace_back();
      return;
    }
    ir::Window window;
    window.block_shape = {2, kRandomColumns};
    window.index_map = static_cast<int>(kernel_->index_maps.size());
    kernel_->windows.emplace_back(window);
    build_.AddArgument(kernel_->body, Type::Ref(DType::kFloat32, window.block_shape, MemorySpace::kVmem));
    ir::Region* map = kernel_->NewRegion();
    Value* i = build_.AddArgument(map, Type::Scalar(DType::kInt32));
    const bool constant = Chance(30);
    build_.Fill(map, OpCode::kReturn, [&] {
      Value* zero = build_.I32(0);
      returned_ = {constant ? zero : i, zero};
    });
    map->ops.back()->operands = returned_;
    kernel_->index_maps.push_back({"map" + std::to_string(window.index_map), map});
  }

  Value* RowOf(const Box& box) {
    return box.moved_by == nullptr ? build_.I32(box.row) : build_.Binary(OpCode::kAddI, build_.I32(box.row), box.moved_by);
  }

  Box MakeBox(const Scope& scope, Value* reference, std::int64_t rows, std::int64_t columns) {
    const bool moves = !scope.counters.empty() && Chance(40);
    // Counters stay below 4; now and then a box sticks out.
    const std::int64_t room = kRandomRows - rows - (moves ? 3 : 0);
    Box box{reference, room > 0 ? Below(room + 1) : 0, Below(kRandomColumns - columns + 1), moves ? One(scope.counters) : nullptr, rows, columns};
    return box;
  }

  Value* Slice(const Box& box) {
    if (box.rows == kRandomRows && box.columns == kRandomColumns && box.moved_by == nullptr) return box.reference;
    return build_.Slice(box.reference, {RowOf(box), build_.I32(box.column)}, {box.rows, box.columns});
  }

  Chosen Choose(const Scope& scope, const std::vector<Value*>& from) {
    return {One(from), Below(kSemaphores), !scope.counters.empty() && Chance(25) ? One(scope.counters) : nullptr};
  }

  Value* Semaphore(const Chosen& chosen) {
    Value* index = build_.I32(chosen.index);
    if (chosen.moved_by != nullptr) index = build_.Binary(OpCode::kRemSI, build_.Binary(OpCode::kAddI, index, chosen.moved_by), build_.I32(kSemaphores));
    return build_.Semaphore(chosen.semaphores, index);
  }

  void Statements(Scope& scope, std::int64_t count, int depth) {
    for (; count > 0; --count) {
      build_.NextLine();
      Statement(scope, depth);
    }
  }

  void Statement(Scope& scope, int depth) {
    const std::int64_t kind = Below(100);
    if (kind < 30) return Start(scope);
    if (kind < 52) return AwaitPending(scope);
    if (kind < 54) return AwaitAnything(scope);
    if (kind < 66) return Load(scope);
    if (kind < 78) return Store(scope);
    if (kind < 82) return Signals(scope);
    if (depth >= 2) return Load(scope);
    if (kind < 88) return Loop(scope, depth);
    if (kind < 93) return Branch(scope, depth);
    return Memory(scope, depth);
  }

  void Start(Scope& scope) {
    const std::int64_t rows = Chance(20) ? kRandomRows : 1 + Below(4), columns = Chance(75) ? kRandomColumns : 1 + Below(kRandomColumns);
    Value *source = One(scope.data), *target = One(scope.data);
    const Pending made{MakeBox(scope, source, rows, columns), MakeBox(scope, target, rows, columns), Choose(scope, scope.dma_semaphores)};
    Value *from = Slice(made.source), *to = Slice(made.target);
    build_.Start(from, to, Semaphore(made.semaphore));
    scope.pending.push_back(made);
  }

  void Await(Pending pending) {
    if (Chance(8)) pending.target.rows = std::max<std::int64_t>(1, pending.target.rows + (Chance(50) ? 1 : -1));
    if (Chance(4)) pending.semaphore.index = (pending.semaphore.index + 1) % kSemaphores;
    pending.target.rows = std::min(pending.target.rows, kRandomRows);
    pending.source = pending.target;
    Value* part = Slice(pending.target);
    build_.WaitDma(part, part, Semaphore(pending.semaphore));
  }

  void AwaitPending(Scope& scope) {
    if (scope.pending.empty()) return Start(scope);
    const std::int64_t which = Chance(60) ? 0 : Below(static_cast<std::int64_t>(scope.pending.size()));
    const Pending pending = scope.pending[static_cast<std::size_t>(which)];
    scope.pending.erase(scope.pending.begin() + which);
    Await(pending);
  }

  void AwaitAnything(Scope& scope) {
    const Pending any{{}, MakeBox(scope, One(scope.data), 1 + Below(3), kRandomColumns), Choose(scope, scope.dma_semaphores)};
    Await(any);
  }

  void Flush(Scope& scope, int percent) {
    while (!scope.pending.empty()) {
      build_.NextLine();
      const Pending pending = scope.pending.back();
      scope.pending.pop_back();
      if (Chance(percent)) Await(pending);
    }
  }

  Value* Reachable(const Scope& scope) {
    Value* reference = One(scope.data);
    while (reference->type.space == MemorySpace::kAny) reference = One(scope.data);
    return reference;
  }

  Box AccessBox(const Scope& scope) {
    Value* reference = Reachable(scope);
    const bool scalar = reference->type.space == MemorySpace::kSmem;
    return MakeBox(scope, reference, scalar ? 1 : 1 + Below(3), scalar || Chance(20) ? 1 : kRandomColumns);
  }

  void Load(const Scope& scope) {
    const Box box = AccessBox(scope);
    build_.Load(box.reference, {RowOf(box), build_.I32(box.column)}, {box.rows, box.columns});
  }

  void Store(const Scope& scope) {
    const Box box = AccessBox(scope);
    const bool scalar = box.reference->type.space == MemorySpace::kSmem;
    build_.Store(build_.Floats(scalar ? Shape{} : Shape{box.rows, box.columns}, 1), box.reference, {RowOf(box), build_.I32(box.column)});
  }

  void Signals(const Scope& scope) {
    const Chosen chosen = Choose(scope, scope.semaphores);
    const std::int64_t amount = 1 + Below(3);
    build_.Signal(Semaphore(chosen), build_.I32(amount));
    if (Chance(10)) return;
    build_.NextLine();
    build_.Wait(Semaphore(chosen), build_.I32(Chance(6) ? amount + 1 : Chance(6) ? 1 : amount));
  }

  void Loop(Scope& scope, int depth) {
    build_.For(1 + Below(3), [&](Value* counter) {
      Scope inner = scope;
      inner.counters.push_back(counter);
      if (Chance(80)) inner.pending.clear();
      Statements(inner, 1 + Below(5), depth + 1);
      Flush(inner, 92);
    });
  }

  void Branch(Scope& scope, int depth) {
    if (scope.counters.empty()) return Loop(scope, depth);
    Value* condition = build_.Equal(build_.Binary(OpCode::kRemSI, One(scope.counters), build_.I32(2)), build_.I32(0));
    const auto side = [&] {
      Scope inner = scope;
      if (Chance(80)) inner.pending.clear();
      Statements(inner, 1 + Below(3), depth + 1);
      Flush(inner, 92);
    };
    build_.If(condition, side, side);
  }

  void Memory(Scope& scope, int depth) {
    build_.Scoped({Data(MemorySpace::kVmem), Semaphores(DType::kDmaSemaphore), Semaphores(DType::kSemaphore)}, [&](const std::vector<Value*>& memory) {
      Scope inner = scope;
      if (Chance(70)) inner.pending.clear();
      // Twice, so that the new memory is used.
      inner.data.insert(inner.data.end(), 2, memory[0]);
      if (Chance(70)) inner.dma_semaphores.push_back(memory[1]);
      if (Chance(70)) inner.semaphores.push_back(memory[2]);
      Statements(inner, 2 + Below(4), depth + 1);
      Flush(inner, 92);
    });
  }

  std::mt19937_64 random_;
  std::unique_ptr<ir::Kernel> kernel_;
  KernelBuilder build_;
  std::vector<Value*> returned_;
};

}  // namespace

std::unique_ptr<ir::Kernel> RandomProgram(std::uint64_t seed) { return Generator(seed).Make(); }

}  // namespace kernel_audit::testing
