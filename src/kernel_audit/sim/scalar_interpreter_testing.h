// A second reading of the IR: one element at a time, plain C++, nothing in common with the simulator. Only what RandomKernel makes.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "kernel_audit/ir/kernel.h"

namespace kernel_audit::sim::testing {

// Elements as bits in 64-bit words: a float32's or bfloat16's pattern, an integer sign extended, a bool 0 or 1.
using Words = std::vector<std::int64_t>;

inline float Real(std::int64_t word, ir::DType dtype) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(dtype == ir::DType::kBFloat16 ? word << 16 : word));
}

// The nearest number with `digits` binary digits and no unit below 2^lowest; ties to even.
inline double RoundTo(double value, int digits, int lowest) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int unit = std::max(std::ilogb(value) + 1 - digits, lowest);
  return std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
}

inline std::int64_t WordOf(float value) { return static_cast<std::int64_t>(std::bit_cast<std::uint32_t>(value)); }

// A number that float32 or double holds exactly, as bfloat16.
inline std::int64_t BFloat16WordOf(double value) {
  if (std::isnan(value)) return 0x7fc0;
  const double rounded = RoundTo(value, 8, -133);
  const float narrow = std::abs(rounded) >= std::ldexp(1.0, 128) ? std::copysign(std::numeric_limits<float>::infinity(), static_cast<float>(value > 0 ? 1 : -1))
                                                                 : static_cast<float>(rounded);
  return static_cast<std::int64_t>(std::bit_cast<std::uint32_t>(narrow) >> 16);
}

inline std::int64_t FloatWord(double exact, float rounded, ir::DType dtype) { return dtype == ir::DType::kBFloat16 ? BFloat16WordOf(exact) : WordOf(rounded); }

inline std::int64_t Undefined(ir::DType dtype) { return dtype == ir::DType::kFloat32 ? 0x7fc00000 : INT32_MAX; }

class ScalarInterpreter {
 public:
  explicit ScalarInterpreter(const ir::Kernel& kernel) : kernel_(kernel) {}

  // x and k as RandomKernel names them; gives z and w.
  std::pair<Words, Words> Run(const Words& x, const Words& k) {
    const auto& arguments = kernel_.body->arguments;
    const std::int64_t block = core::NumElements(arguments[1]->type.shape), total = core::NumElements(kernel_.inputs[0].shape);
    Words z(static_cast<std::size_t>(total), Undefined(ir::DType::kFloat32));
    memory_[arguments[2]] = k;
    for (std::size_t i = 4; i < 7; ++i) MakeUndefined(arguments[i]);
    for (std::int64_t program = 0; program < kernel_.grid[0]; ++program) {
      MakeUndefined(arguments[1]);
      MakeUndefined(arguments[3]);
      const std::int64_t first = program * block, count = std::min(block, total - first);
      std::copy_n(x.begin() + first, count, memory_[arguments[1]].begin());
      values_[arguments[0]] = {program};
      RunRegion(*kernel_.body);
      std::copy_n(memory_[arguments[3]].begin(), count, z.begin() + first);
    }
    return {z, memory_[arguments[4]]};
  }

 private:
  using Op = ir::Op;
  using OpCode = ir::OpCode;

  void MakeUndefined(const ir::Value* reference) {
    memory_[reference].assign(static_cast<std::size_t>(core::NumElements(reference->type.shape)), Undefined(reference->type.dtype));
  }

  const Words& Get(const Op& op, std::size_t i) { return values_.at(op.operands[i]); }
  std::int64_t Number(const Op& op, std::size_t i) { return Get(op, i)[0]; }

  void RunRegion(const ir::Region& region) {
    for (const Op* op : region.ops) {
      if (op->info().effect == ir::Effect::kEnd) {
        yielded_.clear();
        for (const ir::Value* value : op->operands) yielded_.push_back(values_.at(value));
        return;
      }
      RunOp(*op);
    }
  }

  void RunOp(const Op& op) {
    switch (op.code) {
      case OpCode::kIf: return RunIf(op);
      case OpCode::kFor: return RunFor(op);
      case OpCode::kStore:
      case OpCode::kVectorStore: return Access(op, op.operands[1], op.operands[0]->type, 2, nullptr);
      case OpCode::kLoad:
      case OpCode::kVectorLoad: {
        Words loaded(static_cast<std::size_t>(core::NumElements(op.result()->type.shape)), Undefined(op.result()->type.dtype));
        Access(op, op.operands[0], op.result()->type, 1, &loaded);
        values_[op.result()] = loaded;
        return;
      }
      default: values_[op.result()] = Compute(op);
    }
  }

