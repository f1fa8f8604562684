#include "kernel_audit/sim/decode.h"

#include <algorithm>
#include <map>
#include <string>

namespace kernel_audit::sim {
namespace {

const DecodeTable& Table() {
  static const DecodeTable table = [] {
    DecodeTable made{};
    RegisterElementwise(made);
    RegisterStructure(made);
    RegisterReduce(made);
    RegisterMemory(made);
    RegisterControl(made);
    RegisterDma(made);
    return made;
  }();
  return table;
}

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kMostBytes = std::size_t{8} << 30;
std::size_t Aligned(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

// Hands out places in the arena and takes them back.
class ArenaPlanner {
 public:
  std::size_t Take(std::size_t size) {
    const auto fits = free_.lower_bound(size);
    // A much larger hole is left for a larger value.
    if (fits != free_.end() && fits->first <= 2 * size) {
      const std::size_t offset = fits->second;
      sizes_[offset] = fits->first;
      free_.erase(fits);
      return offset;
    }
    const std::size_t offset = end_;
    sizes_[offset] = size;
    end_ += size;
    return offset;
  }
  void Give(std::size_t offset) { free_.emplace(sizes_[offset], offset); }
  std::size_t end() const { return end_; }

 private:
  std::multimap<std::size_t, std::size_t> free_;  // size, offset
  std::map<std::size_t, std::size_t> sizes_;
  std::size_t end_ = 0;
};

}  // namespace

core::Error Unsupported(const ir::Op& op, const std::string& why) {
  std::string types;
  for (const ir::Value* operand : op.operands) types += (types.empty() ? "" : ", ") + ir::ToString(operand->type);
  return {core::ErrorCode::kUnsupported, std::string(op.info().name) + "(" + types + ") is not supported by the simulator: " + why, op.location};
}

Decoder::Decoder(const ir::Kernel& kernel) : program_(std::make_unique<Program>()) { program_->kernel_ = &kernel; }

int Decoder::NewRegister(const ir::Type& type) {
  Register made;
  made.type = type;
  made.elements = static_cast<std::size_t>(core::NumElements(type.shape));
  made.element_size = core::ByteSize(type.dtype);
  program_->registers_.push_back(made);
  lifetimes_.emplace_back();
  return static_cast<int>(program_->registers_.size()) - 1;
}

int Decoder::RegisterOf(const ir::Value* value) {
  const auto found = registers_.find(value);
  const int index = found != registers_.end() ? found->second : registers_.emplace(value, NewRegister(value->type)).first->second;
  Touch(index);
  return index;
}

int Decoder::ReferenceOf(const ir::Value* value) {
  const auto [found, fresh] = references_.try_emplace(value, program_->num_references_);
  if (fresh) ++program_->num_references_;
  return found->second;
}

void Decoder::Touch(int register_index) {
  Lifetime& life = lifetimes_[static_cast<std::size_t>(register_index)];
  if (life.first < 0) life.first = next_instruction();
  life.last = std::max(life.last, next_instruction());
}

void Decoder::Alias(const ir::Value* value, int register_index) {
  registers_[value] = register_index;
  Touch(register_index);
}

Instruction& Decoder::Emit(const ir::Op& op, Instruction::Run run) {
  Instruction made;
  made.run = run;
  made.op = &op;
  std::size_t next = 0;
  for (const ir::Value* operand : op.operands) {
    if (!operand->type.is_ref() && next < 3) made.sources[next++] = RegisterOf(operand);
  }
  if (!op.results.empty() && !op.result()->type.is_ref()) {
    made.target = RegisterOf(op.result());
    made.elements = static_cast<std::size_t>(core::NumElements(op.result()->type.shape));
  }
  return program_->code_.emplace_back(made);
}

core::Result<const ir::Op*> Decoder::Region(const ir::Region& region) {
  for (std::size_t i = 0; i + 1 < region.ops.size(); ++i) {
    const ir::Op& op = *region.ops[i];
    const DecodeFn decode = Table()[static_cast<std::size_t>(op.code)];
    if (decode == nullptr) return tl::unexpected(Unsupported(op, "it is known, but not implemented yet"));
    if (auto done = decode(*this, op); !done) return tl::unexpected(done.error());
  }
  return region.ops.back();
}

core::Result<Function> Decoder::DecodeFunction(const ir::Region& region) {
  Function function;
  function.entry = next_instruction();
  const ir::Kernel& kernel = *program_->kernel_;
  for (std::size_t i = 0; i < region.arguments.size(); ++i) {
    const ir::Value* argument = region.arguments[i];
    if (i < kernel.grid.size()) {
      function.grid_registers.push_back(RegisterOf(argument));
    } else {
      function.reference_registers.push_back(ReferenceOf(argument));
    }
  }
  const auto end = Region(region);
  if (!end) return tl::unexpected(end.error());
  for (const ir::Value* result : (*end)->operands) function.result_registers.push_back(RegisterOf(result));
  Emit(**end, [](Machine&, const Instruction&) {}).run = nullptr;  // a null `run` ends the function
  return function;
}

core::Result<std::unique_ptr<Program>> Decoder::Run() {
  const ir::Kernel& kernel = *program_->kernel_;
  for (const ir::IndexMap& map : kernel.index_maps) {
    auto function = DecodeFunction(*map.body);
    if (!function) return tl::unexpected(function.error());
    program_->index_maps_.push_back(std::move(*function));
  }
  auto body = DecodeFunction(*kernel.body);
  if (!body) return tl::unexpected(body.error());
  program_->body_ = std::move(*body);
  FindUnusedLoads();
  FormChains();
  PlaceRegisters();
  return std::move(program_);
}

// A swap reads what it overwrites, and most often nobody wants that.
void Decoder::FindUnusedLoads() {
  for (Instruction& each : program_->code_) {
    if (each.part != Part::kLoad) continue;
    const Lifetime& life = lifetimes_[static_cast<std::size_t>(each.target)];
    each.unused = life.first == life.last;
  }
}

// Registers that are never alive at the same time share memory. What is set before the code runs (constants, grid indices) and what
// crosses a loop lives longer than its first and last use say.
void Decoder::PlaceRegisters() {
  const int end = next_instruction();
  for (const auto& [target, constant] : program_->constants_) lifetimes_[static_cast<std::size_t>(target)] = {0, end};
  const auto keep = [&](const Function& function) {
    for (int index : function.grid_registers) lifetimes_[static_cast<std::size_t>(index)] = {0, end};
    for (int index : function.result_registers) lifetimes_[static_cast<std::size_t>(index)] = {0, end};
  };
  keep(program_->body_);
  for (const Function& function : program_->index_maps_) keep(function);
  for (const auto& [first, last] : loops_) {  // inner loops come first
    for (Lifetime& life : lifetimes_) {
      if (life.first < first && life.last >= first) life.last = std::max(life.last, last);
    }
  }
  std::vector<std::size_t> order(lifetimes_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return lifetimes_[a].first < lifetimes_[b].first; });
  ArenaPlanner planner;
  std::multimap<int, std::size_t> ends;  // last instruction, offset
  for (std::size_t index : order) {
    while (!ends.empty() && ends.begin()->first < lifetimes_[index].first) {
      planner.Give(ends.begin()->second);
      ends.erase(ends.begin());
    }
    Register& made = program_->registers_[index];
    made.offset = planner.Take(Aligned(made.elements * made.element_size));
    ends.emplace(lifetimes_[index].last, made.offset);
  }
  program_->arena_size_ = planner.end();
}

core::Result<std::unique_ptr<Program>> Program::Decode(const ir::Kernel& kernel) {
  auto program = Decoder(kernel).Run();
  if (!program) return program;
  std::size_t bytes = (*program)->arena_size();
  for (const ir::Value* argument : kernel.body->arguments) {
    if (argument->type.is_ref()) bytes += static_cast<std::size_t>(core::NumElements(argument->type.shape)) * core::ByteSize(argument->type.dtype);
  }
  if (bytes > kMostBytes) {
    return core::Fail(core::ErrorCode::kUnsupported, "the kernel's values, windows and scratch take " + std::to_string(bytes) +
                          " bytes, more than the simulator's limit of " + std::to_string(kMostBytes), kernel.location);
  }
  return program;
}

}  // namespace kernel_audit::sim
