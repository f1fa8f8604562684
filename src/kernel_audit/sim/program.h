// A kernel decoded for running: a flat list of instructions, registers at fixed places, nothing left to look up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernel_audit/core/error.h"
#include "kernel_audit/ir/kernel.h"
#include "kernel_audit/sim/ops/elementwise.h"

namespace kernel_audit::sim {

class Machine;
struct Instruction;

// What an instruction knows beyond its registers; each operation that needs one derives its own.
struct Payload {
  virtual ~Payload() = default;
};

// What an instruction is as a part of a chain (chain.h).
enum class Part : std::uint8_t { kNone, kUnary, kBinary, kSelect, kBroadcast, kReshape, kReduce, kLoad, kStore };

// An instruction costs its elements and about as much time as this many, so that kernels of scalars and of vectors meet the limit alike.
inline constexpr std::uint64_t kInstructionWork = 16;

struct Instruction {
  using Run = void (*)(Machine&, const Instruction&);

  Run run = nullptr;
  // Works out the state of the result's elements; called only when a source register holds elements without a value.
  Run propagate = nullptr;
  const ir::Op* op = nullptr;
  int target = -1;   // register
  int sources[3] = {-1, -1, -1};
  int jump = 0;      // instruction, for control flow
  Part part = Part::kNone;
  bool unused = false;  // a load whose elements nobody reads
  std::size_t elements = 1;
  union {
    ops::UnaryFn unary;
    ops::BinaryFn binary;
    ops::SelectFn select;
  };
  const Payload* payload = nullptr;

  Instruction() : unary(nullptr) {}
};

// A scalar (one element) or a vector.
struct Register {
  ir::Type type;
  std::size_t elements = 1;
  std::size_t element_size = 4;
  std::size_t offset = 0;  // in the arena
};

// Code of the body or of an index map, from `entry` on.
struct Function {
  int entry = 0;
  std::vector<int> grid_registers;     // i32, one a grid dimension
  std::vector<int> reference_registers;  // one a reference argument
  std::vector<int> result_registers;   // index maps: i32, one a dimension
};

class Program {
 public:
  // Fails with kUnsupported, naming the operation and its place, on what the simulator can't do. The kernel must have passed
  // ir::Verify and must outlive the program.
  static core::Result<std::unique_ptr<Program>> Decode(const ir::Kernel& kernel);

  const ir::Kernel& kernel() const { return *kernel_; }
  const std::vector<Instruction>& code() const { return code_; }
  const std::vector<Register>& registers() const { return registers_; }
  int num_references() const { return num_references_; }
  std::size_t arena_size() const { return arena_size_; }
  const Function& body() const { return body_; }
  const std::vector<Function>& index_maps() const { return index_maps_; }
  // Constants are in place before the first instruction: (register, bytes).
  const std::vector<std::pair<int, ir::Constant>>& constants() const { return constants_; }

 private:
  friend class Decoder;
  friend class ChainBuilder;

  const ir::Kernel* kernel_ = nullptr;
  std::vector<Instruction> code_;
  std::vector<Register> registers_;
  int num_references_ = 0;
  std::size_t arena_size_ = 0;
  Function body_;
  std::vector<Function> index_maps_;
  std::vector<std::pair<int, ir::Constant>> constants_;
  std::vector<std::unique_ptr<Payload>> payloads_;
};

}  // namespace kernel_audit::sim
