#include "kernel_audit/sim/ops/bfloat16_product.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <algorithm>
#include <string>

namespace kernel_audit::sim::ops {
namespace {

using DataType = dnnl::memory::data_type;

constexpr std::int64_t kLeastExtent = 16, kLeastProducts = 64 * 64 * 64;

bool Plain(const ProductMatrix& matrix) { return matrix.row_stride == 1 || matrix.column_stride == 1; }

dnnl::memory::desc Describe(const ProductMatrix& matrix, DataType type) {
  return {{matrix.rows, matrix.columns}, type, dnnl::memory::dims{matrix.row_stride, matrix.column_stride}};
}

// Over the runs of elements that lie side by side.
template <class T>
auto SmallestOf(const ProductMatrix& matrix, const T* elements) {
  const bool by_rows = matrix.column_stride == 1;
  const std::int64_t run = by_rows ? matrix.columns : matrix.rows, count = by_rows ? matrix.rows : matrix.columns;
  const std::int64_t step = by_rows ? matrix.row_stride : matrix.column_stride;
  if (step == run) return SmallestMagnitude(elements, static_cast<std::size_t>(run * count));
  auto smallest = SmallestMagnitude(elements, 0);
  for (std::int64_t i = 0; i < count; ++i) smallest = std::min(smallest, SmallestMagnitude(elements + i * step, static_cast<std::size_t>(run)));
  return smallest;
}

class OneDnnProduct : public BFloat16Product {
 public:
  OneDnnProduct(const ProductMatrix& lhs, const ProductMatrix& rhs, const ProductMatrix& out)
      : lhs_(lhs), rhs_(rhs), out_(out), engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    dnnl::post_ops sum;
    sum.append_sum(1.0f);
    dnnl::primitive_attr attributes, with_sum;
    with_sum.set_post_ops(sum);
    const dnnl::matmul::desc description(Describe(lhs, DataType::bf16), Describe(rhs, DataType::bf16), Describe(out, DataType::f32));
    const dnnl::matmul::primitive_desc chosen(description, attributes, engine_);
    native_ = std::string(chosen.impl_info_str()).find("_bf16") != std::string::npos;
    lhs_memory_ = dnnl::memory(chosen.src_desc(), engine_, nullptr);
    rhs_memory_ = dnnl::memory(chosen.weights_desc(), engine_, nullptr);
    out_memory_ = dnnl::memory(chosen.dst_desc(), engine_, nullptr);
    if (!native_) return;
    product_ = dnnl::matmul(chosen);
    adding_product_ = dnnl::matmul(dnnl::matmul::primitive_desc(description, with_sum, engine_));
  }

  bool native() const { return native_; }

  bool Run(float* out, const std::uint16_t* lhs, const std::uint16_t* rhs, bool add) override {
    if (!NeverSubnormal(add ? out : nullptr, lhs, rhs)) return false;
    lhs_memory_.set_data_handle(const_cast<std::uint16_t*>(lhs));
    rhs_memory_.set_data_handle(const_cast<std::uint16_t*>(rhs));
    out_memory_.set_data_handle(out);
    (add ? adding_product_ : product_).execute(stream_, {{DNNL_ARG_SRC, lhs_memory_}, {DNNL_ARG_WEIGHTS, rhs_memory_}, {DNNL_ARG_DST, out_memory_}});
    stream_.wait();
    return true;
  }

 private:
  // No operand is subnormal, and every product and what is added to are multiples of 2^-126: then so are all sums.
  bool NeverSubnormal(const float* out, const std::uint16_t* lhs, const std::uint16_t* rhs) const {
    const int left = SmallestOf(lhs_, lhs) >> 7, right = SmallestOf(rhs_, rhs) >> 7;  // exponents, biased by 127
    if (left == 0 || right == 0 || (left - 127 - 7) + (right - 127 - 7) < -126) return false;
    return out == nullptr || static_cast<int>(SmallestOf(out_, out) >> 23) - 127 - 23 >= -126;
  }

  ProductMatrix lhs_, rhs_, out_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  bool native_ = false;
  dnnl::memory lhs_memory_, rhs_memory_, out_memory_;
  dnnl::matmul product_, adding_product_;
};

}  // namespace

std::shared_ptr<BFloat16Product> BFloat16Product::Make(const ProductMatrix& lhs, const ProductMatrix& rhs, const ProductMatrix& out) {
  const std::int64_t m = out.rows, n = out.columns, k = lhs.columns;
  if (std::min({m, n, k}) < kLeastExtent || m * n * k < kLeastProducts) return nullptr;
  if (!Plain(lhs) || !Plain(rhs) || out.column_stride != 1) return nullptr;
  try {
    auto product = std::make_shared<OneDnnProduct>(lhs, rhs, out);
    return product->native() ? product : nullptr;
  } catch (const dnnl::error&) {
    return nullptr;  // oneDNN has no such product; the general one does it
  }
}

}  // namespace kernel_audit::sim::ops
