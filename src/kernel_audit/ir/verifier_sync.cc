// DMA and semaphores.
#include "kernel_audit/ir/verifier_rules.h"

namespace kernel_audit::ir {
namespace {

bool IsOneSemaphore(const Value* value, DType dtype) {
  return value->type.is_ref() && value->type.dtype == dtype && value->type.shape.empty();
}

std::string CheckDmaSemaphore(const Value* value) {
  return value == nullptr || IsOneSemaphore(value, DType::kDmaSemaphore) ? "" : "it needs one DMA semaphore, a reference of rank 0";
}

std::string CheckCopy(const Value* source, const Value* target) {
  const Type &from = source->type, &to = target->type;
  if (!from.is_ref() || !to.is_ref() || core::IsSemaphore(from.dtype)) return "it copies between references to data";
  if (from.dtype != to.dtype || from.shape.size() != to.shape.size()) return "source and target must have one element type and rank";
  for (std::size_t i = 0; i < from.shape.size(); ++i) {
    const bool known = from.shape[i] != core::kDynamicExtent && to.shape[i] != core::kDynamicExtent;
    if (known && from.shape[i] != to.shape[i]) return "source and target must have one shape";
  }
  return "";
}

std::string CheckPlace(const Op& op, std::size_t device_segment) {
  for (const std::size_t segment : {device_segment, device_segment + 1}) {
    const Value* value = SegmentStart(op, segment);
    if (value != nullptr && !IsScalar(value, DType::kInt32)) return "a device or core number must be i32";
  }
  return "";
}

std::string EnqueueDmaRule(const Op& op) {
  if (auto wrong = CheckSegments(op, {{1, 1}, {0, 1}, {1, 1}, {1, 1}, {0, 1}, {0, 1}}); !wrong.empty()) return wrong;
  if (auto wrong = CheckCopy(SegmentStart(op, 0), SegmentStart(op, 2)); !wrong.empty()) return wrong;
  if (auto wrong = CheckDmaSemaphore(SegmentStart(op, 1)); !wrong.empty()) return wrong;
  if (auto wrong = CheckDmaSemaphore(SegmentStart(op, 3)); !wrong.empty()) return wrong;
  return CheckPlace(op, 4);
}

std::string WaitDmaRule(const Op& op) {
  if (auto wrong = CheckSegments(op, {{1, 1}, {1, 1}, {1, 1}, {0, 1}, {0, 1}}); !wrong.empty()) return wrong;
  if (auto wrong = CheckDmaSemaphore(SegmentStart(op, 0)); !wrong.empty()) return wrong;
  if (auto wrong = CheckCopy(SegmentStart(op, 1), SegmentStart(op, 2)); !wrong.empty()) return wrong;
  return CheckPlace(op, 3);
}

std::string SemAllocRule(const Op& op) {
  const Type& type = op.result()->type;
  if (!type.is_ref() || !core::IsSemaphore(type.dtype)) return "its result must be a reference to semaphores";
  return core::NumElements(type.shape) <= 1 << 20 ? "" : "it allocates more than 2^20 semaphores";
}

std::string CheckSemaphoreAndAmount(const Op& op) {
  if (!IsOneSemaphore(op.operands[0], DType::kSemaphore)) return "it needs one regular semaphore, a reference of rank 0";
  return IsScalar(op.operands[1], DType::kInt32) ? "" : "its amount must be i32";
}

std::string SemSignalRule(const Op& op) {
  if (auto wrong = CheckSegments(op, {{1, 1}, {1, 1}, {0, 1}, {0, 1}}); !wrong.empty()) return wrong;
  if (auto wrong = CheckSemaphoreAndAmount(op); !wrong.empty()) return wrong;
  return CheckPlace(op, 2);
}

std::string SemReadRule(const Op& op) {
  const Value* semaphore = op.operands[0];
  if (!IsOneSemaphore(semaphore, DType::kSemaphore) && !IsOneSemaphore(semaphore, DType::kDmaSemaphore)) {
    return "it needs one semaphore, a reference of rank 0";
  }
  return IsScalar(op.result(), DType::kInt32) ? "" : "its result must be i32";
}

std::string ScalarInt32Rule(const Op& op) { return IsScalar(op.result(), DType::kInt32) ? "" : "its result must be i32"; }

std::string DelayRule(const Op& op) { return IsScalar(op.operands[0], DType::kInt32) ? "" : "it takes i32"; }

std::string LogRule(const Op& op) {
  for (const Value* operand : op.operands) {
    if (!operand->type.is_scalar()) return "it takes scalars";
  }
  return "";
}

std::string LogBufferRule(const Op& op) { return op.operands[0]->type.is_ref() ? "" : "it takes a reference"; }

std::string NothingToCheck(const Op&) { return ""; }

}  // namespace

Rule SyncRule(OpCode code) {
  switch (code) {
    case OpCode::kEnqueueDma: return EnqueueDmaRule;
    case OpCode::kWaitDma: return WaitDmaRule;
    case OpCode::kSemAlloc: return SemAllocRule;
    case OpCode::kSemSignal: return SemSignalRule;
    case OpCode::kSemWait: return CheckSemaphoreAndAmount;
    case OpCode::kSemRead: return SemReadRule;
    case OpCode::kIterationBound:
    case OpCode::kDeviceId: return ScalarInt32Rule;
    case OpCode::kDelay: return DelayRule;
    case OpCode::kDebugLog:
    case OpCode::kTraceValue: return LogRule;
    case OpCode::kDebugLogBuffer: return LogBufferRule;
    case OpCode::kTraceStart:
    case OpCode::kTraceStop: return NothingToCheck;
    default: return nullptr;
  }
}

}  // namespace kernel_audit::ir
