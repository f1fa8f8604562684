#include "kernel_audit/sim/capacity.h"

#include <algorithm>

namespace kernel_audit::sim {
namespace {

using core::Chip;
using core::Shape;
using ir::MemorySpace;

constexpr std::int64_t kMost = std::int64_t{1} << 60;
constexpr std::size_t kUsersShown = 4;

std::int64_t Plus(std::int64_t a, std::int64_t b) { return a > kMost - b ? kMost : a + b; }
std::int64_t Times(std::int64_t a, std::int64_t b) { return a != 0 && b > kMost / a ? kMost : a * b; }
std::int64_t RoundUp(std::int64_t extent, std::int64_t unit) { return Times((extent - 1) / unit + 1, unit); }

std::int64_t ElementBytes(core::DType dtype) { return static_cast<std::int64_t>(core::ByteSize(dtype)); }

// How many elements share 32 bits.
std::int64_t Packed(core::DType dtype) { return std::max<std::int64_t>(1, 4 / ElementBytes(dtype)); }

// What is smaller than a full tile takes the smallest that holds it: a power of two of at least `least`.
std::int64_t RoundUpToTile(std::int64_t extent, std::int64_t least, std::int64_t full) {
  std::int64_t tile = least;
  while (tile < extent && tile < full) tile *= 2;
  return RoundUp(extent, tile);
}

std::int64_t Product(const Shape& shape, std::size_t dimensions) {
  std::int64_t product = 1;
  for (std::size_t d = 0; d < dimensions; ++d) product = Times(product, std::max<std::int64_t>(0, shape[d]));
  return product;
}

bool IsKnown(const Shape& shape) { return core::CheckedNumElements(shape) > 0; }

// What is alive in one of the two memories. Most is alive right before something ends.
class Tally {
 public:
  void Add(MemoryUser user) {
    alive_.push_back(users_.size());
    totals_.push_back(Plus(bytes(), user.bytes));
    users_.push_back(std::move(user));
  }

  std::size_t mark() const { return alive_.size(); }
  // What was added after the mark ends.
  void EndAt(std::size_t mark) {
    NotePeak();
    alive_.resize(mark);
    totals_.resize(mark);
  }

  MemoryUse Peak() && {
    NotePeak();
    MemoryUse use{peak_bytes_, {}};
    for (const std::size_t user : peak_) use.users.push_back(std::move(users_[user]));
    std::stable_sort(use.users.begin(), use.users.end(), [](const MemoryUser& a, const MemoryUser& b) { return a.bytes > b.bytes; });
    return use;
  }

 private:
  std::int64_t bytes() const { return totals_.empty() ? 0 : totals_.back(); }
  void NotePeak() {
    if (bytes() <= peak_bytes_) return;
    peak_bytes_ = bytes();
    peak_ = alive_;
  }

  std::vector<MemoryUser> users_;
  std::vector<std::size_t> alive_;     // into users_
  std::vector<std::int64_t> totals_;   // bytes of alive_ up to here
  std::vector<std::size_t> peak_;
  std::int64_t peak_bytes_ = 0;
};

class Counter {
 public:
  explicit Counter(const ir::Kernel& kernel) : kernel_(kernel) {}

  KernelMemory Run() {
    const std::size_t extents = kernel_.num_dynamic_extents(), operands = num_inputs() + kernel_.outputs.size();
    for (std::size_t at = kernel_.grid.size(); at < kernel_.body->arguments.size(); ++at) {
      const std::size_t i = at - kernel_.grid.size() + extents;
      const ir::Type& type = kernel_.body->arguments[at]->type;
      if (i < operands) {
        AddOperand(i, type);
      } else {
        Add("scratch " + std::to_string(i - operands), type, 1, kernel_.location);
      }
    }
    AddScoped(*kernel_.body);
    KernelMemory memory{std::move(vmem_).Peak(), std::move(smem_).Peak(), 0};
    memory.scoped_vmem_bytes = std::max<std::int64_t>(0, memory.vmem.bytes - whole_vmem_bytes_);
    return memory;
  }

 private:
  std::size_t num_inputs() const { return kernel_.inputs.size(); }

  const ir::Window* WindowOf(std::size_t operand) const {
    const auto prefetch = kernel_.num_dynamic_extents() + static_cast<std::size_t>(kernel_.num_scalar_prefetch);
    if (operand < prefetch || operand - prefetch >= kernel_.windows.size()) return nullptr;
    const auto& window = kernel_.windows[operand - prefetch];
    return window ? &*window : nullptr;
  }

  // An output that is an input's memory.
  bool SharesMemory(std::size_t operand) const {
    return operand >= num_inputs() && std::any_of(kernel_.aliases.begin(), kernel_.aliases.end(), [&](const auto& alias) {
             return static_cast<std::size_t>(alias.second) == operand - num_inputs();
           });
  }

