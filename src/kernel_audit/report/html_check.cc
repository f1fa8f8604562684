// The parts that a simulation on a CPU gave: stages, runs, findings.
#include <algorithm>
#include <bit>
#include <map>
#include <sstream>

#include "kernel_audit/core/file.h"
#include "kernel_audit/core/npy.h"
#include "kernel_audit/report/html_parts.h"
#include "kernel_audit/report/json.h"

namespace kernel_audit::report {
namespace {

using core::Json;

// What a person can still take in at once.
constexpr std::int64_t kMostColumns = 16, kMostRows = 24;
constexpr std::size_t kMostSourceLines = 4000;

std::string Slash(const std::string& pointer, std::size_t number) { return pointer + "/" + std::to_string(number); }

std::size_t SizeOf(const Document& document, const std::string& pointer) { return document.json.at(Json::json_pointer(pointer)).size(); }

std::string ChecksPart(const Document& document, const std::string& stage) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < SizeOf(document, stage + "/checks"); ++i) {
    const std::string check = Slash(stage + "/checks", i);
    const bool passed = document.json.at(Json::json_pointer(check + "/passed")).get<bool>();
    rows.push_back({Mark(passed), Figure(document, check + "/name"), Figure(document, check + "/detail")});
  }
  return Table("Checks", {"", "check", "what was seen"}, rows);
}

std::string PicturesPart(const Document& document, const std::string& stage, const std::string& id) {
  std::string text;
  for (std::size_t i = 0; i < SizeOf(document, stage + "/ownership"); ++i) {
    const auto picture = ParseOwnership(document.json.at(Json::json_pointer(Slash(stage + "/ownership", i))));
    if (picture) text += Picture(OwnershipSvg(*picture), id + "-map" + std::to_string(i), "Which program owns which element: " + picture->title) + Details("The same in characters", "<pre>" + EscapeHtml(OwnershipText(*picture)) + "</pre>");
  }
  std::vector<Timeline> timelines;
  for (std::size_t i = 0; i < SizeOf(document, stage + "/timelines"); ++i) {
    auto timeline = ParseTimeline(document.json.at(Json::json_pointer(Slash(stage + "/timelines", i))));
    if (timeline) timelines.push_back(std::move(*timeline));
  }
  if (timelines.empty()) return text;
  return text + Picture(TimelineSvg(timelines), id + "-timelines", "Copies and work, in simulated steps: an order and not a time") +
         Details("The same in characters", "<pre>" + EscapeHtml(TimelineText(timelines)) + "</pre>");
}

float Element(const core::HostArray& array, std::int64_t i) {
  const auto index = static_cast<std::size_t>(i);
  if (array.dtype() == core::DType::kFloat32) return array.elements<float>()[index];
  return std::bit_cast<float>(static_cast<std::uint32_t>(array.elements<std::uint16_t>()[index]) << 16);
}

std::string Shortest(float value) {
  std::ostringstream text;
  text.precision(9);
  text << value;
  return text.str();
}

bool IsMatrix(const core::Result<core::HostArray>& array) {
  return array && array->shape().size() == 2 && (array->dtype() == core::DType::kFloat32 || array->dtype() == core::DType::kUInt16);
}

// The result, and in a cell that differs the oracle's value too; of a large matrix the first rows and columns.
std::string ValuesTable(const evidence::Bundle& bundle, const Json& arrays) {
  const auto expected = core::ParseNpy(core::AsBytes(bundle.files().at(arrays.at("expected").get<std::string>()).bytes));
  const auto result = core::ParseNpy(core::AsBytes(bundle.files().at(arrays.at("result").get<std::string>()).bytes));
  if (!IsMatrix(expected) || !IsMatrix(result) || expected->type() != result->type()) return "<p>The kept arrays are no two matrices of one type.</p>\n";
  const std::int64_t columns = result->shape()[1], shown_rows = std::min(result->shape()[0], kMostRows), shown_columns = std::min(columns, kMostColumns);
  std::vector<std::string> head = {"row"};
  for (std::int64_t c = 0; c < shown_columns; ++c) head.push_back(std::to_string(c));
  std::vector<std::vector<std::string>> rows;
  for (std::int64_t r = 0; r < shown_rows; ++r) {
    rows.push_back({std::to_string(r)});
    for (std::int64_t c = 0; c < shown_columns; ++c) {
      const std::string got = Shortest(Element(*result, r * columns + c)), wanted = Shortest(Element(*expected, r * columns + c));
      rows.back().push_back(got == wanted ? EscapeHtml(got) : "<span class=\"fail\">" + EscapeHtml(got) + "</span> (oracle: " + EscapeHtml(wanted) + ")");
    }
  }
  const bool all = shown_rows == result->shape()[0] && shown_columns == columns;
  return Table(all ? "Every value of the result; where the oracle has another, both" : "The first " + std::to_string(shown_rows) + " rows and " + std::to_string(shown_columns) + " columns of the result", head, rows);
}

