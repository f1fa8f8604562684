// Operations with regions, and what ends a region.
#include "kernel_audit/ir/verifier_rules.h"

namespace kernel_audit::ir {
namespace {

bool SameTypes(const std::vector<Value*>& a, std::size_t a_first, const std::vector<Value*>& b, std::size_t b_first) {
  if (a.size() - a_first != b.size() - b_first) return false;
  for (std::size_t i = a_first; i < a.size(); ++i) {
    if (a[i]->type != b[i - a_first + b_first]->type) return false;
  }
  return true;
}

// The region has been walked before: it has a last operation.
const std::vector<Value*>& Yielded(const Region* region) { return region->ops.back()->operands; }

std::string CheckResults(const Op& op) {
  for (const Value* result : op.results) {
    if (result->type.is_ref()) return "its results must be scalars or vectors";
  }
  return "";
}

// Regions without arguments whose last operation gives the results.
std::string PlainRegionsRule(const Op& op) {
  for (const Region* region : op.regions) {
    if (!region->arguments.empty()) return "its regions take no arguments";
    if (!SameTypes(Yielded(region), 0, op.results, 0)) return "each region must yield the types of the results";
  }
  return CheckResults(op);
}

std::string IfRule(const Op& op) {
  if (!IsScalar(op.operands[0], DType::kBool)) return "its condition must be a scalar i1";
  return PlainRegionsRule(op);
}

std::string ForRule(const Op& op) {
  const Type& counter = op.operands[0]->type;
  if (!IsOffset(op.operands[0])) return "its bounds and step must be i32 or index";
  if (op.operands[1]->type != counter || op.operands[2]->type != counter) return "its bounds and step must have one type";
  const Region* region = op.regions[0];
  if (region->arguments.empty() || region->arguments[0]->type != counter) return "its region takes the counter first";
  const bool carried = SameTypes(op.operands, 3, region->arguments, 1) && SameTypes(op.operands, 3, Yielded(region), 0) &&
                       SameTypes(op.operands, 3, op.results, 0);
  if (!carried) return "initial, carried, yielded and resulting values must have the same types";
  return CheckResults(op);
}

// initial values -> first region; its scf.condition's values -> second region and results; what that yields -> first region again.
std::string WhileRule(const Op& op) {
  const Region &before = *op.regions[0], &after = *op.regions[1];
  const std::vector<Value*>& condition = Yielded(&before);
  if (!IsScalar(condition[0], DType::kBool)) return "its condition must be a scalar i1";
  const bool round = SameTypes(op.operands, 0, before.arguments, 0) && SameTypes(condition, 1, after.arguments, 0) &&
                     SameTypes(condition, 1, op.results, 0) && SameTypes(Yielded(&after), 0, before.arguments, 0);
  if (!round) return "initial, carried, yielded and resulting values must have the same types";
  for (const Value* argument : before.arguments) {
    if (argument->type.is_ref()) return "it can't carry references";
  }
  return CheckResults(op);
}

// What it may yield depends on what it ends: the owner's rule looks at it.
std::string EndRule(const Op&) { return ""; }

}  // namespace

Rule ControlRule(OpCode code) {
  switch (code) {
    case OpCode::kRegion: return PlainRegionsRule;
    case OpCode::kIf: return IfRule;
    case OpCode::kFor: return ForRule;
    case OpCode::kWhile: return WhileRule;
    case OpCode::kCondition:
    case OpCode::kYield:
    case OpCode::kRegionYield:
    case OpCode::kReturn: return EndRule;
    default: return nullptr;
  }
}

}  // namespace kernel_audit::ir
