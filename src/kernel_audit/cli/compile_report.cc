#include "kernel_audit/cli/compile_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernel_audit/core/json.h"
#include "kernel_audit/sim/capacity.h"

namespace kernel_audit::cli {
namespace {

using core::Json;

std::string Figure(std::int64_t bytes) { return bytes < 0 ? "-" : std::to_string(bytes); }

// Our own count of a kernel's scoped VMEM, at least.
std::int64_t LeastScoped(const CompileReport& report, std::size_t kernel) {
  return sim::CountMemory(*report.module.kernels[kernel]).scoped_vmem_bytes;
}

// The compiler names calls in its own way; one report a kernel is taken in the module's order.
std::string NameOf(const CompileReport& report, const target::CompileOutcome& outcome, std::size_t k) {
  const auto& kernels = report.module.kernels;
  return kernels.size() == outcome.kernels.size() ? kernels[k]->name : outcome.kernels[k].instruction;
}

std::string ScopedText(const CompileReport& report, const CompileReport::Entry& entry) {
  std::string text = report.module.kernels.empty() ? "-" : "";
  for (std::size_t k = 0; k < report.module.kernels.size(); ++k) {
    const auto& told = entry.outcome.scoped_vmem_bytes;
    const std::string used = told.size() == report.module.kernels.size() && told[k] >= 0 ? std::to_string(told[k]) : "not told";
    text += (k == 0 ? "" : ", ") + used + " (" + std::to_string(LeastScoped(report, k)) + ")";
  }
  return text;
}

std::string UnitsText(const target::KernelSchedule& schedule) {
  std::string text;
  for (const target::UnitUse& unit : schedule.units) {
    if (unit.used > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", unit.unit, unit.used);
  }
  return text;
}

std::string RefusalText(const target::CompileOutcome& outcome) {
  return (outcome.location.known() ? outcome.location.ToString() + ": " : "") + outcome.refusal;
}

std::string TableText(const CompileReport& report) {
  std::string text = fmt::format("{:<12} {:<9} {:>10} {:>10} {:>10} {:>10}  {}\n", "topology", "verdict", "code", "arguments", "outputs", "temporary", "scoped VMEM (our count)");
  for (const CompileReport::Entry& entry : report.outcomes) {
    const target::CompileOutcome& outcome = entry.outcome;
    text += fmt::format("{:<12} {:<9} {:>10} {:>10} {:>10} {:>10}  {}\n", outcome.topology, outcome.accepted ? "accepted" : "REFUSED", Figure(outcome.code_bytes),
                        Figure(outcome.argument_bytes), Figure(outcome.output_bytes), Figure(outcome.temporary_bytes), ScopedText(report, entry));
  }
  return text + "Our count of scoped VMEM is a lower bound for operands in HBM; the compiler needs less where it keeps whole arrays in VMEM.\n";
}

// Calls `line` for each kernel of each topology that has a schedule.
template <typename F>
std::string ForEachSchedule(const CompileReport& report, F line) {
  std::string text;
  for (const CompileReport::Entry& entry : report.outcomes) {
    for (std::size_t k = 0; k < entry.outcome.kernels.size(); ++k) {
      text += fmt::format("{:<12} {}: {}\n", entry.outcome.topology, NameOf(report, entry.outcome, k), line(entry.outcome.kernels[k]));
    }
  }
  return text;
}

std::string SchedulesText(const CompileReport& report) {
  const auto line = [](const target::KernelSchedule& schedule) { return fmt::format("{} ({}): {}", schedule.bundles, schedule.empty_bundles, UnitsText(schedule)); };
  return "\nstatic schedule of each kernel: bundles (empty ones), slots used in all of them\n" + ForEachSchedule(report, line);
}

std::string LinesText(const target::KernelSchedule& schedule) {
  std::string text;
  std::int64_t named = 0;
  for (const target::LineUse& use : schedule.lines) {
    named += use.instructions;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", use.place.ToString(), use.instructions);
  }
  return fmt::format("{}{}no line {}", text, text.empty() ? "" : ", ", schedule.instructions - named);
}

std::string PlacesText(const CompileReport& report) {
  std::string text = "\nlines of the source: operations of the module that have one, then the instructions that the compiler made of each\n";
  for (std::size_t k = 0; k < report.module.kernels.size(); ++k) {
    const import::Places& places = report.module.places[k];
    text += fmt::format("{:<12} {}: {} of {} operations, on {} {}\n", "module", report.module.kernels[k]->name, places.placed, places.operations, places.lines.size(),
                        places.lines.size() == 1 ? "line" : "lines");
  }
  return text + ForEachSchedule(report, LinesText);
}

std::string RefusalsText(const CompileReport& report) {
  std::string text;
  for (const CompileReport::Entry& entry : report.outcomes) {
    if (!entry.outcome.accepted) text += fmt::format("\n{} refuses: {}\n", entry.outcome.topology, RefusalText(entry.outcome));
  }
  return text;
}

Json PlaceJson(const core::SourceLocation& location) { return {{"file", location.file}, {"line", location.line}}; }

Json KernelJson(const std::string& name, const target::KernelSchedule& schedule) {
  Json units = Json::array();
  for (const target::UnitUse& unit : schedule.units) units.push_back({{"unit", unit.unit}, {"slots_used", unit.used}, {"slots_a_bundle", unit.capacity}});
  Json lines = Json::array();
  for (const target::LineUse& use : schedule.lines) lines.push_back({{"place", PlaceJson(use.place)}, {"instructions", use.instructions}, {"bundles", use.bundles}});
  return {{"name", name}, {"instruction", schedule.instruction}, {"place", PlaceJson(schedule.location)}, {"bundles", schedule.bundles}, {"empty_bundles", schedule.empty_bundles},
          {"units", units}, {"instructions", schedule.instructions}, {"lines", lines}};
}

Json PlacesJson(const import::ImportedModule& module) {
  Json kernels = Json::array();
  for (std::size_t k = 0; k < module.kernels.size(); ++k) {
    const import::Places& places = module.places[k];
    Json lines = Json::array();
    for (const core::SourceLocation& line : places.lines) lines.push_back(PlaceJson(line));
    kernels.push_back({{"name", module.kernels[k]->name}, {"operations", places.operations}, {"operations_with_place", places.placed}, {"lines", lines}});
  }
  return kernels;
}

Json OutcomeJson(const CompileReport& report, const CompileReport::Entry& entry) {
  const target::CompileOutcome& outcome = entry.outcome;
  Json kernels = Json::array(), least = Json::array();
  for (std::size_t k = 0; k < outcome.kernels.size(); ++k) kernels.push_back(KernelJson(NameOf(report, outcome, k), outcome.kernels[k]));
  for (std::size_t k = 0; k < report.module.kernels.size(); ++k) least.push_back(LeastScoped(report, k));
  Json json = {{"topology", outcome.topology}, {"verdict", outcome.accepted ? "accepted" : "refused"},
               {"platform_version", outcome.platform_version}, {"pjrt_api", outcome.api_version}, {"devices", outcome.devices}, {"least_scoped_vmem_bytes", least}};
  if (!outcome.accepted) {
    json.update({{"refusal", outcome.refusal}, {"place", PlaceJson(outcome.location)}});
    return json;
  }
  json.update({{"code_bytes", outcome.code_bytes}, {"argument_bytes", outcome.argument_bytes}, {"output_bytes", outcome.output_bytes},
               {"temporary_bytes", outcome.temporary_bytes}, {"scoped_vmem_bytes", outcome.scoped_vmem_bytes}, {"kernels", kernels}});
  return json;
}

}  // namespace

bool CompileReport::accepted() const {
  return std::all_of(outcomes.begin(), outcomes.end(), [](const Entry& entry) { return entry.outcome.accepted; });
}

std::string CompileText(const CompileReport& report) {
  return fmt::format("kernel-audit compile {}\ntier compiled, by libtpu {} (sha256 {}); module sha256 {}\n\n", report.name, report.libtpu.version, report.libtpu.sha256,
                     report.module_sha256) +
         TableText(report) + (report.module.kernels.empty() ? "\nThe module calls no kernel: there is no schedule of one.\n" : SchedulesText(report) + PlacesText(report)) +
         RefusalsText(report) +
         "\nBytes, bundles and instructions are the compiler's. No TPU ran anything, and nothing here says how long anything takes.\n";
}

evidence::CompiledClaim CompileClaim(const CompileReport& report) {
  if (report.outcomes.empty() || !report.outcomes[0].outcome.witness) throw core::InternalError("a record of compilations that no compiler made");
  Json outcomes = Json::array();
  for (const CompileReport::Entry& entry : report.outcomes) outcomes.push_back(OutcomeJson(report, entry));
  return {*report.outcomes[0].outcome.witness,
          {{"module_sha256", report.module_sha256}, {"libtpu_version", report.libtpu.version}, {"libtpu_sha256", report.libtpu.sha256},
           {"options", "one device: device ordinal -1, 1 replica, 1 partition"}, {"kernels", PlacesJson(report.module)}, {"topologies", outcomes}}};
}

}  // namespace kernel_audit::cli
