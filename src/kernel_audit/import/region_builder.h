// MLIR operations -> ir::Op, one region after another.
#pragma once

#include <vector>

#include "kernel_audit/core/error.h"
#include "kernel_audit/import/mlir.h"
#include "kernel_audit/ir/kernel.h"

namespace kernel_audit::import {

// The operation's name without the prefix that stable Mosaic puts before it.
std::string_view PlainName(const Operation& operation);

class RegionBuilder {
 public:
  RegionBuilder(const MlirModule& module, ir::Kernel& kernel)
      : module_(module), kernel_(kernel), values_(module.value_types.size(), nullptr) {}

  // A region of exactly one block. Values of regions built before may be used; that they are in scope is the verifier's job.
  core::Result<ir::Region*> Build(const MlirRegion& region, const core::SourceLocation& location);

 private:
  core::Result<ir::Op*> BuildOperation(const Operation& operation);
  core::Result<void> BuildRegions(const Operation& operation, ir::Op& op);
  core::Result<ir::Value*> Define(int number, const core::SourceLocation& location);

  const MlirModule& module_;
  ir::Kernel& kernel_;
  std::vector<ir::Value*> values_;  // by MLIR's number
};

}  // namespace kernel_audit::import
