#include <kernel_audit/pallas.h>

#include "kernel_audit/check/stage.h"
#include "kernel_audit/trace/module.h"

namespace kernel_audit::check {
namespace {

namespace pl = pallas;

// Row maxima of a matrix whose columns were padded with zeros; `masked` leaves the padding out.
pl::Array RowMax(pl::Array x, bool masked) {
  const std::int64_t columns = x.shape()[1];
  const pl::Array padded = pl::pad_to(x, pl::Block{2, 4});
  const std::int64_t rows = padded.shape()[0];
  const auto kernel = [=](pl::Ref x, pl::Ref z) {
    pl::Value value = x.load();
    if (masked) value = pl::where(pl::iota(value.shape(), 1) < columns, value, pl::full(value.shape(), -__builtin_inf(), pl::f32));
    z.store(pl::max(value, 1, true));
  };
  const pl::Array z = pl::pallas_call(kernel, {.name = "row_max", .out_shape = pl::ShapeDtype{{rows, 1}, pl::f32}})(padded);
  return pl::crop(z, {x.shape()[0], 1});
}

// How many of the five row maxima of negative numbers are right.
core::Result<int> RightMaxima(const simulated::Simulator& simulator, bool masked) {
  const core::ArrayType type{core::DType::kFloat32, {5, 11}};
  const std::string module = trace::TraceModule("padding", {{type.dtype, type.shape}}, [&](const std::vector<pl::Array>& inputs) {
    return std::vector<pl::Array>{RowMax(inputs[0], masked)};
  });
  auto program = simulator.Load(module, "padding");
  if (!program) return tl::unexpected(program.error());
  std::vector<float> values;
  for (int i = 0; i < 55; ++i) values.push_back(static_cast<float>(-1 - i % 11));
  const core::HostArray x = ArrayOf(type, values);
  const std::vector<const core::HostArray*> inputs = {&x};
  auto outcome = program->Run(inputs);
  if (!outcome) return tl::unexpected(outcome.error());
  int right = 0;
  for (float maximum : outcome->outputs[0].elements<float>()) right += maximum == -1 ? 1 : 0;
  return right;
}

}  // namespace

core::Result<std::string> ExplainZeroPadding(const simulated::Simulator& simulator) {
  const auto plain = RightMaxima(simulator, false);
  if (!plain) return tl::unexpected(plain.error());
  const auto masked = RightMaxima(simulator, true);
  if (!masked) return tl::unexpected(masked.error());
  return "Zero padding is right here: each element depends on its own inputs alone, and what is computed from padding is cut off. It is wrong for a "
         "reduction, where padding joins in: of the maxima of five rows of negative numbers, padded the same way and simulated now, " +
         std::to_string(*plain) + " are right without a mask and " + std::to_string(*masked) + " with one.";
}

}  // namespace kernel_audit::check
