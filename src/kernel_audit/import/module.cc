#include "kernel_audit/import/module.h"

#include <algorithm>
#include <tuple>

#include "kernel_audit/import/host_program.h"
#include "kernel_audit/import/mosaic.h"
#include "kernel_audit/ir/verifier.h"

namespace kernel_audit::import {
namespace {

// JAX leaves out the place of what some of its functions expand to (sync_copy's DMAs); the operation around it has the call's.
void InheritLocations(ir::Region& region, const core::SourceLocation& outer) {
  for (ir::Op* op : region.ops) {
    if (!op->location.known()) op->location = outer;
    for (ir::Region* inner : op->regions) InheritLocations(*inner, op->location);
  }
}

void CountPlaces(const ir::Region& region, Places& places) {
  for (const ir::Op* op : region.ops) {
    for (const ir::Region* inner : op->regions) CountPlaces(*inner, places);
    if (op == region.ops.back()) continue;
    ++places.operations;
    if (!op->location.known()) continue;
    ++places.placed;
    places.lines.push_back(op->location);
  }
}

Places PlacesOf(const ir::Kernel& kernel) {
  Places places;
  CountPlaces(*kernel.body, places);
  for (const ir::IndexMap& map : kernel.index_maps) CountPlaces(*map.body, places);
  std::sort(places.lines.begin(), places.lines.end(), [](const auto& a, const auto& b) { return std::tie(a.file, a.line) < std::tie(b.file, b.line); });
  places.lines.erase(std::unique(places.lines.begin(), places.lines.end()), places.lines.end());
  return places;
}

}  // namespace

core::Result<ImportedModule> ImportModule(std::string_view text, std::int64_t program_id) {
  auto host = ReadHostProgram(text, program_id);
  if (!host) return tl::unexpected(host.error());
  ImportedModule module;
  for (const KernelCall& call : host->calls) {
    auto kernel = ReadMosaic(call);
    if (!kernel) return tl::unexpected(kernel.error());
    if (auto verified = ir::Verify(**kernel); !verified) return tl::unexpected(verified.error());
    module.places.push_back(PlacesOf(**kernel));
    InheritLocations(*(*kernel)->body, {});
    module.kernels.push_back(std::move(*kernel));
  }
  module.host_text = std::move(host->text);
  module.inputs = std::move(host->inputs);
  module.outputs = std::move(host->outputs);
  module.input_names = std::move(host->input_names);
  return module;
}

}  // namespace kernel_audit::import
