// Kernels made at random, for comparing the simulator with another reading of the IR.
//
// Grid (g,). Operands: float32 x in blocks of (m, n) whose last block may be partial, int32 k[8] in SMEM; outputs: float32 z in blocks
// like x's, int32 w(m, n) whole; scratch: float32 (m + 3, n + 2) in VMEM and int32 [4] in SMEM, which begin undefined. Starts of loads and
// stores are computed and sometimes leave the memory. No operation's bits depend on which NaN an operand is.
#pragma once

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "kernel_audit/ir/kernel.h"

namespace kernel_audit::sim::testing {

using ir::DType;
using ir::MemorySpace;
using ir::OpCode;
using ir::Shape;
using ir::Type;

class RandomKernel {
 public:
  // `wide`: vectors large enough that instructions run in chains.
  explicit RandomKernel(std::uint64_t seed, bool wide = false) : random_(seed), wide_(wide) {}

  std::unique_ptr<ir::Kernel> Make() {
    kernel_ = std::make_unique<ir::Kernel>();
    kernel_->name = "random";
    m_ = Below(9) + 1;
    n_ = Below(3) == 0 ? Below(40) + 1 : Below(9) + 1;
    if (wide_) m_ = Below(6) + 4, n_ = Below(120) + 130;
    const std::int64_t programs = Below(3) + 1;
    kernel_->grid = {programs};
    kernel_->semantics = {ir::DimensionSemantics::kArbitrary};
    MakeOperands(m_ * programs - Below(m_));
    Fill(static_cast<int>(Below(40)) + (wide_ ? 20 : 5), 2);
    // Whatever was computed last is seen.
    StoreTo(z_, Pick(Type::Vector(DType::kFloat32, {m_, n_})), {Index(0), Index(0)});
    StoreTo(w_, Pick(Type::Vector(DType::kInt32, {m_, n_})), {Index(0), Index(0)});
    Emit(OpCode::kReturn, {}, {});
    return std::move(kernel_);
  }

 private:
  std::int64_t Below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }
  template <typename T>
  T OneOf(std::initializer_list<T> list) {
    return list.begin()[Below(static_cast<std::int64_t>(list.size()))];
  }

  void MakeOperands(std::int64_t rows) {
    kernel_->inputs = {{DType::kFloat32, {rows, n_}}, {DType::kInt32, {8}}};
    kernel_->outputs = {{DType::kFloat32, {rows, n_}}, {DType::kInt32, {m_, n_}}};
    kernel_->num_scratch = 2;
    ir::Region* map = kernel_->NewRegion();
    map->arguments = {kernel_->NewValue(Type::Scalar(DType::kInt32))};
    kernel_->index_maps = {{"rows", map}};
    region_ = map;
    ir::Value* zero = Constant(Type::Scalar(DType::kInt32), {0});
    Emit(OpCode::kReturn, {map->arguments[0], zero}, {});
    ir::Window window;
    window.block_shape = {m_, n_};
    window.index_map = 0;
    kernel_->windows = {window, std::nullopt, window, std::nullopt};
    kernel_->body = region_ = kernel_->NewRegion();
    pool_.clear();
    const auto argument = [&](Type type) { return kernel_->body->arguments.emplace_back(kernel_->NewValue(std::move(type))); };
    pool_.push_back(argument(Type::Scalar(DType::kInt32)));
    x_ = argument(Type::Ref(DType::kFloat32, {m_, n_}, MemorySpace::kVmem));
    k_ = argument(Type::Ref(DType::kInt32, {8}, MemorySpace::kSmem));
    z_ = argument(Type::Ref(DType::kFloat32, {m_, n_}, MemorySpace::kVmem));
    w_ = argument(Type::Ref(DType::kInt32, {m_, n_}, MemorySpace::kVmem));
    s_ = argument(Type::Ref(DType::kFloat32, {m_ + 3, n_ + 2}, MemorySpace::kVmem));
    c_ = argument(Type::Ref(DType::kInt32, {4}, MemorySpace::kSmem));
  }

  ir::Op* Append(OpCode code, std::vector<ir::Value*> operands, const std::vector<Type>& results) {
    ir::Op* op = kernel_->NewOp(code);
    op->operands = std::move(operands);
    for (const Type& type : results) {
      op->results.push_back(kernel_->NewValue(type));
      op->results.back()->producer = op;
    }
    region_->ops.push_back(op);
    return op;
  }

  ir::Op* Emit(OpCode code, std::vector<ir::Value*> operands, const std::vector<Type>& results) {
    ir::Op* op = Append(code, std::move(operands), results);
    for (ir::Value* result : op->results) {
      if (!result->type.is_ref() && result->type.dtype != DType::kIndex) pool_.push_back(result);
    }
    return op;
  }