std::string ValuesPart(const evidence::Bundle& bundle, const Document& document, const std::string& stage) {
  std::vector<std::vector<std::string>> rows;
  std::string kept;
  for (std::size_t i = 0; i < SizeOf(document, stage + "/cases"); ++i) {
    const std::string record = Slash(stage + "/cases", i);
    const Json& json = document.json.at(Json::json_pointer(record));
    if (!json.contains("values")) continue;
    rows.push_back({Figure(document, record + "/name"), Figure(document, record + "/values/elements"), Figure(document, record + "/values/differing_elements"), Figure(document, record + "/padded"),
                    Figure(document, record + "/padding_elements"), Figure(document, record + "/kernel/programs")});
    if (json.at("values").contains("arrays")) {
      kept += Details("Values of " + EscapeHtml(json.at("name").get<std::string>()), ValuesTable(bundle, json.at("values").at("arrays")) + "<p>Last row, exactly: " + Figure(document, record + "/values/edges/last_row") + "</p><p>Last column, exactly: " +
                                                                                         Figure(document, record + "/values/edges/last_column") + "</p>");
    }
  }
  if (rows.empty()) return "<p>No case ran to its end, so that no value was compared.</p>\n";
  return Table("Values against the oracle", {"case", "elements", "differing", "padded to", "padding elements", "programs"}, rows) + kept;
}

std::string MovementPart(const Document& document, const std::string& stage) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < SizeOf(document, stage + "/cases"); ++i) {
    const std::string record = Slash(stage + "/cases", i);
    for (auto& row : TrafficRows(document, record + "/kernel")) {
      row.insert(row.begin(), Figure(document, record + "/name"));
      rows.push_back(std::move(row));
    }
  }
  return rows.empty() ? "" : Details("Buffers and traffic of each case", Table("Memory and copies, counted by the simulator", {"case", "operand", "fetches", "fetched bytes", "write-backs", "written bytes"}, rows));
}

struct Source {
  std::string file, text;
};

Source CandidateOf(const evidence::Bundle& bundle) {
  for (const auto& [path, file] : bundle.files()) {
    if (file.role == evidence::Role::kCandidate) return {path.substr(path.find('/') + 1), file.bytes};
  }
  return {};
}

// The file with its lines numbered.
std::string SourcePart(const Source& source) {
  std::istringstream lines(source.text);
  std::string text;
  std::size_t number = 1;
  for (std::string line; std::getline(lines, line) && number <= kMostSourceLines; ++number) {
    text += "<span class=\"number\" aria-hidden=\"true\">" + std::to_string(number) + "</span>" + EscapeHtml(line) + "\n";
  }
  return Details("The source: " + EscapeHtml(source.file), "<pre class=\"source\">" + text + "</pre>");
}

std::string StagePart(const evidence::Bundle& bundle, const Document& document, std::size_t number, const Source& source) {
  const std::string stage = Slash("/stages", number);
  const Json& json = document.json.at(Json::json_pointer(stage));
  const std::string id = "b" + document.key.substr(0, document.key.find('/')) + "-stage" + json.at("stage").dump();
  std::vector<std::string> findings;
  for (std::size_t i = 0; i < SizeOf(document, stage + "/cases"); ++i) findings.push_back(Slash(stage + "/cases", i) + "/findings");
  std::string notes;
  for (const Json& note : json.at("notes")) notes += "<p class=\"note\">" + EscapeHtml(note.get<std::string>()) + "</p>\n";
  const std::string title = "Stage " + json.at("stage").dump() + ": " + json.at("title").get<std::string>();
  return Section(id, title, "simulated", "<p>" + Mark(json.at("passed").get<bool>()) + " " + std::to_string(json.at("checks").size()) + " checks</p>\n" + FindingsPart(document, findings, source.file, source.text) + PicturesPart(document, stage, id) +
                                             ValuesPart(bundle, document, stage) + Details("All checks", ChecksPart(document, stage), !json.at("passed").get<bool>()) + MovementPart(document, stage) + notes);
}

// The line of the source at this place, or nothing.
std::string LineAt(const std::string& source, std::int64_t number) {
  std::istringstream lines(source);
  std::string line;
  for (std::int64_t i = 0; i < number; ++i) {
    if (!std::getline(lines, line)) return "";
  }
  return line;
}

std::string PlaceText(const Json& place, const std::string& file, const std::string& source) {
  const std::string name = place.at("file").get<std::string>();
  const std::int64_t line = place.at("line").get<std::int64_t>();
  if (name.empty()) return "no place is known";
  std::string text = "<code>" + EscapeHtml(name) + ":" + std::to_string(line) + "</code>";
  if (name == file && line > 0) text += "<pre class=\"excerpt\">" + EscapeHtml(LineAt(source, line)) + "</pre>";
  return text;
}

