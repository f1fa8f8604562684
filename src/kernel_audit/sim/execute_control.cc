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

// sources: counter, upper bound, step.
void RunLoopHead(Machine& m, const Instruction& i) {
  if (m.observe()) {
    m.CheckScalar(i.sources[0], i.op, "the bound of a loop");
    m.CheckScalar(i.sources[1], i.op, "the bound of a loop");
    m.CheckScalar(i.sources[2], i.op, "the step of a loop");
  }
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
  test.sources[2] = operands[2];
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

// before = initial; head: what goes before; after, and the results, = the condition's values; leave unless it is true; what comes after;
// before = yielded; again.
core::Result<void> DecodeWhile(Decoder& decoder, const ir::Op& op) {
  if (auto ok = CheckNoReferences(op); !ok) return ok;
  const ir::Region &test = *op.regions[0], &body = *op.regions[1];
  const std::vector<int> before = RegistersOf(decoder, test.arguments), initial = RegistersOf(decoder, op.operands);
  for (std::size_t i = 0; i < before.size(); ++i) EmitCopy(decoder, op, before[i], initial[i]);
  const int head = decoder.next_instruction();
  const auto condition = decoder.Region(test);
  if (!condition) return tl::unexpected(condition.error());
  const std::vector<ir::Value*> values((*condition)->operands.begin() + 1, (*condition)->operands.end());
  const std::vector<int> after = RegistersOf(decoder, body.arguments);
  EmitCopies(decoder, **condition, after, RegistersOf(decoder, values), values);
  const int goes_on = decoder.RegisterOf((*condition)->operands[0]);
  const int branch = decoder.next_instruction();
  EmitJump(decoder, **condition, RunBranch).sources[0] = goes_on;
  const auto end = decoder.Region(body);
  if (!end) return tl::unexpected(end.error());
  EmitCopies(decoder, **end, before, RegistersOf(decoder, (*end)->operands), (*end)->operands);
  EmitJump(decoder, op, RunJump).jump = head;
  decoder.instruction(branch).jump = decoder.next_instruction();
  decoder.MarkLoop(head, decoder.next_instruction());
  for (std::size_t i = 0; i < after.size(); ++i) decoder.Alias(op.results[i], after[i]);
  return {};
}

void RunAssumeMultiple(Machine& m, const Instruction& i) {
  CopyRegister(m, i.target, i.sources[0]);
  const std::int64_t value = m.Integer(i.sources[0]), multiple = i.op->attributes.multiple;
  if (value % multiple == 0 || m.states(i.sources[0]) != nullptr) return;
  Finding finding;
  finding.kind = FindingKind::kOutOfBounds;
  finding.buffer = "a scalar";
  finding.location = i.op->location;
  finding.message = "the program promises a multiple of " + std::to_string(multiple) + ", but the value is " + std::to_string(value) +
                    ": a chip would touch other elements";
  m.Report(std::move(finding));
}

core::Result<void> DecodeAssumeMultiple(Decoder& decoder, const ir::Op& op) {
  decoder.Emit(op, RunAssumeMultiple);
  return {};
}

void RunIterationBound(Machine& m, const Instruction& i) {
  m.SetInt32(i.target, static_cast<std::int32_t>(m.grid[static_cast<std::size_t>(i.op->attributes.dimension)]));
  m.SetValid(i.target);
}

core::Result<void> DecodeIterationBound(Decoder& decoder, const ir::Op& op) {
  decoder.Emit(op, RunIterationBound);
  return {};
}

core::Result<void> DecodeDeviceId(Decoder& decoder, const ir::Op& op) {
  decoder.AddConstant(decoder.RegisterOf(op.result()), {true, std::vector<std::uint8_t>(4, 0)});
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
  table[static_cast<std::size_t>(OpCode::kWhile)] = DecodeWhile;
  table[static_cast<std::size_t>(OpCode::kAssumeMultiple)] = DecodeAssumeMultiple;
  table[static_cast<std::size_t>(OpCode::kIterationBound)] = DecodeIterationBound;
  table[static_cast<std::size_t>(OpCode::kDeviceId)] = DecodeDeviceId;
  for (const OpCode silent : {OpCode::kDelay, OpCode::kDebugLog, OpCode::kDebugLogBuffer, OpCode::kTraceValue}) {
    table[static_cast<std::size_t>(silent)] = DecodeNothing;
  }
  table[static_cast<std::size_t>(OpCode::kRegion)] = DecodeRegion;
  table[static_cast<std::size_t>(OpCode::kTraceStart)] = DecodeNothing;
  table[static_cast<std::size_t>(OpCode::kTraceStop)] = DecodeNothing;
}

}  // namespace kernel_audit::sim