  ir::Value* Constant(const Type& type, const std::vector<std::int32_t>& values) {
    ir::Op* op = Emit(OpCode::kConstant, {}, {type});
    op->attributes.value.splat = values.size() == 1;
    for (std::int32_t value : values) {
      std::uint8_t bytes[8] = {};
      const std::int64_t wide = value;
      const float real = static_cast<float>(value) / 4;
      std::uint32_t bits;
      std::memcpy(&bits, &real, sizeof bits);
      const std::uint16_t upper = static_cast<std::uint16_t>(bits >> 16);
      switch (type.dtype) {
        case DType::kFloat32: std::memcpy(bytes, &bits, 4); break;
        case DType::kBFloat16: std::memcpy(bytes, &upper, 2); break;
        case DType::kBool: bytes[0] = value & 1; break;
        default: std::memcpy(bytes, &wide, 8); break;
      }
      op->attributes.value.bytes.insert(op->attributes.value.bytes.end(), bytes, bytes + core::ByteSize(type.dtype));
    }
    return op->result();
  }

  ir::Value* Index(std::int64_t value) { return Constant(Type::Scalar(DType::kIndex), {static_cast<std::int32_t>(value)}); }

  // A value of the type that is in scope, or a new constant.
  ir::Value* Pick(const Type& type) {
    std::vector<ir::Value*> fitting;
    for (ir::Value* value : pool_) {
      if (value->type == type) fitting.push_back(value);
    }
    if (!fitting.empty() && Below(8) != 0) {
      // Late values more often: chains grow, and early ones are needed long after.
      return fitting[static_cast<std::size_t>(std::max(Below(static_cast<std::int64_t>(fitting.size())), Below(static_cast<std::int64_t>(fitting.size()))))];
    }
    const std::int64_t count = type.is_scalar() || Below(2) == 0 ? 1 : core::NumElements(type.shape);
    std::vector<std::int32_t> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<std::int32_t>(Below(41) - 20));
    return Constant(type, values);
  }

  Shape SomeShape() {
    switch (Below(6)) {
      case 0: return {n_, m_};
      case 1: return {1, n_};
      case 2: return {m_, 1};
      case 3: return {m_ * n_};
      default: return {m_, n_};
    }
  }
  Type Some(DType dtype) { return Below(4) == 0 ? Type::Scalar(dtype) : Type::Vector(dtype, SomeShape()); }
  static Type With(Type type, DType dtype) {
    type.dtype = dtype;
    return type;
  }

  ir::Value* SomeIndex() {
    ir::Value* number = Pick(Type::Scalar(DType::kInt32));
    if (Below(3) != 0) {
      number = Emit(OpCode::kAndI, {number, Constant(Type::Scalar(DType::kInt32), {static_cast<std::int32_t>(Below(4))})}, {number->type})->result();
    }
    return Append(OpCode::kIndexCast, {number}, {Type::Scalar(DType::kIndex)})->result();
  }

  void StoreTo(ir::Value* reference, ir::Value* value, const std::vector<ir::Value*>& starts) {
    std::vector<ir::Value*> operands = {value, reference};
    operands.insert(operands.end(), starts.begin(), starts.end());
    ir::Op* op = Append(value->type.is_scalar() ? OpCode::kStore : OpCode::kVectorStore, operands, {});
    if (value->type.is_vector()) op->attributes.segments = {1, 1, static_cast<std::int32_t>(starts.size()), 0};
  }

  // Operations, one a call, each a few lines.
  void Fill(int count, int depth) {
    for (int i = 0; i < count; ++i) Step(depth);
  }

  void Step(int depth) {
    switch (Below(depth > 0 ? 17 : 15)) {
      case 0:
      case 1: return FloatOp();
      case 2:
      case 3: return IntegerOp();
      case 4: return CompareOp();
      case 5: return SelectOp();
      case 6:
      case 7: return CastOp();
      case 8: return ReduceOp();
      case 9: return RearrangeOp();
      case 10: return WidenOp();
      case 11:
      case 12: return LoadOp();
      case 13:
      case 14: return StoreOp();
      case 15: return IfOp(depth);
      default: return ForOp(depth);
    }
  }

  void FloatOp() {
    const Type type = Some(Below(4) == 0 ? DType::kBFloat16 : DType::kFloat32);
    if (Below(5) == 0) {
      Emit(OneOf({OpCode::kNegF, OpCode::kAbsF}), {Pick(type)}, {type});
    } else if (type.dtype == DType::kBFloat16) {
      Emit(OneOf({OpCode::kAddF, OpCode::kSubF, OpCode::kMulF, OpCode::kMaximumF}), {Pick(type), Pick(type)}, {type});
    } else {
      Emit(OneOf({OpCode::kAddF, OpCode::kSubF, OpCode::kMulF, OpCode::kDivF, OpCode::kMaximumF, OpCode::kMinimumF}), {Pick(type), Pick(type)}, {type});
    }
  }

  void IntegerOp() {
    const Type type = Some(DType::kInt32);
    Emit(OneOf({OpCode::kAddI, OpCode::kSubI, OpCode::kMulI, OpCode::kDivSI, OpCode::kRemSI, OpCode::kMaxSI, OpCode::kMinSI, OpCode::kAndI, OpCode::kOrI,
                OpCode::kXOrI, OpCode::kShlI, OpCode::kShrSI, OpCode::kShrUI}), {Pick(type), Pick(type)}, {type});
  }

  void CompareOp() {
    const bool real = Below(2) == 0;
    const Type type = Some(real ? DType::kFloat32 : DType::kInt32);
    ir::Op* op = Emit(real ? OpCode::kCmpF : OpCode::kCmpI, {Pick(type), Pick(type)}, {With(type, DType::kBool)});
    op->attributes.predicate = Below(real ? 16 : 10);
  }

  void SelectOp() {
    const Type type = Some(OneOf({DType::kFloat32, DType::kInt32, DType::kBFloat16}));
    const Type condition = Below(3) == 0 ? Type::Scalar(DType::kBool) : With(type, DType::kBool);
    Emit(OpCode::kSelect, {Pick(condition), Pick(type), Pick(type)}, {type});
  }

  void CastOp() {
    struct Cast {
      OpCode code;
      DType from, to;
    };
    const Cast cast = OneOf<Cast>({{OpCode::kSIToFP, DType::kInt32, DType::kFloat32}, {OpCode::kFPToSI, DType::kFloat32, DType::kInt32},
                                   {OpCode::kTruncF, DType::kFloat32, DType::kBFloat16}, {OpCode::kExtF, DType::kBFloat16, DType::kFloat32},
                                   {OpCode::kExtUI, DType::kBool, DType::kInt32}, {OpCode::kBitcast, DType::kInt32, DType::kFloat32},
                                   {OpCode::kSIToFP, DType::kInt32, DType::kBFloat16}});
    const Type type = Some(cast.from);
    Emit(cast.code, {Pick(type)}, {With(type, cast.to)});
  }

  void ReduceOp() {
    const bool real = Below(2) == 0;
    const DType dtype = real ? DType::kFloat32 : DType::kInt32;
    const Shape from = OneOf<Shape>({{m_, n_}, {n_, m_}});
    const std::int64_t dimension = Below(3);  // 2: both
    const Type to = dimension == 2 ? Type::Scalar(dtype) : Type::Vector(dtype, {from[static_cast<std::size_t>(1 - dimension)]});
    ir::Op* op = Append(OpCode::kReduce, {Pick(Type::Vector(dtype, from)), Pick(to)}, {to});
    op->attributes.dims = dimension == 2 ? Shape{0, 1} : Shape{dimension};
    using Kind = ir::ReductionKind;
    op->attributes.reduction = real ? OneOf({Kind::kAdd, Kind::kMaximumF, Kind::kMinimumF}) : OneOf({Kind::kAdd, Kind::kMaxSI, Kind::kMinSI});
    if (dimension == 2) {
      pool_.push_back(op->result());
    } else {
      Shape kept = from;
      kept[static_cast<std::size_t>(dimension)] = 1;
      Emit(OpCode::kShapeCast, {op->result()}, {Type::Vector(dtype, kept)});
    }
  }

  void RearrangeOp() {
    const DType dtype = OneOf({DType::kFloat32, DType::kInt32, DType::kBFloat16});
    const Type whole = Type::Vector(dtype, {m_, n_});
    ir::Op* op = nullptr;
    switch (Below(5)) {
      case 0:
        op = Emit(OpCode::kTranspose, {Pick(whole)}, {Type::Vector(dtype, {n_, m_})});
        op->attributes.dims = {1, 0};
        return;
      case 1:
        Emit(OpCode::kShapeCast, {Pick(OneOf({whole, Type::Vector(dtype, {m_ * n_})}))}, {OneOf({whole, Type::Vector(dtype, {n_, m_}), Type::Vector(dtype, {m_ * n_})})});
        return;
      case 2:
        op = Emit(OpCode::kDynamicRotate, {Pick(whole), Pick(Type::Scalar(DType::kInt32))}, {whole});
        op->attributes.dimension = Below(2);
        return;
      case 3: {  // two copies side by side, and a part of them
        const std::int64_t dimension = Below(2);
        Shape both = {m_, n_};
        both[static_cast<std::size_t>(dimension)] *= 2;
        op = Append(OpCode::kConcatenate, {Pick(whole), Pick(whole)}, {Type::Vector(dtype, both)});
        op->attributes.dimension = dimension;
        ir::Op* part = Emit(OpCode::kExtractStridedSlice, {op->result()}, {whole});
        part->attributes.dims = {0, 0};
        part->attributes.dims[static_cast<std::size_t>(dimension)] = Below(whole.shape[static_cast<std::size_t>(dimension)] + 1);
        part->attributes.sizes = whole.shape;
        return;
      }
      default:
        op = Emit(OpCode::kIota, {}, {Type::Vector(DType::kInt32, {m_, n_})});
        op->attributes.dimension = Below(2);
    }
  }

  void WidenOp() {
    const DType dtype = OneOf({DType::kFloat32, DType::kInt32, DType::kBFloat16});
    const Type from = OneOf({Type::Scalar(dtype), Type::Vector(dtype, {1, n_}), Type::Vector(dtype, {m_, 1})});
    Emit(OpCode::kBroadcast, {Pick(from)}, {Type::Vector(dtype, {m_, n_})});
  }

  void LoadOp() {
    if (Below(3) == 0) {
      Emit(OpCode::kLoad, {OneOf({k_, c_}), SomeIndex()}, {Type::Scalar(DType::kInt32)});
      return;
    }
    ir::Value* reference = OneOf({x_, z_, s_, s_, w_});
    Emit(OpCode::kVectorLoad, {reference, SomeIndex(), SomeIndex()}, {Type::Vector(reference->type.dtype, OneOf<Shape>({{m_, n_}, {1, n_}, {m_, 1}}))});
  }

  void StoreOp() {
    if (Below(3) == 0) return StoreTo(c_, Pick(Type::Scalar(DType::kInt32)), {SomeIndex()});
    ir::Value* reference = OneOf({x_, z_, s_, s_, w_});
    ir::Value* value = Pick(Type::Vector(reference->type.dtype, OneOf<Shape>({{m_, n_}, {1, n_}, {m_, 1}})));
    StoreTo(reference, value, {SomeIndex(), SomeIndex()});
  }

  // A region of a branch or a loop, which yields values of these types.
  ir::Region* Nested(std::vector<ir::Value*> arguments, const std::vector<Type>& yields, int depth) {
    ir::Region* outer = region_;
    const std::size_t in_scope = pool_.size();
    ir::Region* inner = region_ = kernel_->NewRegion();
    inner->arguments = arguments;
    pool_.insert(pool_.end(), arguments.begin(), arguments.end());
    Fill(static_cast<int>(Below(8)), depth - 1);
    std::vector<ir::Value*> yielded;
    for (const Type& type : yields) yielded.push_back(Pick(type));
    Emit(OpCode::kYield, yielded, {});
    pool_.resize(in_scope);
    region_ = outer;
    return inner;
  }

  std::vector<Type> SomeTypes(std::int64_t most) {
    std::vector<Type> types;
    const Type repeated = Some(DType::kFloat32);  // two of one type can change places
    for (std::int64_t i = Below(most + 1); i > 0; --i) types.push_back(Below(2) == 0 ? repeated : Some(OneOf({DType::kFloat32, DType::kInt32, DType::kBFloat16})));
    return types;
  }

  void IfOp(int depth) {
    ir::Value* condition = Pick(Type::Scalar(DType::kBool));
    const std::vector<Type> types = SomeTypes(2);
    ir::Region* yes = Nested({}, types, depth);
    ir::Region* no = Nested({}, types, depth);
    Emit(OpCode::kIf, {condition}, types)->regions = {yes, no};
  }

  void ForOp(int depth) {
    const Type integer = Type::Scalar(DType::kInt32);
    const std::vector<Type> types = SomeTypes(3);
    ir::Value* most = Constant(integer, {3});
    std::vector<ir::Value*> operands = {Constant(integer, {static_cast<std::int32_t>(Below(3)) - 1}), Emit(OpCode::kAndI, {Pick(integer), most}, {integer})->result(),
                                        Constant(integer, {static_cast<std::int32_t>(Below(2)) + 1})};
    std::vector<ir::Value*> arguments = {kernel_->NewValue(integer)};
    for (const Type& type : types) {
      operands.push_back(Pick(type));
      arguments.push_back(kernel_->NewValue(type));
    }
    ir::Region* body = Nested(arguments, types, depth);
    Emit(OpCode::kFor, operands, types)->regions = {body};
  }

  std::mt19937_64 random_;
  bool wide_;
  std::unique_ptr<ir::Kernel> kernel_;
  ir::Region* region_ = nullptr;
  std::vector<ir::Value*> pool_;  // scalars and vectors in scope
  std::int64_t m_ = 1, n_ = 1;
  ir::Value *x_ = nullptr, *k_ = nullptr, *z_ = nullptr, *w_ = nullptr, *s_ = nullptr, *c_ = nullptr;
};

}  // namespace kernel_audit::sim::testing
