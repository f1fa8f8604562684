#include "timeline/pipelines.h"

#include "kernel_audit/check/pipeline_timeline.h"

namespace kernel_audit::testing {

pl::Array PipelinedAxpy(const pl::Array& x, const pl::Array& y, const PipelineShape& p) {
  const pl::Block block(p.block);
  const pl::BlockSpec tile = pl::BlockSpec(block, [](pl::Index i, pl::Index j) { return pl::indices(i, j); });
  const auto body = [](pl::Ref x, pl::Ref y, pl::Ref z) {
    z.store(2.0f * x.load() + y.load());
  };
  const auto kernel = [&](pl::Ref x, pl::Ref y, pl::Ref z) {
    pl::emit_pipeline(body, {.grid = pl::ceil_grid(p.shape, block),
                             .in_specs = {tile.buffered(p.buffers), tile.buffered(p.buffers)},
                             .out_specs = {tile},
                             .synchronous = p.synchronous})(x, y, z);
  };
  const pl::BlockSpec whole(pl::any);
  return pl::pallas_call(kernel, {.name = "pipelined_axpy", .in_specs = {whole, whole}, .out_specs = {whole}, .out_shape = x.aval()})(x, y);
}

report::Timeline RunTimeline(const std::string& title, const Shape& shape, const SingleFunction& kernel) {
  const HostArray x = Floats(shape, [](std::int64_t i) { return static_cast<double>(i % 7); }), y = Floats(shape, [](std::int64_t i) { return static_cast<double>(i % 5); });
  sim::EventLog log;
  RunKernel(kernel, {&x, &y}, {.events = &log});
  return check::TimelineOf(log, title);
}

report::Timeline AxpyTimeline(const std::string& title, const PipelineShape& p) {
  return RunTimeline(title, p.shape, [&](const std::vector<pl::Array>& a) { return PipelinedAxpy(a[0], a[1], p); });
}

}  // namespace kernel_audit::testing
