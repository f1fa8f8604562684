#include "kernel_audit/sim/ops/matmul.h"

#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernel_audit/sim/ops/elementwise.h"
#include "kernel_audit/sim/ops/int_matmul.h"
#include "kernel_audit/sim/ops/matmul_builder.h"

namespace kernel_audit::sim::ops {
namespace {

constexpr std::size_t kWorkSize = 4;  // float32 and int32

// oneDNN brings an OpenMP runtime. More than one thread would make the order of sums depend on the machine's cores, and spinning
// threads cost more than they give below some 512 x 512 x 512.
class OneThread {
 public:
  OneThread() : previous_(get_ != nullptr ? get_() : 1) { Set(1); }
  ~OneThread() { Set(previous_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  using GetFn = int (*)();
  using SetFn = void (*)(int);
  void Set(int threads) const {
    if (get_ != nullptr && set_ != nullptr && threads != get_()) set_(threads);
  }

  static const GetFn get_;
  static const SetFn set_;
  int previous_;
};

const OneThread::GetFn OneThread::get_ = reinterpret_cast<OneThread::GetFn>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
const OneThread::SetFn OneThread::set_ = reinterpret_cast<OneThread::SetFn>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));

bool IsMatmulFloat(DType dtype) { return dtype == DType::kFloat32 || dtype == DType::kBFloat16; }
bool IsMatmulInt(DType dtype) { return dtype == DType::kInt8 || dtype == DType::kInt16 || dtype == DType::kInt32; }

// Null: the elements are of the working type already.
UnaryFn Widening(DType dtype) {
  if (IsMatmulFloat(dtype)) return FindUnary(OpCode::kExtF, dtype, DType::kFloat32);
  return FindUnary(OpCode::kExtSI, dtype, DType::kInt32);
}

std::size_t WorkBytes(std::int64_t rows, std::int64_t columns) { return static_cast<std::size_t>(rows * columns) * kWorkSize; }

// Copies `count` elements `stride` apart into a dense row, widening them.
void PackRow(std::byte* to, const std::byte* from, std::int64_t count, std::int64_t stride, std::size_t element_size, UnaryFn widen) {
  if (stride == 1) {
    if (widen != nullptr) return widen(to, from, static_cast<std::size_t>(count));
    std::memcpy(to, from, static_cast<std::size_t>(count) * element_size);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i, to += kWorkSize, from += stride * static_cast<std::int64_t>(element_size)) {
    widen != nullptr ? widen(to, from, 1) : static_cast<void>(std::memcpy(to, from, kWorkSize));
  }
}

}  // namespace

core::Result<MatmulPlan> MatmulPlan::Make(const MatmulShapes& shapes, DType lhs, DType rhs, DType acc, const ir::DotDimensionNumbers& dims,
                                          bool transpose_lhs, bool transpose_rhs) {
  const bool floats = IsMatmulFloat(lhs) && IsMatmulFloat(rhs) && acc == DType::kFloat32;
  const bool ints = IsMatmulInt(lhs) && IsMatmulInt(rhs) && acc == DType::kInt32;
  if (!floats && !ints) {
    return core::Fail(core::ErrorCode::kUnsupported, "tpu.matmul: " + std::string(core::Name(lhs)) + " times " + std::string(core::Name(rhs)) +
                                                         " into " + std::string(core::Name(acc)) + " is not simulated");
  }
  MatmulPlan plan;
  plan.lhs_type_ = lhs;
  plan.rhs_type_ = rhs;
  plan.acc_type_ = acc;
  if (auto filled = Builder(shapes, dims, transpose_lhs, transpose_rhs).Fill(plan); !filled) return tl::unexpected(filled.error());
  // A result that is transposed in memory is the product of the transposed operands the other way round.
  if (!plan.out_.unit_columns() && plan.out_.unit_rows()) {
    const auto transpose = [](const Matrix& m) { return Matrix{m.columns, m.rows, m.column_stride, m.row_stride}; };
    const Matrix lhs_matrix = plan.lhs_;
    plan.lhs_ = transpose(plan.rhs_);
    plan.rhs_ = transpose(lhs_matrix);
    plan.out_ = transpose(plan.out_);
    std::swap(plan.lhs_type_, plan.rhs_type_);
    plan.swapped_ = true;
    for (Batch& batch : plan.batches_) std::swap(batch.lhs_stride, batch.rhs_stride);
  }
  if (plan.NeedsPacking(plan.lhs_, plan.lhs_type_)) plan.lhs_scratch_.resize(WorkBytes(plan.lhs_.rows, plan.lhs_.columns));
  if (plan.NeedsPacking(plan.rhs_, plan.rhs_type_)) plan.rhs_scratch_.resize(WorkBytes(plan.rhs_.rows, plan.rhs_.columns));
  if (!plan.out_.unit_columns()) plan.out_scratch_.resize(WorkBytes(plan.out_.rows, plan.out_.columns));
  return plan;
}

MatmulPlan MatmulPlan::Fresh() const {
  MatmulPlan plan = *this;
  plan.narrow_ = nullptr;
  plan.narrow_tried_ = false;
  return plan;
}

bool MatmulPlan::NeedsPacking(const Matrix& matrix, DType dtype) const {
  return !is_float() || dtype != DType::kFloat32 || (!matrix.unit_columns() && !matrix.unit_rows());
}

MatmulPlan::Ready MatmulPlan::Prepare(const Matrix& matrix, DType dtype, const std::byte* data, std::vector<std::byte>& scratch) const {
  if (!NeedsPacking(matrix, dtype)) {
    if (matrix.unit_columns()) return {data, std::max(matrix.rows == 1 ? 1 : matrix.row_stride, matrix.columns), false};
    return {data, std::max(matrix.columns == 1 ? 1 : matrix.column_stride, matrix.rows), true};
  }
  const UnaryFn widen = Widening(dtype);
  const std::size_t size = core::ByteSize(dtype);
  const bool transposed = is_float() && !matrix.unit_columns() && matrix.unit_rows();
  const std::int64_t rows = transposed ? matrix.columns : matrix.rows, columns = transposed ? matrix.rows : matrix.columns;
  const std::int64_t row_stride = transposed ? matrix.column_stride : matrix.row_stride;
  const std::int64_t column_stride = transposed ? matrix.row_stride : matrix.column_stride;
  for (std::int64_t row = 0; row < rows; ++row) {
    PackRow(scratch.data() + WorkBytes(row, columns), data + row * row_stride * static_cast<std::int64_t>(size), columns, column_stride, size,
            widen);
  }
  return {scratch.data(), columns, transposed};
}

void MatmulPlan::Multiply(void* out, std::int64_t leading, const Ready& lhs, const Ready& rhs, bool add) const {
  const std::int64_t m = out_.rows, n = out_.columns, k = lhs_.columns;
  if (!is_float()) {
    AddIntProduct(static_cast<std::uint32_t*>(out), leading, static_cast<const std::uint32_t*>(lhs.data),
                  static_cast<const std::uint32_t*>(rhs.data), m, n, k);
    return;
  }
  const dnnl_status_t status =
      dnnl_sgemm(lhs.transposed ? 'T' : 'N', rhs.transposed ? 'T' : 'N', m, n, k, 1.0f, static_cast<const float*>(lhs.data), lhs.leading,
                 static_cast<const float*>(rhs.data), rhs.leading, add ? 1.0f : 0.0f, static_cast<float*>(out), leading);
  if (status != dnnl_success) throw core::InternalError("oneDNN's sgemm refused a product: status " + std::to_string(status));
}

// False: it was not done.
bool MatmulPlan::RunNarrow(std::byte* dst, const std::byte* lhs, const std::byte* rhs, bool add) {
  if (lhs_type_ != DType::kBFloat16 || rhs_type_ != DType::kBFloat16) return false;
  if (!narrow_tried_) {
    const auto described = [](const Matrix& m) { return ProductMatrix{m.rows, m.columns, m.row_stride, m.column_stride}; };
    narrow_ = BFloat16Product::Make(described(lhs_), described(rhs_), described(out_));
    narrow_tried_ = true;
  }
  return narrow_ != nullptr && narrow_->Run(reinterpret_cast<float*>(dst), reinterpret_cast<const std::uint16_t*>(lhs), reinterpret_cast<const std::uint16_t*>(rhs), add);
}

// `dst` holds the accumulator's part, if it is to be added, and becomes the result's.
void MatmulPlan::RunOne(std::byte* dst, const std::byte* lhs, const std::byte* rhs, bool add) {
  if (RunNarrow(dst, lhs, rhs, add)) return;
  const Ready left = Prepare(lhs_, lhs_type_, lhs, lhs_scratch_);
  const Ready right = Prepare(rhs_, rhs_type_, rhs, rhs_scratch_);
  if (out_.unit_columns()) return Multiply(dst, std::max(out_.rows == 1 ? 1 : out_.row_stride, out_.columns), left, right, add);
  const auto element = [&](std::int64_t i, std::int64_t j) { return dst + (i * out_.row_stride + j * out_.column_stride) * 4; };
  std::byte* packed = out_scratch_.data();
  for (std::int64_t i = 0; i < out_.rows; ++i) {
    for (std::int64_t j = 0; j < out_.columns; ++j) std::memcpy(packed + WorkBytes(i, out_.columns) + j * 4, element(i, j), kWorkSize);
  }
  Multiply(packed, out_.columns, left, right, true);
  for (std::int64_t i = 0; i < out_.rows; ++i) {
    for (std::int64_t j = 0; j < out_.columns; ++j) std::memcpy(element(i, j), packed + WorkBytes(i, out_.columns) + j * 4, kWorkSize);
  }
}

void MatmulPlan::Run(void* dst, const void* lhs, const void* rhs, const void* acc) {
  if (out_elements_ == 0) return;
  // A product that adds nothing needs no zeros in dst, where one call makes all of it.
  const bool add = acc != nullptr || !is_float() || !out_.unit_columns() || lhs_.columns == 0;
  const std::size_t bytes = static_cast<std::size_t>(out_elements_) * kWorkSize;
  if (add && acc == nullptr) std::memset(dst, 0, bytes);
  if (acc != nullptr && dst != acc) std::memcpy(dst, acc, bytes);
  if (lhs_.columns == 0) return;
  if (swapped_) std::swap(lhs, rhs);
  const OneThread one_thread;
  std::array<std::int64_t, kMaxRank> index{};
  while (true) {
    std::int64_t lhs_offset = 0, rhs_offset = 0, out_offset = 0;
    for (std::size_t i = 0; i < batches_.size(); ++i) {
      lhs_offset += index[i] * batches_[i].lhs_stride;
      rhs_offset += index[i] * batches_[i].rhs_stride;
      out_offset += index[i] * batches_[i].out_stride;
    }
    RunOne(static_cast<std::byte*>(dst) + out_offset * static_cast<std::int64_t>(kWorkSize),
           static_cast<const std::byte*>(lhs) + lhs_offset * static_cast<std::int64_t>(core::ByteSize(lhs_type_)),
           static_cast<const std::byte*>(rhs) + rhs_offset * static_cast<std::int64_t>(core::ByteSize(rhs_type_)), add);
    std::size_t i = batches_.size();
    while (i > 0 && ++index[i - 1] == batches_[i - 1].extent) index[--i] = 0;
    if (i == 0) return;
  }
}

}  // namespace kernel_audit::sim::ops
