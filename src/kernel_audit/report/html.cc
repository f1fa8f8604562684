#include "kernel_audit/report/html.h"

#include <map>

#include "kernel_audit/report/html_parts.h"

namespace kernel_audit::report {
namespace {

using core::Json;
using evidence::Bundle;
using evidence::Role;
using evidence::Tier;

struct Page {
  std::string parts, files;
  std::map<Tier, std::string> verdicts;  // a line a document
  Json precision;                        // of the first simulated document
};

std::string VerdictOf(const Json& document) {
  if (document.contains("passed")) return document.at("passed").get<bool>() ? "every check passed" : "a check failed";
  if (document.contains("verdict")) return document.at("verdict") == "clean" ? "clean" : std::to_string(document.at("findings").size()) + (document.at("findings").size() == 1 ? " finding" : " findings");
  if (document.contains("topologies")) {
    std::size_t accepted = 0;
    for (const Json& each : document.at("topologies")) accepted += each.at("verdict") == "accepted" ? 1 : 0;
    return "accepted by " + std::to_string(accepted) + " of " + std::to_string(document.at("topologies").size()) + " topologies";
  }
  if (document.contains("timings")) return "measured on " + document.at("device").get<std::string>();
  return std::to_string(document.at("buffers").size()) + " pipelines modelled";
}

std::string PartOf(const Bundle& bundle, Tier tier, const Document& document) {
  switch (tier) {
    case Tier::kEstimate: return EstimatePart(document);
    case Tier::kSimulated: return document.json.at("subject") == "check" ? CheckPart(bundle, document) : RunPart(document);
    case Tier::kCompiled: return CompiledPart(document);
    case Tier::kExecuted: return ExecutedPart(document);
  }
  return "";
}

void AddDocument(const ReportedBundle& reported, std::size_t number, const std::string& path, Tier tier, const std::string& text, Page& page) {
  const auto json = evidence::ReadDocument(tier, text);
  if (!json) return;
  const Document document{std::to_string(number) + "/" + path, *json};
  page.verdicts[tier] += "<li><b>" + EscapeHtml(VerdictOf(*json)) + "</b>, " + EscapeHtml(reported.name) + "/" + EscapeHtml(path) + "</li>\n";
  page.parts += PartOf(*reported.bundle, tier, document);
  if (page.precision.is_null() && json->contains("precision") && json->at("precision").is_object()) page.precision = json->at("precision");
}

void AddBundle(const ReportedBundle& reported, std::size_t number, Page& page) {
  std::vector<std::vector<std::string>> rows;
  const evidence::Manifest manifest = reported.bundle->Manifest();
  for (const evidence::FileEntry& entry : manifest.files) rows.push_back({EscapeHtml(entry.path), std::string(evidence::Name(entry.role)), std::to_string(entry.size), "<code>" + entry.sha256 + "</code>"});
  std::string command;
  for (const std::string& word : manifest.command) command += (command.empty() ? "" : " ") + word;
  page.files += "<p><b>" + EscapeHtml(reported.name) + "</b>, SHA-256 <code>" + manifest.Digest() + "</code>, by <code>" + EscapeHtml(command) + "</code> (kernel-audit " + EscapeHtml(manifest.version) + ")" +
                (manifest.repairs.empty() ? "" : "; it repairs what <code>" + manifest.repairs + "</code> shows") + "</p>\n" + Details(std::to_string(rows.size()) + " files", Table("Files", {"path", "role", "bytes", "SHA-256"}, rows));
  if (const auto difference = reported.bundle->files().find("difference/source.diff"); difference != reported.bundle->files().end()) {
    page.parts += Section("b" + std::to_string(number) + "-difference", "The repair, as a difference", "", "<pre>" + EscapeHtml(difference->second.bytes) + "</pre>\n");
  }
  for (const auto& [path, file] : reported.bundle->files()) {
    for (const Tier tier : evidence::kTiers) {
      if (file.role == Bundle::RoleOf(tier)) AddDocument(reported, number, path, tier, file.bytes, page);
    }
  }
}

const char* LimitOf(Tier tier) {
  switch (tier) {
    case Tier::kEstimate: return "Follows from a configuration alone. Nothing was counted or run.";
    case Tier::kSimulated: return "Values, races, bounds and traffic on the inputs that were drawn, on a CPU. It says nothing about a TPU's run or speed.";
    case Tier::kCompiled: return "The compiler took the module or refused it. No TPU ran it, and a schedule is no time.";
    case Tier::kExecuted: return "A run on the device that the receipt names, on its inputs. It says nothing about another device.";
  }
  return "";
}

std::string Cards(const Page& page) {
  std::string text = "<div class=\"cards\">\n";
  for (const Tier tier : evidence::kTiers) {
    const std::string name(evidence::Name(tier));
    const auto found = page.verdicts.find(tier);
    const std::string verdict = found == page.verdicts.end() ? "<p><b>none</b>" + std::string(tier == Tier::kExecuted ? ": no receipt is in these bundles" : "") + "</p>\n" : "<ul>" + found->second + "</ul>\n";
    text += "<article class=\"card " + name + "\" aria-labelledby=\"card-" + name + "\"><h2 id=\"card-" + name + "\"><span class=\"tier\">" + name + "</span></h2>\n" + verdict + "<p class=\"limit\">" + LimitOf(tier) + "</p></article>\n";
  }
  return text + "</div>\n";
}

std::string PrecisionPart(const Json& precision) {
  if (!precision.is_object()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, value] : precision.items()) rows.push_back({EscapeHtml(key), EscapeHtml(value.get<std::string>())});
  return Section("precision", "Precision policy", "", Table("How numbers are computed", {"what", "how"}, rows));
}

}  // namespace

core::Result<std::string> Html(std::span<const ReportedBundle> bundles) {
  Page page;
  try {
    for (std::size_t i = 0; i < bundles.size(); ++i) AddBundle(bundles[i], i, page);
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
           "<link rel=\"icon\" href=\"data:,\">\n<title>Kernel Audit: report</title>\n<style>\n" +
           std::string(kStyle) + "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">To the report</a>\n<header><h1>Kernel Audit</h1>\n<p>What was simulated, compiled and executed, each on its own ground.</p></header>\n<main id=\"main\">\n" + Cards(page) + page.parts +
           PrecisionPart(page.precision) + Section("files", "Bundles and files", "", page.files) + "</main>\n<script>\n" + kScript + "</script>\n</body>\n</html>\n";
  } catch (const Json::exception&) {
    return core::Fail(core::ErrorCode::kFailed, "a document has not the form of its schema");
  }
}

}  // namespace kernel_audit::report
