// Decoding, operation by operation. Each execute_*.cc file registers the operations it runs.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernel_audit/sim/program.h"

namespace kernel_audit::sim {

class Decoder {
 public:
  explicit Decoder(const ir::Kernel& kernel);
  core::Result<std::unique_ptr<Program>> Run();

  // The register of a scalar or vector value; made at its first use.
  int RegisterOf(const ir::Value* value);
  // The reference register of a value of reference type.
  int ReferenceOf(const ir::Value* value);
  // A register of its own, with this type.
  int NewRegister(const ir::Type& type);

  // Appends an instruction for `op` with its first sources and its first result (where they are no references).
  Instruction& Emit(const ir::Op& op, Instruction::Run run);
  // Keeps a payload for as long as the program lives.
  const Payload& Keep(std::unique_ptr<Payload> payload) { return *program_->payloads_.emplace_back(std::move(payload)); }
  void AddConstant(int target, ir::Constant constant) { program_->constants_.emplace_back(target, std::move(constant)); }

  // Decodes a region's operations but for the last, which is returned.
  core::Result<const ir::Op*> Region(const ir::Region& region);

  int next_instruction() const { return static_cast<int>(program_->code_.size()); }
  Instruction& instruction(int index) { return program_->code_[static_cast<std::size_t>(index)]; }

  // Registers defined before `first` and used in [first, last] live to the end of a loop that spans these instructions.
  void MarkLoop(int first, int last) { loops_.emplace_back(first, last); }
  // The register is read or written at the next instruction.
  void Touch(int register_index);
  // The value lives in another value's register.
  void Alias(const ir::Value* value, int register_index);

 private:
  core::Result<Function> DecodeFunction(const ir::Region& region);
  void FindUnusedLoads();
  void FormChains();
  void PlaceRegisters();

  friend class ChainBuilder;
  std::unique_ptr<Program> program_;
  std::unordered_map<const ir::Value*, int> registers_, references_;
  struct Lifetime {
    int first = -1;
    int last = -1;
  };
  std::vector<Lifetime> lifetimes_;
  std::vector<std::pair<int, int>> loops_;
};

using DecodeFn = core::Result<void> (*)(Decoder&, const ir::Op&);
// Indexed by ir::OpCode; null: unsupported.
using DecodeTable = std::array<DecodeFn, 128>;

void RegisterElementwise(DecodeTable& table);
void RegisterStructure(DecodeTable& table);
void RegisterReduce(DecodeTable& table);
void RegisterMemory(DecodeTable& table);
void RegisterControl(DecodeTable& table);
void RegisterDma(DecodeTable& table);

// kUnsupported with the operation's name, its types and its place.
core::Error Unsupported(const ir::Op& op, const std::string& why);

}  // namespace kernel_audit::sim
