#include "kernel_audit/ir/verifier.h"

#include <iterator>

#include "kernel_audit/ir/verifier_rules.h"

namespace kernel_audit::ir {
namespace {

constexpr int kMaxDepth = 256;

core::Result<void> Bad(const Op& op, const std::string& message) {
  return core::Fail(core::ErrorCode::kBadInput, std::string(op.info().name) + ": " + message, op.location);
}

// Walks a region and what is inside it, and knows which values can be seen.
class Walk {
 public:
  explicit Walk(const Kernel& kernel) : kernel_(kernel), visible_(static_cast<std::size_t>(kernel.num_values()), false) {}

  core::Result<void> Enter(const Region& region, OpCode terminator, const core::SourceLocation& location, int depth) {
    if (depth > kMaxDepth) return core::Fail(core::ErrorCode::kBadInput, "operations are nested more than 256 deep", location);
    std::vector<const Value*> defined;
    for (const Value* argument : region.arguments) {
      if (auto checked = Define(argument, nullptr, location, defined); !checked) return checked;
    }
    if (region.ops.empty()) return core::Fail(core::ErrorCode::kBadInput, "a region has no operation to end it", location);
    for (const Op* op : region.ops) {
      const bool last = op == region.ops.back();
      if ((op->info().effect == Effect::kEnd) != last) return Bad(*op, last ? "it can't end a region" : "it can't stand inside a region");
      if (last && op->code != terminator) return Bad(*op, std::string("this region ends with ") + Info(terminator).name);
      if (auto checked = Check(*op, defined, depth); !checked) return checked;
    }
    for (const Value* value : defined) visible_[static_cast<std::size_t>(value->id)] = false;
    return {};
  }

 private:
  bool InKernel(const Value* value) const { return value != nullptr && value->id >= 0 && value->id < kernel_.num_values(); }

  core::Result<void> Define(const Value* value, const Op* op, const core::SourceLocation& location, std::vector<const Value*>& defined) {
    const std::string prefix = op == nullptr ? std::string("an argument: ") : std::string(op->info().name) + ": ";
    std::string wrong;
    if (!InKernel(value) || value->producer != op || visible_[static_cast<std::size_t>(value->id)]) {
      wrong = "a value is defined twice or belongs to another operation";
    } else {
      wrong = CheckType(value->type, op != nullptr && (op->code == OpCode::kRefSlice || op->code == OpCode::kRefSqueeze));
    }
    if (!wrong.empty()) return core::Fail(core::ErrorCode::kBadInput, prefix + wrong, location);
    visible_[static_cast<std::size_t>(value->id)] = true;
    defined.push_back(value);
    return {};
  }

  static std::string CheckCounts(const Op& op) {
    const OpInfo& info = op.info();
    const auto operands = static_cast<int>(op.operands.size());
    if (operands < info.min_operands || (info.max_operands >= 0 && operands > info.max_operands)) return "wrong number of operands";
    if (info.results >= 0 && static_cast<int>(op.results.size()) != info.results) return "wrong number of results";
    if (static_cast<int>(op.regions.size()) != info.regions) return "wrong number of regions";
    return "";
  }

  static OpCode TerminatorOf(const Op& op, const Region* region) {
    if (op.code == OpCode::kRegion) return OpCode::kRegionYield;
    return op.code == OpCode::kWhile && region == op.regions[0] ? OpCode::kCondition : OpCode::kYield;
  }

  core::Result<void> Check(const Op& op, std::vector<const Value*>& defined, int depth) {
    if (const std::string wrong = CheckCounts(op); !wrong.empty()) return Bad(op, wrong);
    for (const Value* operand : op.operands) {
      if (!InKernel(operand) || !visible_[static_cast<std::size_t>(operand->id)]) return Bad(op, "an operand is not defined here");
    }
    for (const Value* result : op.results) {
      if (auto checked = Define(result, &op, op.location, defined); !checked) return checked;
      visible_[static_cast<std::size_t>(result->id)] = false;  // not yet, inside the operation's own regions
    }
    for (const Region* region : op.regions) {
      if (auto checked = Enter(*region, TerminatorOf(op, region), op.location, depth + 1); !checked) return checked;
    }
    for (const Value* result : op.results) visible_[static_cast<std::size_t>(result->id)] = true;
    const Rule rule = RuleOf(op.code);
    if (rule == nullptr) return Bad(op, "the verifier has no rule for this operation");
    if (const std::string wrong = rule(op); !wrong.empty()) return Bad(op, wrong);
    if (op.code == OpCode::kIterationBound && (op.attributes.dimension < 0 || op.attributes.dimension >= std::ssize(kernel_.grid))) {
      return Bad(op, "the grid has no dimension " + std::to_string(op.attributes.dimension));
    }
    return {};
  }

  const Kernel& kernel_;
  std::vector<bool> visible_;
};

core::Result<void> CheckIndexMapOps(const IndexMap& map) {
  for (const Op* op : map.body->ops) {
    const Effect effect = op->info().effect;
    if (effect != Effect::kNone && effect != Effect::kEnd && op->code != OpCode::kLoad) {
      return Bad(*op, "an index map can't hold this operation");
    }
  }
  return {};
}

}  // namespace

Rule RuleOf(OpCode code) {
  for (Rule (*family)(OpCode) : {ElementwiseRule, VectorRule, MemoryRule, SyncRule, ControlRule}) {
    if (const Rule rule = family(code); rule != nullptr) return rule;
  }
  return nullptr;
}

core::Result<void> Verify(const Kernel& kernel) {
  if (kernel.body == nullptr) return core::Fail(core::ErrorCode::kBadInput, "kernel '" + kernel.name + "' has no body");
  Walk walk(kernel);
  if (auto checked = walk.Enter(*kernel.body, OpCode::kReturn, kernel.location, 0); !checked) return checked;
  for (const IndexMap& map : kernel.index_maps) {
    if (map.body == nullptr) return core::Fail(core::ErrorCode::kBadInput, "index map '" + map.name + "' has no body");
    if (auto checked = walk.Enter(*map.body, OpCode::kReturn, kernel.location, 0); !checked) return checked;
    if (auto checked = CheckIndexMapOps(map); !checked) return checked;
  }
  if (const std::string wrong = CheckKernel(kernel); !wrong.empty()) {
    return core::Fail(core::ErrorCode::kBadInput, "kernel '" + kernel.name + "': " + wrong, kernel.location);
  }
  return {};
}

}  // namespace kernel_audit::ir