  void RunIf(const Op& op) {
    RunRegion(*op.regions[Number(op, 0) != 0 ? 0 : 1]);
    for (std::size_t i = 0; i < op.results.size(); ++i) values_[op.results[i]] = yielded_[i];
  }

  void RunFor(const Op& op) {
    std::vector<Words> carried;
    for (std::size_t i = 3; i < op.operands.size(); ++i) carried.push_back(Get(op, i));
    const std::int64_t upper = Number(op, 1), step = Number(op, 2);
    for (std::int64_t i = Number(op, 0); i < upper; i += step) {
      values_[op.regions[0]->arguments[0]] = {i};
      for (std::size_t c = 0; c < carried.size(); ++c) values_[op.regions[0]->arguments[c + 1]] = carried[c];
      RunRegion(*op.regions[0]);
      carried = yielded_;
    }
    for (std::size_t c = 0; c < carried.size(); ++c) values_[op.results[c]] = carried[c];
  }

  // Element by element; what lies outside is left alone.
  void Access(const Op& op, const ir::Value* reference, const ir::Type& type, std::size_t first_start, Words* loaded) {
    const ir::Shape& extents = reference->type.shape;
    const ir::Shape box = type.is_vector() ? type.shape : ir::Shape(extents.size(), 1);
    Words& memory = memory_.at(reference);
    const std::int64_t count = core::NumElements(box);
    for (std::int64_t e = 0; e < count; ++e) {
      const ir::Shape at = Coordinate(e, box);
      std::int64_t target = 0;
      bool inside = true;
      for (std::size_t d = 0; d < extents.size(); ++d) {
        const std::int64_t place = Number(op, first_start + d) + at[d];
        inside = inside && place >= 0 && place < extents[d];
        target = target * extents[d] + place;
      }
      if (!inside) continue;
      if (loaded != nullptr) (*loaded)[static_cast<std::size_t>(e)] = memory[static_cast<std::size_t>(target)];
      if (loaded == nullptr) memory[static_cast<std::size_t>(target)] = Get(op, 0)[static_cast<std::size_t>(e)];
    }
  }

