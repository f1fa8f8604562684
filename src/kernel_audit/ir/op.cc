#include "kernel_audit/ir/op.h"

#include <unordered_map>

namespace kernel_audit::ir {
namespace {

constexpr std::array<const char*, 8> kReductionNames = {"add", "mul", "minsi", "maxsi", "minimumf", "maximumf", "and", "or"};

}  // namespace

const std::vector<OpInfo>& AllOps() {
  static const std::vector<OpInfo> ops = {
#define KA_OP(code, name, min_operands, max_operands, results, regions, effect, printed_with, meaning) \
  {OpCode::code, name, min_operands, max_operands, results, regions, Effect::effect, printed_with, meaning},
#include "kernel_audit/ir/ops.def"
#undef KA_OP
  };
  return ops;
}

const OpInfo& Info(OpCode code) { return AllOps()[static_cast<std::size_t>(code)]; }

std::optional<OpCode> OpCodeFromName(std::string_view name) {
  static const std::unordered_map<std::string_view, OpCode> codes = [] {
    std::unordered_map<std::string_view, OpCode> map;
    for (const OpInfo& info : AllOps()) map.emplace(info.name, info.code);
    return map;
  }();
  const auto found = codes.find(name);
  return found == codes.end() ? std::nullopt : std::optional(found->second);
}

const char* Name(ReductionKind kind) { return kReductionNames[static_cast<std::size_t>(kind)]; }

std::optional<ReductionKind> ReductionKindFromName(std::string_view name) {
  for (std::size_t i = 0; i < kReductionNames.size(); ++i) {
    if (name == kReductionNames[i]) return static_cast<ReductionKind>(i);
  }
  return std::nullopt;
}

}  // namespace kernel_audit::ir
