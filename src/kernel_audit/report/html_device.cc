// The parts that follow from a configuration, come from the compiler, or from a device.
#include "kernel_audit/report/html_parts.h"

namespace kernel_audit::report {
namespace {

using core::Json;

std::string IdOf(const Document& document, const std::string& name) { return "b" + document.key.substr(0, document.key.find('/')) + "-" + name; }

std::string At(const std::string& list, std::size_t number, const std::string& key) { return list + "/" + std::to_string(number) + "/" + key; }

// A field that a refusal has not.
std::string IfThere(const Document& document, const std::string& pointer) {
  return document.json.contains(Json::json_pointer(pointer)) ? Figure(document, pointer) : "-";
}

}  // namespace

std::string EstimatePart(const Document& document) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < document.json.at("buffers").size(); ++i) {
    std::vector<std::string> row;
    for (const char* key : {"name", "block", "block_bytes", "input_slots", "output_slots", "bytes"}) row.push_back(Figure(document, At("/buffers", i, key)));
    rows.push_back(std::move(row));
  }
  if (rows.empty()) return "";
  return Section(IdOf(document, "estimate"), "Modelled buffers", "estimate",
                 "<p>" + Figure(document, "/formula") + ". Derived from " + Figure(document, "/derived_from") + ".</p>\n" +
                     Details("Every pipeline", Table("Buffer bytes by the model", {"case", "block", "block bytes", "input slots", "output slots", "bytes"}, rows)));
}

std::string CompiledPart(const Document& document) {
  std::vector<std::vector<std::string>> rows, schedules;
  for (std::size_t i = 0; i < document.json.at("topologies").size(); ++i) {
    std::vector<std::string> row;
    for (const char* key : {"topology", "verdict", "code_bytes", "argument_bytes", "output_bytes", "temporary_bytes", "scoped_vmem_bytes", "least_scoped_vmem_bytes", "refusal"}) {
      row.push_back(IfThere(document, At("/topologies", i, key)));
    }
    rows.push_back(std::move(row));
    const std::string kernels = At("/topologies", i, "kernels");
    if (!document.json.contains(Json::json_pointer(kernels))) continue;
    for (std::size_t k = 0; k < document.json.at(Json::json_pointer(kernels)).size(); ++k) {
      schedules.push_back({Figure(document, At("/topologies", i, "topology")), Figure(document, At(kernels, k, "name")), Figure(document, At(kernels, k, "bundles")), Figure(document, At(kernels, k, "empty_bundles"))});
    }
  }
  return Section(IdOf(document, "compiled"), "The TPU compiler's word", "compiled",
                 "<p>libtpu " + Figure(document, "/libtpu_version") + ", module SHA-256 <code>" + Figure(document, "/module_sha256") + "</code>. No TPU ran anything, and nothing here says how long anything takes.</p>\n" +
                     Table("Verdicts and sizes, in bytes", {"topology", "verdict", "code", "arguments", "outputs", "temporary", "scoped VMEM", "our count, at least", "refusal"}, rows) +
                     Table("Static schedules", {"topology", "kernel", "bundles", "empty bundles"}, schedules));
}

std::string ExecutedPart(const Document& document) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < document.json.at("timings").size(); ++i) {
    std::vector<std::string> row;
    for (const char* key : {"program", "compile_ns", "median_ns", "p90_ns", "samples_ns"}) row.push_back(Figure(document, At("/timings", i, key)));
    rows.push_back(std::move(row));
  }
  return Section(IdOf(document, "executed"), "A receipt", "executed",
                 "<p>" + Figure(document, "/device") + ", " + Figure(document, "/configuration") + ". " + Figure(document, "/correctness") + ". Measured " + Figure(document, "/boundary") + ". Floor: " + Figure(document, "/floor_ns") + " ns.</p>\n" +
                     Table("Times, in nanoseconds", {"program", "compilation, apart", "median", "p90", "samples"}, rows));
}

}  // namespace kernel_audit::report