  static ir::Shape Coordinate(std::int64_t element, const ir::Shape& shape) {
    ir::Shape at(shape.size());
    for (std::size_t d = shape.size(); d-- > 0; element /= shape[d]) at[d] = element % shape[d];
    return at;
  }
  static std::size_t Number(const ir::Shape& at, const ir::Shape& shape) {
    std::int64_t number = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) number = number * shape[d] + at[d];
    return static_cast<std::size_t>(number);
  }

  Words Compute(const Op& op) {
    const ir::Type& type = op.result()->type;
    const std::int64_t count = core::NumElements(type.shape);
    Words result;
    if (op.code == OpCode::kReduce) return Reduce(op);
    for (std::int64_t e = 0; e < count; ++e) {
      if (op.code == OpCode::kConstant) {
        result.push_back(ConstantElement(op, e));
      } else if (Rearranges(op.code)) {
        result.push_back(RearrangedElement(op, Coordinate(e, type.shape), e));
      } else {
        Words operands;
        for (std::size_t i = 0; i < op.operands.size(); ++i) operands.push_back(Get(op, i)[op.operands[i]->type.is_scalar() ? 0 : static_cast<std::size_t>(e)]);
        result.push_back(Element(op, operands));
      }
    }
    return result;
  }

  static std::int64_t ConstantElement(const Op& op, std::int64_t e) {
    const ir::DType dtype = op.result()->type.dtype;
    const std::size_t size = core::ByteSize(dtype), first = op.attributes.value.splat ? 0 : static_cast<std::size_t>(e) * size;
    std::uint64_t bits = 0;
    for (std::size_t i = size; i-- > 0;) bits = bits << 8 | op.attributes.value.bytes[first + i];
    return dtype == ir::DType::kInt32 ? static_cast<std::int32_t>(bits) : static_cast<std::int64_t>(bits);
  }

  static bool Rearranges(OpCode code) {
    switch (code) {
      case OpCode::kTranspose:
      case OpCode::kShapeCast:
      case OpCode::kDynamicRotate:
      case OpCode::kConcatenate:
      case OpCode::kExtractStridedSlice:
      case OpCode::kIota:
      case OpCode::kBroadcast: return true;
      default: return false;
    }
  }

  std::int64_t RearrangedElement(const Op& op, ir::Shape at, std::int64_t e) {
    const auto dimension = static_cast<std::size_t>(op.attributes.dimension);
    if (op.code == OpCode::kIota) return at[dimension];
    const ir::Shape& from = op.operands[0]->type.shape;
    switch (op.code) {
      case OpCode::kShapeCast: return Get(op, 0)[static_cast<std::size_t>(e)];
      case OpCode::kTranspose: return Get(op, 0)[Number({at[1], at[0]}, from)];
      case OpCode::kExtractStridedSlice: return Get(op, 0)[Number({at[0] + op.attributes.dims[0], at[1] + op.attributes.dims[1]}, from)];
      case OpCode::kBroadcast:
        if (from.empty()) return Number(op, 0);
        return Get(op, 0)[Number({from[0] == 1 ? 0 : at[0], from[1] == 1 ? 0 : at[1]}, from)];
      case OpCode::kDynamicRotate: {
        const std::int64_t extent = from[dimension];
        at[dimension] = ((at[dimension] - Number(op, 1)) % extent + extent) % extent;
        return Get(op, 0)[Number(at, from)];
      }
      default: {  // concatenate
        std::size_t part = 0;
        while (at[dimension] >= op.operands[part]->type.shape[dimension]) at[dimension] -= op.operands[part++]->type.shape[dimension];
        return Get(op, part)[Number(at, op.operands[part]->type.shape)];
      }
    }
  }

  static std::int64_t Combine(ir::ReductionKind kind, std::int64_t a, std::int64_t b) {
    using Kind = ir::ReductionKind;
    const float x = Real(a, ir::DType::kFloat32), y = Real(b, ir::DType::kFloat32);
    switch (kind) {
      case Kind::kMaximumF: return Extreme(a, b, x, y, x > y);
      case Kind::kMinimumF: return Extreme(a, b, x, y, x < y, true);
      case Kind::kMaxSI: return std::max(a, b);
      case Kind::kMinSI: return std::min(a, b);
      default: return 0;
    }
  }

  // The first where `first` says so, the second otherwise; NaN wins, and of two zeros +0 is the larger.
  static std::int64_t Extreme(std::int64_t a, std::int64_t b, float x, float y, bool first, bool minimum = false) {
    if (std::isnan(x)) return a;
    if (std::isnan(y)) return b;
    if (x == y) return std::signbit(x) == minimum ? a : b;
    return first ? a : b;
  }

  Words Reduce(const Op& op) {
    const ir::Shape& from = op.operands[0]->type.shape;
    const ir::DType dtype = op.result()->type.dtype;
    std::vector<Words> groups(static_cast<std::size_t>(core::NumElements(op.result()->type.shape)));
    for (std::int64_t e = 0; e < from[0] * from[1]; ++e) {
      const ir::Shape at = Coordinate(e, from);
      const std::int64_t group = op.attributes.dims.size() == 2 ? 0 : at[op.attributes.dims[0] == 0 ? 1 : 0];
      groups[static_cast<std::size_t>(group)].push_back(Get(op, 0)[static_cast<std::size_t>(e)]);
    }
    Words result;
    const auto combine = [&](std::int64_t a, std::int64_t b) {
      if (op.attributes.reduction != ir::ReductionKind::kAdd) return Combine(op.attributes.reduction, a, b);
      if (dtype == ir::DType::kInt32) return std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b))};
      return WordOf(Real(a, dtype) + Real(b, dtype));
    };
    for (std::size_t g = 0; g < groups.size(); ++g) {
      Words partial;
      for (std::size_t i = 0; i < groups[g].size(); ++i) {
        if (i < 16) partial.push_back(groups[g][i]);
        if (i >= 16) partial[i % 16] = combine(partial[i % 16], groups[g][i]);
      }
      for (std::size_t distance : {8u, 4u, 2u, 1u}) {
        for (std::size_t l = 0; l < distance && l + distance < partial.size(); ++l) partial[l] = combine(partial[l], partial[l + distance]);
        if (partial.size() > distance) partial.resize(distance);
      }
      result.push_back(combine(Get(op, 1)[g], partial[0]));
    }
    return result;
  }

  static std::int64_t Element(const Op& op, const Words& v) {
    const ir::DType from = op.operands.back()->type.dtype, to = op.result()->type.dtype;
    switch (op.code) {
      case OpCode::kSelect: return v[0] != 0 ? v[1] : v[2];
      case OpCode::kCmpF: return CompareFloats(op.attributes.predicate, Real(v[0], from), Real(v[1], from));
      case OpCode::kCmpI: return CompareIntegers(op.attributes.predicate, v[0], v[1]);
      case OpCode::kIndexCast:
      case OpCode::kExtUI: return v[0];
      case OpCode::kBitcast: return static_cast<std::int64_t>(static_cast<std::uint32_t>(v[0]));
      case OpCode::kSIToFP: return FloatWord(static_cast<double>(v[0]), static_cast<float>(v[0]), to);
      case OpCode::kTruncF: return BFloat16WordOf(Real(v[0], from));
      case OpCode::kExtF: return WordOf(Real(v[0], from));
      case OpCode::kFPToSI: {
        const double value = std::trunc(static_cast<double>(Real(v[0], from)));
        return std::isnan(value) ? 0 : static_cast<std::int64_t>(std::clamp(value, -2147483648.0, 2147483647.0));
      }
      default: return core::IsFloat(to) ? FloatElement(op.code, v, to) : IntegerElement(op.code, v);
    }
  }

  static std::int64_t FloatElement(OpCode code, const Words& v, ir::DType dtype) {
    const std::int64_t sign = dtype == ir::DType::kBFloat16 ? 0x8000 : 0x80000000;
    if (code == OpCode::kNegF) return v[0] ^ sign;
    if (code == OpCode::kAbsF) return v[0] & ~sign;
    const float a = Real(v[0], dtype), b = Real(v[1], dtype);
    switch (code) {
      case OpCode::kMaximumF: return Extreme(v[0], v[1], a, b, a > b);
      case OpCode::kMinimumF: return Extreme(v[0], v[1], a, b, a < b, true);
      case OpCode::kAddF: return FloatWord(a + b, a + b, dtype);
      case OpCode::kSubF: return FloatWord(a - b, a - b, dtype);
      case OpCode::kMulF: return FloatWord(a * b, a * b, dtype);
      case OpCode::kDivF: return FloatWord(a / b, a / b, dtype);
      default: throw std::logic_error("an operation that the interpreter does not know");
    }
  }

  static std::int64_t IntegerElement(OpCode code, const Words& v) {
    const auto a = static_cast<std::int32_t>(v[0]), b = static_cast<std::int32_t>(v[1]);
    const auto ua = static_cast<std::uint32_t>(a), ub = static_cast<std::uint32_t>(b);
    const auto wrapped = [](std::uint32_t bits) { return std::int64_t{static_cast<std::int32_t>(bits)}; };
    switch (code) {
      case OpCode::kAddI: return wrapped(ua + ub);
      case OpCode::kSubI: return wrapped(ua - ub);
      case OpCode::kMulI: return wrapped(ua * ub);
      case OpCode::kDivSI: return b == 0 ? -1 : wrapped(static_cast<std::uint32_t>(v[0] / v[1]));
      case OpCode::kRemSI: return b == 0 ? v[0] : v[0] % v[1];
      case OpCode::kMaxSI: return std::max(v[0], v[1]);
      case OpCode::kMinSI: return std::min(v[0], v[1]);
      case OpCode::kAndI: return v[0] & v[1];
      case OpCode::kOrI: return v[0] | v[1];
      case OpCode::kXOrI: return v[0] ^ v[1];
      case OpCode::kShlI: return ub >= 32 ? 0 : wrapped(ua << ub);
      case OpCode::kShrSI: return ub >= 32 ? (a < 0 ? -1 : 0) : a >> b;
      case OpCode::kShrUI: return ub >= 32 ? 0 : wrapped(ua >> ub);
      default: throw std::logic_error("an operation that the interpreter does not know");
    }
  }

  static bool CompareFloats(std::int64_t predicate, float a, float b) {
    const bool unordered = std::isnan(a) || std::isnan(b);
    if (predicate == 0 || predicate == 15) return predicate == 15;
    if (predicate == 7 || predicate == 14) return unordered == (predicate == 14);
    if (unordered) return predicate >= 8;
    const bool holds[] = {a == b, a > b, a >= b, a < b, a <= b, a != b};
    return holds[(predicate >= 8 ? predicate - 8 : predicate - 1)];
  }

  static bool CompareIntegers(std::int64_t predicate, std::int64_t a, std::int64_t b) {
    const auto ua = static_cast<std::uint32_t>(a), ub = static_cast<std::uint32_t>(b);
    const bool holds[] = {a == b, a != b, a < b, a <= b, a > b, a >= b, ua < ub, ua <= ub, ua > ub, ua >= ub};
    return holds[predicate];
  }

  const ir::Kernel& kernel_;
  std::unordered_map<const ir::Value*, Words> values_, memory_;
  std::vector<Words> yielded_;
};

}  // namespace kernel_audit::sim::testing
