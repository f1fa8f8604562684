// Arrays of the host program: whole arrays between kernels, computed by XLA. An Array is a cheap handle; operations record.
#pragma once

#include <type_traits>
#include <vector>

#include "kernel_audit/trace/value.h"

namespace kernel_audit::trace {
struct HostNode;
}

namespace kernel_audit::pallas {

// Where an array lies before the program starts.
enum class Placement { cpu, tpu };

// A shape and a dtype.
struct ShapeDtype {
  Shape shape;
  DType dtype = DType::kFloat32;
  bool operator==(const ShapeDtype&) const = default;
};

class Array {
 public:
  Array() = default;
  explicit Array(trace::HostNode* node);

  const Shape& shape(Here here = Here::Current()) const;
  DType dtype(Here here = Here::Current()) const;
  Placement placement(Here here = Here::Current()) const;
  // Shape and dtype.
  ShapeDtype aval(Here here = Here::Current()) const { return {shape(here), dtype(here)}; }
  trace::HostNode* node() const { return node_; }
  // Which program's tracing it belongs to (trace/session.h).
  std::uint64_t trace_number() const { return trace_number_; }

  // The array converted as Value::astype does.
  Array astype(DType dtype, Here here = Here::Current()) const;

 private:
  trace::HostNode* node_ = nullptr;
  std::uint64_t trace_number_ = 0;
};

// An operand of a host operation: an array or a C++ number, which takes the array's dtype.
class ArrayOperand {
 public:
  ArrayOperand(const Array& array, Here here = Here::Current()) : array_(array), is_array_(true), here_(here) {}
  template <typename T>
    requires std::is_arithmetic_v<T>
  ArrayOperand(T number, Here here = Here::Current())
      : number_(static_cast<double>(number)), is_fraction_(std::floating_point<T>), here_(here) {}

  bool is_array() const { return is_array_; }
  bool is_fraction() const { return is_fraction_; }
  const Array& array() const { return array_; }
  double number() const { return number_; }
  Here here() const { return here_; }

 private:
  Array array_;
  double number_ = 0;
  bool is_array_ = false;
  bool is_fraction_ = false;
  Here here_;
};

// The block of a BlockSpec: one extent a dimension.
struct BlockDim {
  constexpr BlockDim(std::int64_t extent) : extent(extent) {}
  constexpr BlockDim(int extent, bool squeezed = false) : extent(extent), squeezed(squeezed) {}
  std::int64_t extent;
  bool squeezed = false;
};

// A block dimension of one element that the kernel does not see.
inline constexpr BlockDim squeezed{1, true};

class Block {
 public:
  Block() = default;
  Block(std::initializer_list<BlockDim> dims) : dims_(dims) {}
  explicit Block(const Shape& shape) : dims_(shape.begin(), shape.end()) {}

  std::size_t size() const { return dims_.size(); }
  // Throws TraceError when the block has not so many dimensions.
  std::int64_t operator[](std::size_t i) const;
  bool is_squeezed(std::size_t i) const { return dims_.at(i).squeezed; }
  Shape shape() const;

 private:
  std::vector<BlockDim> dims_;
};

// `value` added before and after each dimension.
Array pad(const ArrayOperand& x, const Shape& low, const Shape& high, double value = 0);
// `value` added at the end of each dimension until it is a multiple of the block's.
Array pad_to(const ArrayOperand& x, const Block& block, double value = 0);
// The first elements of each dimension.
Array crop(const ArrayOperand& x, const Shape& shape);
// `sizes` elements from `starts` on.
Array slice(const ArrayOperand& x, const Shape& starts, const Shape& sizes);
Array reshape(const ArrayOperand& x, const Shape& shape);
// The product of two float32 matrices, accumulated in float32. Nothing is converted: weights stored otherwise need astype first.
Array dot(const Array& a, const Array& b, Here here = Here::Current());
// Repeated as NumPy broadcasts.
Array broadcast_to(const ArrayOperand& x, const Shape& shape);

// Elementwise, operands of one dtype and one shape; nothing is broadcast but numbers.
Array operator+(const ArrayOperand& a, const ArrayOperand& b);
Array operator-(const ArrayOperand& a, const ArrayOperand& b);
Array operator*(const ArrayOperand& a, const ArrayOperand& b);
Array operator/(const ArrayOperand& a, const ArrayOperand& b);
Array operator-(const ArrayOperand& a);
Array maximum(const ArrayOperand& a, const ArrayOperand& b);
Array minimum(const ArrayOperand& a, const ArrayOperand& b);
Array exp(const ArrayOperand& x);
Array log(const ArrayOperand& x);
Array tanh(const ArrayOperand& x);
Array sqrt(const ArrayOperand& x);
Array rsqrt(const ArrayOperand& x);
Array abs(const ArrayOperand& x);
Array operator==(const ArrayOperand& a, const ArrayOperand& b);
Array operator!=(const ArrayOperand& a, const ArrayOperand& b);
Array operator<(const ArrayOperand& a, const ArrayOperand& b);
Array operator<=(const ArrayOperand& a, const ArrayOperand& b);
Array operator>(const ArrayOperand& a, const ArrayOperand& b);
Array operator>=(const ArrayOperand& a, const ArrayOperand& b);
Array where(const ArrayOperand& condition, const ArrayOperand& a, const ArrayOperand& b);

// Throws TraceError(message) unless the condition holds: how a model refuses an input.
void require(bool condition, const std::string& message, Here here = Here::Current());

}  // namespace kernel_audit::pallas
