#include "libtpu/wrong_kernels.h"

namespace kernel_audit::testing {
namespace {

using Map = std::function<pl::Operand(const pl::Index&)>;

// Blocks of 8 rows, the block's row given by the map.
pl::BlockSpec Rows(const Map& map) {
  return pl::BlockSpec({8, 128}, [map](pl::Index i) { return pl::indices(map(i), 0); });
}
pl::BlockSpec Rows() {
  return Rows([](const pl::Index& i) { return i; });
}

void Copy(pl::Ref x, pl::Ref z) { z.store(x.load()); }

template <typename F>
WrongKernel Wrong(std::string what, F kernel, pl::PallasOptions options) {
  return {std::move(what), [kernel, options](const std::vector<pl::Array>& a) {
            pl::PallasOptions of_this_trace = options;
            of_this_trace.out_shape = a[0].aval();
            return pl::Array(pl::pallas_call(kernel, of_this_trace)(a[0]));
          }};
}

WrongKernel WithMap(std::string what, const Map& map) { return Wrong(std::move(what), Copy, {.grid = {4}, .in_specs = {Rows(map)}, .out_specs = {Rows()}}); }

// Block j of the output in programs (0, j) and (1, j).
WrongKernel Revisits(std::string what, pl::Semantics semantics) {
  const pl::BlockSpec in({8, 128}, [](pl::Index i, pl::Index j) { return pl::indices(2 * i + j, 0); });
  const pl::BlockSpec out({8, 128}, [](pl::Index, pl::Index j) { return pl::indices(2 * j, 0); });
  return Wrong(std::move(what), Copy, {.grid = {2, 2}, .in_specs = {in}, .out_specs = {out}, .dimension_semantics = {semantics, semantics}});
}

}  // namespace

std::vector<WrongKernel> WrongKernels() {
  return {
      WithMap("an index map i + 1", [](const pl::Index& i) { return i + 1; }),
      WithMap("an index map i - 1", [](const pl::Index& i) { return i - 1; }),
      WithMap("an index map 8 i, in elements", [](const pl::Index& i) { return 8 * i; }),
      Wrong("a grid of 32 // 12 programs", Copy, {.grid = {2}, .in_specs = {Rows()}, .out_specs = {Rows()}}),
      Wrong("a part of each output block is written", [](pl::Ref x, pl::Ref z) { z.store(x.load({pl::ds(0, 4)}), {pl::ds(0, 4)}); }, {.grid = {4}, .in_specs = {Rows()}, .out_specs = {Rows()}}),
      Wrong("+= into an output that nobody wrote", [](pl::Ref x, pl::Ref z) { z.store(z.load() + x.load()); }, {.grid = {4}, .in_specs = {Rows()}, .out_specs = {Rows()}}),
      Revisits("an output block comes back after another, dimensions in order", pl::arbitrary),
      Revisits("an output block comes back after another, dimensions parallel", pl::parallel),
  };
}

std::string KindsOf(const sim::Report& report) {
  std::string kinds;
  for (const sim::Finding& finding : report.findings) {
    const std::string kind = sim::Name(finding.kind);
    if (kinds.find(kind) == std::string::npos) kinds += (kinds.empty() ? "" : ", ") + kind;
  }
  return kinds.empty() ? "clean" : kinds;
}

}  // namespace kernel_audit::testing
