#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "kernel_audit/core/printable.h"
#include "kernel_audit/report/finding.h"

namespace kernel_audit::report {
namespace {

constexpr std::size_t kMostSource = 100;

// Findings by turns: the first of each kind, then the second of each.
std::vector<const Finding*> InTurn(std::span<const Finding> findings) {
  std::map<std::string, std::size_t> seen;
  std::vector<std::pair<std::size_t, const Finding*>> turns;
  for (const Finding& finding : findings) turns.emplace_back(seen[finding.kind]++, &finding);
  std::stable_sort(turns.begin(), turns.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Finding*> order;
  for (const auto& [turn, finding] : turns) order.push_back(finding);
  return order;
}

std::string SourceLine(const SourceText* source, const core::SourceLocation& location) {
  if (source == nullptr || location.file != source->file || location.line < 1) return "";
  std::istringstream lines(source->text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (number < location.line) continue;
    line.erase(0, line.find_first_not_of(" \t"));
    std::replace(line.begin(), line.end(), '\t', ' ');
    line.erase(line.find_last_not_of(" \r") + 1);
    return core::Printable(line, kMostSource);
  }
  return "";
}

// "      model.cpp:12 | z.store(sum)".
std::string PlaceText(const SourceText* source, const core::SourceLocation& location) {
  if (!location.known()) return "";
  const std::string line = SourceLine(source, location);
  return "      " + core::Printable(location.ToString()) + (line.empty() ? "" : " | " + line) + "\n";
}

std::string AccessText(const FindingAccess& access) {
  std::string text = access.agent + (access.write ? " writes" : " reads");
  if (!access.region.empty()) text += " " + access.region;
  if (!access.grid_point.empty()) text += " in program " + core::ToString(access.grid_point);
  return "    " + core::Printable(text) + "\n";
}

std::string InFull(const Finding& finding, const SourceText* source) {
  std::string text = "  finding: " + FindingLine(finding) + "\n";
  std::set<std::string> shown;
  for (const FindingAccess& access : finding.accesses) {
    text += AccessText(access) + PlaceText(source, access.location);
    shown.insert(access.location.ToString());
  }
  for (const core::SourceLocation* location : {&finding.location, &finding.other_location}) {
    if (shown.insert(location->ToString()).second) text += PlaceText(source, *location);
  }
  return text;
}

}  // namespace

std::string FindingLine(const Finding& finding) {
  std::string text = finding.kind;
  if (finding.location.known()) text += " at " + finding.location.ToString();
  text += ": " + finding.message;
  if (finding.other_location.known() && finding.other_location != finding.location) {
    text += (finding.kind == "race" ? " (the other at " : " (read at ") + finding.other_location.ToString() + ")";
  }
  if (!finding.grid_point.empty()) text += ", first in program " + core::ToString(finding.grid_point);
  if (finding.occurrences > 1) text += ", " + std::to_string(finding.occurrences) + " times";
  return core::Printable(text);
}

std::string FindingsText(std::span<const Finding> findings, const SourceText* source, std::size_t most) {
  const std::vector<const Finding*> order = InTurn(findings);
  std::string text;
  std::map<std::string, std::size_t> rest;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i < most) text += InFull(*order[i], source);
    else ++rest[order[i]->kind];
  }
  if (order.size() <= most) return text;
  text += "  and " + std::to_string(order.size() - most) + " more:";
  for (const auto& [kind, count] : rest) text += (kind == rest.begin()->first ? " " : ", ") + std::to_string(count) + " " + kind;
  return text + "\n";
}

}  // namespace kernel_audit::report