std::vector<std::string> FindingRow(const Document& document, const std::string& at, const std::string& file, const std::string& source) {
  const Json& finding = document.json.at(Json::json_pointer(at));
  std::string places = PlaceText(finding.at("place"), file, source);
  if (!finding.at("other_place").at("file").get<std::string>().empty()) places += "<br>and " + PlaceText(finding.at("other_place"), file, source);
  std::string agents;
  for (const Json& access : finding.at("accesses")) {
    agents += "<li>" + EscapeHtml(access.at("agent").get<std::string>()) + " " + (access.at("access") == "write" ? "writes " : "reads ") + EscapeHtml(access.at("region").get<std::string>()) + ", " +
              PlaceText(access.at("place"), "", "") + "</li>";
  }
  return {Figure(document, at + "/kind"), Figure(document, at + "/message") + (agents.empty() ? "" : "<ul>" + agents + "</ul>"), places, Figure(document, at + "/step"), Figure(document, at + "/occurrences")};
}

}  // namespace

std::string FindingsPart(const Document& document, const std::vector<std::string>& pointers, const std::string& file, const std::string& source) {
  std::vector<std::vector<std::string>> rows;
  std::map<std::string, std::pair<std::size_t, int>> seen;  // a row, and in how many arrays
  for (const std::string& pointer : pointers) {
    for (std::size_t i = 0; i < SizeOf(document, pointer); ++i) {
      const Json& finding = document.json.at(Json::json_pointer(Slash(pointer, i)));
      const std::string same = finding.at("kind").dump() + finding.at("place").dump() + finding.at("other_place").dump() + finding.at("buffer").dump();
      const auto [entry, is_new] = seen.try_emplace(same, rows.size(), 0);
      if (is_new) rows.push_back(FindingRow(document, Slash(pointer, i), file, source));
      ++entry->second.second;
    }
  }
  for (const auto& [same, row] : seen) {
    if (row.second > 1) rows[row.first][1] += "<p>The same in " + std::to_string(row.second) + " cases; this is the first.</p>";
  }
  return rows.empty() ? "" : Table("Findings", {"kind", "what happened", "where, beside the source", "step", "times"}, rows);
}

std::vector<std::vector<std::string>> TrafficRows(const Document& document, const std::string& pointer) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < SizeOf(document, pointer + "/traffic"); ++i) {
    const std::string at = Slash(pointer + "/traffic", i);
    rows.push_back({Figure(document, at + "/operand"), Figure(document, at + "/fetches"), Figure(document, at + "/fetched_bytes"), Figure(document, at + "/write_backs"), Figure(document, at + "/written_bytes")});
  }
  rows.push_back({"DMAs of the kernel's own", Figure(document, pointer + "/dmas"), Figure(document, pointer + "/dma_bytes"), "", ""});
  return rows;
}

std::string CheckPart(const evidence::Bundle& bundle, const Document& document) {
  const Source source = CandidateOf(bundle);
  std::string text;
  for (std::size_t i = 0; i < SizeOf(document, "/stages"); ++i) text += StagePart(bundle, document, i, source);
  const std::string id = "b" + document.key.substr(0, document.key.find('/')) + "-source";
  return text + Section(id, "The candidate", "", "<p>" + Figure(document, "/candidate") + ", SHA-256 <code>" + Figure(document, "/candidate_sha256") + "</code>, data seed " + Figure(document, "/seed") + "</p>\n" + SourcePart(source));
}

std::string RunPart(const Document& document) {
  std::vector<std::vector<std::string>> kernels, traffic;
  for (std::size_t i = 0; i < SizeOf(document, "/kernels"); ++i) {
    const std::string at = Slash("/kernels", i);
    kernels.push_back({Figure(document, at + "/name"), Figure(document, at + "/grid"), Figure(document, at + "/programs"), Figure(document, at + "/cores"), Figure(document, at + "/least_vmem_bytes"), Figure(document, at + "/least_smem_bytes")});
    for (auto& row : TrafficRows(document, at)) {
      row.insert(row.begin(), Figure(document, at + "/name"));
      traffic.push_back(std::move(row));
    }
  }
  const bool clean = document.json.at("verdict") == "clean";
  const std::string id = "b" + document.key.substr(0, document.key.find('/')) + "-run";
  return Section(id, "A module, simulated", "simulated", "<p>" + Mark(clean) + " verdict: " + Figure(document, "/verdict") + "; DMAs move " + Figure(document, "/schedule") + "; module SHA-256 <code>" + Figure(document, "/module_sha256") + "</code></p>\n" +
                                                 FindingsPart(document, {"/findings"}, "", "") + Table("Kernels", {"kernel", "grid", "programs", "cores", "least VMEM bytes", "least SMEM bytes"}, kernels) +
                                                 Table("Copies, counted by the simulator", {"kernel", "operand", "fetches", "fetched bytes", "write-backs", "written bytes"}, traffic));
}

}  // namespace kernel_audit::report
