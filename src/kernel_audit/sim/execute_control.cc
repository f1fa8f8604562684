// Branches, loops and regions, flattened into jumps.
#include <algorithm>

#include "kernel_audit/sim/decode.h"
#include "kernel_audit/sim/machine.h"

namespace kernel_audit::sim {
namespace {

using ir::OpCode;

void RunJump(Machine& m, const Instruction& i) { m.Jump(i.jump); }

void RunCopy(Machine& m, const Instruction& i) { CopyRegister(m, i.target, i.sources[0]); }

void RunBranch(Machine& m, const Instruction& i) {
  if (m.observe()) m.CheckScalar(i.sources[0], i.op, "the condition of a branch");
  if (m.Scalar<std::uint8_t>(i.sources[0]) == 0) m.Jump(i.jump);
}

// sources: counter, upper bound.
void RunLoopHead(Machine& m, const Instruction& i) {
  if (m.observe()) m.CheckScalar(i.sources[1], i.op, "the bound of a loop");
  if (m.Integer(i.sources[0]) >= m.Integer(i.sources[1])) m.Jump(i.jump);
}

// sources: counter, step; the counter is the target too.
template <typename T>
void RunLoopNext(Machine& m, const Instruction& i) {
  T& counter = *reinterpret_cast<T*>(m.data(i.target));
  // A counter that would leave its type is past every bound.
  if (__builtin_add_overflow(counter, m.Scalar<T>(i.sources[1]), &counter)) return;
  m.Jump(i.jump);
}

void EmitCopy(Decoder& decoder, const ir::Op& op, int to, int from) {
  if (to == from) return;
  decoder.Touch(to);
  decoder.Touch(from);
  Instruction& made = decoder.Emit(op, RunCopy);
  std::fill_n(made.sources, 3, -1);
  made.sources[0] = from;
  made.target = to;
}

// Several copies at once: a value that another copy overwrites first goes through a register of its own.
void EmitCopies(Decoder& decoder, const ir::Op& op, const std::vector<int>& to, std::vector<int> from, const std::vector<ir::Value*>& values) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    const bool overwritten = std::find(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(i), from[i]) != to.begin() + static_cast<std::ptrdiff_t>(i);
    if (!overwritten) continue;
    const int saved = decoder.NewRegister(values[i]->type);
    EmitCopy(decoder, op, saved, from[i]);
    from[i] = saved;
  }
  for (std::size_t i = 0; i < from.size(); ++i) EmitCopy(decoder, op, to[i], from[i]);
}

core::Result<void> CheckNoReferences(const ir::Op& op) {
  for (const ir::Value* result : op.results) {
    if (result->type.is_ref()) return tl::unexpected(Unsupported(op, "references can't be results of control flow"));
  }
  return {};
}

std::vector<int> RegistersOf(Decoder& decoder, const std::vector<ir::Value*>& values) {
  std::vector<int> registers;
  for (const ir::Value* value : values) registers.push_back(decoder.RegisterOf(value));
  return registers;
}

core::Result<void> DecodeBranchBody(Decoder& decoder, const ir::Op& op, const ir::Region& region) {
  const auto end = decoder.Region(region);
  if (!end) return tl::unexpected(end.error());
  EmitCopies(decoder, **end, RegistersOf(decoder, op.results), RegistersOf(decoder, (*end)->operands), (*end)->operands);
  return {};
}

Instruction& EmitJump(Decoder& decoder, const ir::Op& op, Instruction::Run run) {
  Instruction& made = decoder.Emit(op, run);
  made.target = -1;
  made.elements = 1;
  std::fill_n(made.sources, 3, -1);
  return made;
}

core::Result<void> DecodeIf(Decoder& decoder, const ir::Op& op) {
  if (auto ok = CheckNoReferences(op); !ok) return ok;
  const int condition = decoder.RegisterOf(op.operands[0]);
  const int branch = decoder.next_instruction();
  EmitJump(decoder, op, RunBranch).sources[0] = condition;
  if (auto ok = DecodeBranchBody(decoder, op, *op.regions[0]); !ok) return ok;
  const int leave = decoder.next_instruction();
  EmitJump(decoder, op, RunJump);
  decoder.instruction(branch).jump = decoder.next_instruction();
  if (auto ok = DecodeBranchBody(decoder, op, *op.regions[1]); !ok) return ok;
  decoder.instruction(leave).jump = decoder.next_instruction();
  return {};
}

// counter = lower; carried = initial; head: leave if counter >= upper; body; carried = yielded; counter += step; again.
core::Result<void> DecodeFor(Decoder& decoder, const ir::Op& op) {
  if (auto ok = CheckNoReferences(op); !ok) return ok;
  const ir::Region& body = *op.regions[0];
  const std::vector<int> operands = RegistersOf(decoder, op.operands);
  const std::vector<int> arguments = RegistersOf(decoder, body.arguments);
  const std::vector<int> carried(arguments.begin() + 1, arguments.end());
  const bool wide = core::ByteSize(op.operands[0]->type.dtype) == 8;
  EmitCopy(decoder, op, arguments[0], operands[0]);
  for (std::size_t i = 0; i < carried.size(); ++i) EmitCopy(decoder, op, carried[i], operands[i + 3]);
  const int head = decoder.next_instruction();
  Instruction& test = EmitJump(decoder, op, RunLoopHead);
  test.sources[0] = arguments[0];
  test.sources[1] = operands[1];
  const auto end = decoder.Region(body);
  if (!end) return tl::unexpected(end.error());
  EmitCopies(decoder, **end, carried, RegistersOf(decoder, (*end)->operands), (*end)->operands);
  for (int index : {arguments[0], operands[1], operands[2]}) decoder.Touch(index);
  Instruction& next = EmitJump(decoder, op, wide ? RunLoopNext<std::int64_t> : RunLoopNext<std::int32_t>);
  next.target = arguments[0];
  next.sources[1] = operands[2];
  next.jump = head;
  decoder.instruction(head).jump = decoder.next_instruction();
  decoder.MarkLoop(head, decoder.next_instruction());
  for (std::size_t i = 0; i < carried.size(); ++i) decoder.Alias(op.results[i], carried[i]);
  return {};
}

// What the region allocated ends with it.
void RunFree(Machine& m, const Instruction& i) {
  for (const ir::Op* inner : i.op->regions[0]->ops) {
    if (inner->code == OpCode::kAlloca || inner->code == OpCode::kSemAlloc) m.Free(inner);
  }
}

core::Result<void> DecodeRegion(Decoder& decoder, const ir::Op& op) {
  if (auto ok = CheckNoReferences(op); !ok) return ok;
  if (auto ok = DecodeBranchBody(decoder, op, *op.regions[0]); !ok) return ok;
  EmitJump(decoder, op, RunFree);
  return {};
}

core::Result<void> DecodeNothing(Decoder&, const ir::Op&) { return {}; }

}  // namespace

void RegisterControl(DecodeTable& table) {
  table[static_cast<std::size_t>(OpCode::kIf)] = DecodeIf;
  table[static_cast<std::size_t>(OpCode::kFor)] = DecodeFor;
  table[static_cast<std::size_t>(OpCode::kRegion)] = DecodeRegion;
  table[static_cast<std::size_t>(OpCode::kTraceStart)] = DecodeNothing;
  table[static_cast<std::size_t>(OpCode::kTraceStop)] = DecodeNothing;
}

}  // namespace kernel_audit::sim