  void AddOperand(std::size_t operand, const ir::Type& type) {
    const bool output = operand >= num_inputs();
    const std::size_t index = output ? operand - num_inputs() : operand;
    const std::string name = (output ? "output " : "input ") + std::to_string(index);
    if (const ir::Window* window = WindowOf(operand)) {
      const Shape& array = output ? kernel_.outputs[index].shape : kernel_.inputs[index].shape;
      ir::Type block = type;
      block.shape = window->block_shape;
      return Add("window of " + name, block, window->block_shape == array ? 1 : window->buffers, kernel_.location);
    }
    if (SharesMemory(operand)) return;
    if (type.space == MemorySpace::kVmem && IsKnown(type.shape)) whole_vmem_bytes_ = Plus(whole_vmem_bytes_, TiledBytes(type.dtype, type.shape));
    Add(operand < kernel_.num_dynamic_extents() + static_cast<std::size_t>(kernel_.num_scalar_prefetch) ? "scalar prefetch " + std::to_string(operand) : name, type, 1, kernel_.location);
  }

  void Add(std::string name, const ir::Type& type, int buffers, const core::SourceLocation& location) {
    const bool in_vmem = type.space == MemorySpace::kVmem, in_smem = type.space == MemorySpace::kSmem;
    if (core::IsSemaphore(type.dtype) || !IsKnown(type.shape) || !(in_vmem || in_smem)) return;
    const std::int64_t each = TiledBytes(type.dtype, type.shape);
    name += ", " + (buffers == 1 ? "" : std::to_string(buffers) + " buffers of ") + core::ToString(core::ArrayType{type.dtype, type.shape});
    (in_vmem ? vmem_ : smem_).Add({std::move(name), Times(each, buffers), location});
  }

  void AddScoped(const ir::Region& region) {
    const std::size_t vmem = vmem_.mark(), smem = smem_.mark();
    for (const ir::Op* op : region.ops) {
      if (op->code == ir::OpCode::kAlloca) Add("scoped memory", op->result()->type, 1, op->location);
      for (const ir::Region* inner : op->regions) AddScoped(*inner);
    }
    vmem_.EndAt(vmem);
    smem_.EndAt(smem);
  }

  const ir::Kernel& kernel_;
  Tally vmem_, smem_;
  std::int64_t whole_vmem_bytes_ = 0;
};

std::string UsersText(const MemoryUse& use) {
  std::string text;
  for (std::size_t i = 0; i < std::min(use.users.size(), kUsersShown); ++i) {
    const MemoryUser& user = use.users[i];
    text += (i == 0 ? "" : "; ") + user.name + (user.location.known() ? " (" + user.location.ToString() + ")" : "") + ": " + std::to_string(user.bytes);
  }
  if (use.users.size() > kUsersShown) text += "; and " + std::to_string(use.users.size() - kUsersShown) + " smaller";
  return text;
}

Finding CapacityFinding(const ir::Kernel& kernel, const char* buffer, const MemoryUse& use, const std::string& message) {
  Finding finding;
  finding.kind = FindingKind::kCapacity;
  finding.buffer = buffer;
  finding.location = use.users.empty() || !use.users[0].location.known() ? kernel.location : use.users[0].location;
  finding.message = message + "; the largest users, in bytes: " + UsersText(use);
  return finding;
}

}  // namespace

std::int64_t TiledBytes(core::DType dtype, const Shape& shape) {
  constexpr std::int64_t kLanes = Chip::kLanes, kSublanes = Chip::kSublanes;
  const std::int64_t size = ElementBytes(dtype), packed = Packed(dtype);
  if (shape.size() < 2) return Times(RoundUpToTile(Product(shape, shape.size()), kLanes * packed, kLanes * kSublanes), size);
  const std::size_t rows = shape.size() - 2;
  const std::int64_t row = Times(RoundUp(shape[rows + 1], kLanes), size);
  return Times(Times(Product(shape, rows), RoundUpToTile(shape[rows], packed, kSublanes)), row);
}

KernelMemory CountMemory(const ir::Kernel& kernel) { return Counter(kernel).Run(); }

CapacityCheck CheckCapacity(const ir::Kernel& kernel, const KernelMemory& memory, const Chip& chip) {
  CapacityCheck check;
  const auto needs = [&](std::int64_t bytes, const char* what) { return "the kernel needs at least " + std::to_string(bytes) + " bytes of " + what; };
  const std::string name(chip.name);
  if (memory.vmem.bytes > chip.vmem_bytes) {
    check.can_run = false;
    check.findings.push_back(CapacityFinding(kernel, "VMEM", memory.vmem,
                                             needs(memory.vmem.bytes, "VMEM") + ", a core of " + name + " has " + std::to_string(chip.vmem_bytes) + ": it was not run"));
  }
  if (memory.smem.bytes >= chip.smem_bytes) {
    check.can_run = false;
    check.findings.push_back(CapacityFinding(kernel, "SMEM", memory.smem,
                                             needs(memory.smem.bytes, "SMEM") + ", a core of " + name + " has " + std::to_string(chip.smem_bytes) +
                                                 " and the compiler needs some itself: it was not run"));
  }
  const bool own = kernel.vmem_limit_bytes > 0;
  const std::int64_t limit = own ? kernel.vmem_limit_bytes : chip.scoped_vmem_bytes;
  if (check.can_run && limit > 0 && memory.scoped_vmem_bytes > limit) {
    check.findings.push_back(CapacityFinding(kernel, "VMEM", memory.vmem,
                                             needs(memory.scoped_vmem_bytes, "VMEM") + ", " + (own ? "its own vmem_limit_bytes is " : "the compiler's limit for " + name + " is ") +
                                                 std::to_string(limit) + (own ? "" : "; ask for more with vmem_limit_bytes")));
  }
  return check;
}

}  // namespace kernel_audit::sim
