#include "kernel_audit/import/region_builder.h"

#include "kernel_audit/import/kernel_types.h"
#include "kernel_audit/import/op_attributes.h"

namespace kernel_audit::import {
namespace {

using core::ErrorCode;

tl::unexpected<core::Error> Fail(ErrorCode code, const Operation& operation, const std::string& message) {
  return core::Fail(code, std::string(PlainName(operation)) + ": " + message, operation.location);
}

core::Result<void> CheckCounts(const Operation& operation, const ir::OpInfo& info) {
  const int operands = static_cast<int>(operation.operands.size()), results = static_cast<int>(operation.results.size());
  if (operands < info.min_operands || (info.max_operands >= 0 && operands > info.max_operands)) {
    return Fail(ErrorCode::kBadInput, operation, "it can't have " + std::to_string(operands) + " operands");
  }
  if (info.results >= 0 && results != info.results) {
    return Fail(ErrorCode::kBadInput, operation, "it can't have " + std::to_string(results) + " results");
  }
  if (static_cast<int>(operation.regions.size()) != info.regions) {
    return Fail(ErrorCode::kBadInput, operation, "it can't have " + std::to_string(operation.regions.size()) + " regions");
  }
  return {};
}

}  // namespace

std::string_view PlainName(const Operation& operation) {
  constexpr std::string_view kPrefix = "stable_mosaic.";
  std::string_view name = operation.name;
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  return name;
}

core::Result<ir::Value*> RegionBuilder::Define(int number, const core::SourceLocation& location) {
  const TypePtr& mlir_type = module_.value_types[static_cast<std::size_t>(number)];
  auto type = ToIrType(*mlir_type);
  if (!type) return core::Fail(type.error().code, type.error().message, location);
  ir::Value*& value = values_[static_cast<std::size_t>(number)];
  value = kernel_.NewValue(std::move(*type));
  return value;
}

core::Result<ir::Region*> RegionBuilder::Build(const MlirRegion& region, const core::SourceLocation& location) {
  if (region.blocks.size() != 1) {
    return core::Fail(ErrorCode::kUnsupported, "a region of " + std::to_string(region.blocks.size()) + " blocks", location);
  }
  ir::Region* built = kernel_.NewRegion();
  for (const int number : region.blocks[0].arguments) {
    const auto value = Define(number, location);
    if (!value) return tl::unexpected(value.error());
    built->arguments.push_back(*value);
  }
  for (const Operation& operation : region.blocks[0].operations) {
    const auto op = BuildOperation(operation);
    if (!op) return tl::unexpected(op.error());
    built->ops.push_back(*op);
  }
  return built;
}

core::Result<ir::Op*> RegionBuilder::BuildOperation(const Operation& operation) {
  const auto code = ir::OpCodeFromName(PlainName(operation));
  if (!code) return Fail(ErrorCode::kUnsupported, operation, "this operation is not supported");
  if (const auto counts = CheckCounts(operation, ir::Info(*code)); !counts) return tl::unexpected(counts.error());
  ir::Op* op = kernel_.NewOp(*code);
  op->location = operation.location;
  for (const int number : operation.operands) {
    ir::Value* value = values_[static_cast<std::size_t>(number)];
    if (value == nullptr) return Fail(ErrorCode::kBadInput, operation, "an operand is used before it is defined");
    op->operands.push_back(value);
  }
  if (const auto regions = BuildRegions(operation, *op); !regions) return tl::unexpected(regions.error());
  for (const int number : operation.results) {
    const auto value = Define(number, operation.location);
    if (!value) return Fail(value.error().code, operation, value.error().message);
    (*value)->producer = op;
    op->results.push_back(*value);
  }
  if (const auto filled = FillAttributes(operation, *op); !filled) return tl::unexpected(filled.error());
  return op;
}

core::Result<void> RegionBuilder::BuildRegions(const Operation& operation, ir::Op& op) {
  for (const MlirRegion& region : operation.regions) {
    // MLIR writes a missing else as a region without blocks.
    if (op.code == ir::OpCode::kIf && region.blocks.empty()) {
      ir::Region* empty = kernel_.NewRegion();
      empty->ops.push_back(kernel_.NewOp(ir::OpCode::kYield));
      op.regions.push_back(empty);
      continue;
    }
    const auto built = Build(region, operation.location);
    if (!built) return tl::unexpected(built.error());
    op.regions.push_back(*built);
  }
  return {};
}

}  // namespace kernel_audit::import
