#include "kernel_audit/target/no_tpu.h"

#include "kernel_audit/target/benchmark.h"

namespace kernel_audit::target {
namespace {

tl::unexpected<core::Error> Refused(const Device& device) { return tl::unexpected(RequireTpu(device).error()); }

}  // namespace

core::Result<PlacedArray> NoTpu::Place(const core::HostArray&) { return Refused(*this); }
core::Result<core::HostArray> NoTpu::Fetch(PlacedArray) { return Refused(*this); }
core::Result<CompiledProgram> NoTpu::Compile(const std::string&, const std::string&) { return Refused(*this); }
core::Result<PlacedArray> NoTpu::Execute(CompiledProgram, std::span<const PlacedArray>) { return Refused(*this); }
core::Result<void> NoTpu::Await(PlacedArray) { return Refused(*this); }

}  // namespace kernel_audit::target
