// Values inside a kernel or an index map: scalars and vectors of one dtype. A Value is a cheap handle; operations record, nothing runs.
//
// Arithmetic wants operands of one dtype: `x.astype(pl::f32)` converts, nothing else does. A C++ number takes the other operand's dtype
// (a fraction with an integer value is refused). Shapes broadcast as NumPy's do: aligned at the last dimension, extents equal or 1.
// Integer division and remainder round towards zero, as in C++. Comparisons give pl::boolean, which knows
// ==, !=, &, |, ^ and ! but no order and no arithmetic.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include "kernel_audit/core/dtype.h"
#include "kernel_audit/core/shape.h"
#include "kernel_audit/trace/here.h"

namespace kernel_audit::trace {
struct Node;
}

namespace kernel_audit::pallas {

using trace::Here;
using core::DType;
using core::Shape;

inline constexpr DType f32 = DType::kFloat32;
inline constexpr DType bf16 = DType::kBFloat16;
inline constexpr DType i32 = DType::kInt32;
inline constexpr DType i8 = DType::kInt8;
inline constexpr DType boolean = DType::kBool;

class Value {
 public:
  Value() = default;
  explicit Value(trace::Node* node);

  DType dtype(Here here = Here::Current()) const;
  // () for a scalar.
  const Shape& shape(Here here = Here::Current()) const;
  trace::Node* node() const { return node_; }
  // Which program's tracing it belongs to (trace/session.h).
  std::uint64_t trace_number() const { return trace_number_; }

  // The value converted: float to a narrower float rounds once to nearest even; float to integer goes towards zero and saturates;
  // anything to boolean is "differs from zero".
  Value astype(DType dtype, Here here = Here::Current()) const;

 private:
  trace::Node* node_ = nullptr;
  std::uint64_t trace_number_ = 0;
};

// A grid index or a loop counter: an i32 scalar.
using Index = Value;

// An operand: a value or a C++ number, and the place where it was written.
class Operand {
 public:
  Operand(const Value& value, Here here = Here::Current()) : value_(value), here_(here) {}
  template <typename T>
    requires std::is_arithmetic_v<T>
  Operand(T number, Here here = Here::Current())
      : number_(static_cast<double>(number)), kind_(std::floating_point<T> ? Kind::kFraction : Kind::kInteger), here_(here) {}

  enum class Kind { kValue, kInteger, kFraction };
  Kind kind() const { return kind_; }
  const Value& value() const { return value_; }
  double number() const { return number_; }
  Here here() const { return here_; }

 private:
  Value value_;
  double number_ = 0;
  Kind kind_ = Kind::kValue;
  Here here_;
};

Value operator+(const Operand& a, const Operand& b);
Value operator-(const Operand& a, const Operand& b);
Value operator*(const Operand& a, const Operand& b);
Value operator/(const Operand& a, const Operand& b);
Value operator%(const Operand& a, const Operand& b);
Value operator-(const Operand& a);
Value operator&(const Operand& a, const Operand& b);
Value operator|(const Operand& a, const Operand& b);
Value operator^(const Operand& a, const Operand& b);
Value operator<<(const Operand& a, const Operand& b);
Value operator>>(const Operand& a, const Operand& b);
Value operator!(const Operand& a);
Value operator==(const Operand& a, const Operand& b);
Value operator!=(const Operand& a, const Operand& b);
Value operator<(const Operand& a, const Operand& b);
Value operator<=(const Operand& a, const Operand& b);
Value operator>(const Operand& a, const Operand& b);
Value operator>=(const Operand& a, const Operand& b);

// `&&` and `||` would evaluate both sides; write `&` and `|`.
Value operator&&(const Operand&, const Operand&) = delete;
Value operator||(const Operand&, const Operand&) = delete;

// The larger and the smaller; NaN if either is NaN.
Value maximum(const Operand& a, const Operand& b);
Value minimum(const Operand& a, const Operand& b);
// a where condition holds, else b.
Value where(const Operand& condition, const Operand& a, const Operand& b);

Value exp(const Operand& x);
Value log(const Operand& x);
Value tanh(const Operand& x);
Value sin(const Operand& x);
Value sqrt(const Operand& x);
Value rsqrt(const Operand& x);
Value abs(const Operand& x);

// A vector with `number` everywhere.
Value full(const Shape& shape, double number, DType dtype, Here here = Here::Current());
Value zeros(const Shape& shape, DType dtype, Here here = Here::Current());
// Each element its index along `dimension`; i32.
Value iota(const Shape& shape, int dimension, Here here = Here::Current());

// The reduction along `axis` (negative: from the end). keepdims leaves an extent of 1 there; without it the result must have a
// dimension left.
Value sum(const Operand& x, int axis, bool keepdims = false);
Value max(const Operand& x, int axis, bool keepdims = false);
Value min(const Operand& x, int axis, bool keepdims = false);

Value broadcast_to(const Operand& x, const Shape& shape);
Value reshape(const Operand& x, const Shape& shape);
// Dimension i of the result is dimension permutation[i] of x; without one, the last two are swapped.
Value transpose(const Operand& x, const std::vector<int>& permutation = {});

struct DotOptions {
  bool transpose_lhs = false;  // lhs is (k, m) instead of (m, k)
  bool transpose_rhs = false;  // rhs is (n, k) instead of (k, n)
  DType accumulate = DType::kFloat32;
};
// Matrix product (m, k) x (k, n) -> (m, n) in `accumulate`: float32 for float operands, int32 for int8 ones.
Value dot(const Operand& lhs, const Operand& rhs, DotOptions options = {});

// The index of this program along a grid dimension, and the grid's extent there.
Index program_id(int axis, Here here = Here::Current());
Index num_programs(int axis, Here here = Here::Current());

// Smallest integer that is not below a / b, for positive b.
constexpr std::int64_t cdiv(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

}  // namespace kernel_audit::pallas
