// Operations, values and regions of the kernel IR. A Kernel (kernel.h) owns them all; everything handed out is a plain pointer.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernel_audit/core/source_location.h"
#include "kernel_audit/ir/type.h"

namespace kernel_audit::ir {

enum class OpCode : std::uint8_t {
#define KA_OP(code, name, min_operands, max_operands, results, regions, effect, printed_with, meaning) code,
#include "kernel_audit/ir/ops.def"
#undef KA_OP
};

enum class Effect : std::uint8_t { kNone, kRead, kWrite, kControl, kSync, kEnd };

// A row of ops.def.
struct OpInfo {
  OpCode code;
  const char* name;  // as Mosaic spells it: "arith.addf"
  int min_operands;
  int max_operands;  // -1: any
  int results;       // -1: any
  int regions;
  Effect effect;
  const char* printed_with;
  const char* meaning;
};

const OpInfo& Info(OpCode code);

// The operation that Mosaic calls `name`, or nothing.
std::optional<OpCode> OpCodeFromName(std::string_view name);

// All rows, in the file's order.
const std::vector<OpInfo>& AllOps();

// A constant's elements as they lie in memory: one (a splat) or all, row-major. kBool: a byte each.
struct Constant {
  bool splat = true;
  std::vector<std::uint8_t> bytes;
  bool operator==(const Constant&) const = default;
};

// tpu.matmul's #tpu.dot_dimension_numbers<lhs contracting, rhs contracting, lhs free, rhs free, output order, lhs batch, rhs batch>.
// `output_order` holds pairs (0 = lhs, 1 = rhs; dimension), one a dimension of the result.
struct DotDimensionNumbers {
  std::vector<std::int64_t> lhs_contracting, rhs_contracting, lhs_free, rhs_free, output_order, lhs_batch, rhs_batch;
  bool operator==(const DotDimensionNumbers&) const = default;
};

enum class ReductionKind : std::uint8_t { kAdd, kMul, kMinSI, kMaxSI, kMinimumF, kMaximumF, kAnd, kOr };

// "maximumf", as MLIR's #vector.kind spells it.
const char* Name(ReductionKind kind);
std::optional<ReductionKind> ReductionKindFromName(std::string_view name);

// What an operation says of itself beyond its operands. Only the members that its row in ops.def names mean anything.
struct Attributes {
  Constant value;                          // arith.constant
  std::int64_t predicate = 0;              // arith.cmpi, arith.cmpf
  std::int64_t dimension = 0;              // tpu.iota (dimensions[0]), tpu.dynamic_rotate, tpu.concatenate, tpu.reduce_index, tpu.dynamic_gather, tpu.iteration_bound
  std::int64_t stride = 0, stride_dimension = 0;  // tpu.dynamic_rotate; 0: none
  std::int64_t index = 0;                  // tpu.unpack_elementwise
  std::int64_t multiple = 1;               // tpu.assume_multiple
  DType packed_type = DType::kBFloat16;    // tpu.pack_elementwise, tpu.unpack_elementwise
  bool smallest = false;                   // tpu.reduce_index: arg_min
  std::vector<std::int64_t> dims;          // reduction_dims, permutation, offsets, static_position, strides of tpu.strided_*
  std::vector<std::int64_t> sizes;         // vector.extract_strided_slice
  ReductionKind reduction = ReductionKind::kAdd;
  DotDimensionNumbers dot;                 // tpu.matmul
  bool transpose_lhs = false, transpose_rhs = false;  // tpu.matmul
  bool full_precision = false;             // tpu.matmul: precision = fp32
  bool add = false;                        // tpu.vector_store
  std::int64_t priority = 0;               // tpu.enqueue_dma
  std::int64_t level = 0;                  // tpu.trace_start
  std::string message;                     // tpu.trace_start
  std::vector<std::int32_t> segments;      // operandSegmentSizes; empty where the operation has none
};

struct Op;

// Made by exactly one operation or region; used by any number of operations.
struct Value {
  Type type;
  Op* producer = nullptr;  // null: an argument of a region
  int id = 0;              // unique in its Kernel, dense from 0
};

struct Region {
  std::vector<Value*> arguments;
  std::vector<Op*> ops;  // the last one has Effect::kEnd
};

struct Op {
  OpCode code;
  std::vector<Value*> operands;
  std::vector<Value*> results;
  std::vector<Region*> regions;
  Attributes attributes;
  core::SourceLocation location;

  const OpInfo& info() const { return Info(code); }
  Value* result() const { return results.front(); }
};

}  // namespace kernel_audit::ir
