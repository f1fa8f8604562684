#include "kernel_audit/target/schedule_report.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "kernel_audit/core/file.h"

namespace kernel_audit::target {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAnalysis = "-schedule-analysis_final_bundles.txt", kUtilization = "-final_hlo-static-per-bundle-utilization.txt",
                           kBundles = "-final_bundles.txt";
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;

std::string_view Trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::optional<std::int64_t> Number(std::string_view text) {
  text = Trim(text);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return number;
}

// The number behind `key`.
std::optional<std::int64_t> NumberAfter(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  return at == std::string_view::npos ? std::nullopt : Number(text.substr(at + key.size(), 32));
}

std::string Quoted(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string_view::npos) return "";
  const auto rest = text.substr(at + key.size());
  return std::string(rest.substr(0, rest.find('"')));
}

std::vector<std::string_view> Split(std::string_view line, char separator) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(separator, at), line.size());
    if (const auto word = Trim(line.substr(at, end - at)); !word.empty()) words.push_back(word);
    at = end + 1;
  }
  return words;
}

// A line of unit names, one of capacities, then one of slots for each bundle.
std::vector<UnitUse> ReadUnits(std::string_view text) {
  const std::vector<std::string_view> lines = Split(text, '\n');
  if (lines.size() < 4) return {};
  std::vector<UnitUse> units;
  for (const auto name : Split(lines[1], ',')) units.push_back({std::string(name), 0, 0});
  const auto add = [&](std::string_view line, std::int64_t UnitUse::*to) {
    const auto words = Split(line, ' ');
    for (std::size_t i = 0; i < std::min(words.size(), units.size()); ++i) units[i].*to += Number(words[i]).value_or(0);
  };
  add(lines[2], &UnitUse::capacity);
  for (std::size_t i = 4; i < lines.size(); ++i) add(lines[i], &UnitUse::used);
  return units;
}

// The first "FILE":LINE in a location as MLIR prints it, however nested.
core::SourceLocation PlaceIn(std::string_view text) {
  for (std::size_t quote = text.find("\":"); quote != std::string_view::npos; quote = text.find("\":", quote + 1)) {
    const std::size_t open = quote == 0 ? std::string_view::npos : text.rfind('"', quote - 1);
    const std::string_view digits = text.substr(quote + 2);
    int line = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), line);
    if (open != std::string_view::npos && error == std::errc() && line > 0) return {std::string(text.substr(open + 1, quote - open - 1)), line};
  }
  return {};
}

// A line a bundle, "ADDRESS : > { INSTRUCTION /* loc("FILE":LINE:COLUMN) */ ;; INSTRUCTION } /* REGION */".
void ReadBundles(std::string_view text, KernelSchedule& schedule) {
  std::map<std::pair<std::string, int>, LineUse> lines;
  for (const std::string_view line : Split(text, '\n')) {
    const std::size_t open = line.find("{ "), close = line.rfind(" }");
    if (open == std::string_view::npos || close == std::string_view::npos || close <= open) continue;
    std::set<LineUse*> in_this_bundle;
    std::string_view rest = line.substr(open + 2, close - open - 2);
    while (!rest.empty()) {
      const std::string_view instruction = rest.substr(0, rest.find(" ;; "));
      rest.remove_prefix(std::min(rest.size(), instruction.size() + 4));
      ++schedule.instructions;
      const auto mark = instruction.find("loc(");
      const core::SourceLocation place = mark == std::string_view::npos ? core::SourceLocation() : PlaceIn(instruction.substr(mark));
      if (!place.known()) continue;
      LineUse& use = lines[{place.file, place.line}];
      use.place = place;
      ++use.instructions;
      in_this_bundle.insert(&use);
    }
    for (LineUse* use : in_this_bundle) ++use->bundles;
  }
  for (auto& [key, use] : lines) schedule.lines.push_back(std::move(use));
}

// "1796-name.1-69-schedule-analysis..." and "1796-name.1-68-final_hlo..." belong together: all but the step's number.
std::string Stem(const std::string& file, std::string_view ending) {
  const std::string rest = file.substr(0, file.size() - ending.size());
  return rest.substr(0, rest.rfind('-'));
}

std::optional<KernelSchedule> ReadSchedule(const fs::path& path) {
  const auto text = core::ReadFile(path, kMostBytes);
  if (!text) return std::nullopt;
  const std::string stem = Stem(path.filename().string(), kAnalysis);
  const std::string instruction = stem.substr(std::min(stem.find('-'), stem.size()));
  // The whole program's report lists its kernels too, under another name.
  if (instruction.size() < 2) return std::nullopt;
  const auto call = text->find("%" + instruction.substr(1) + " = ");
  const auto bundles = NumberAfter(*text, "total scheduled bundles:"), empty = NumberAfter(*text, "empty scheduled bundles:");
  if (call == std::string::npos || !bundles || !empty) return std::nullopt;
  const std::string_view line = std::string_view(*text).substr(call, text->find('\n', call) - call);
  if (line.find("custom_call_target=\"tpu_custom_call\"") == std::string_view::npos) return std::nullopt;
  KernelSchedule schedule;
  schedule.instruction = instruction.substr(1);
  schedule.bundles = *bundles;
  schedule.empty_bundles = *empty;
  if (const std::string file = Quoted(line, "source_file=\""); file != "" && file != "-") {
    schedule.location = {file, static_cast<int>(NumberAfter(line, "source_line=").value_or(0))};
  }
  return schedule;
}

// XLA numbers a module's instructions in their order. The files' own numbers are times, and kernels are compiled side by side.
std::int64_t NumberOf(const KernelSchedule& schedule) {
  const auto dot = schedule.instruction.rfind('.');
  std::int64_t number = 0;
  if (dot != std::string::npos) std::from_chars(schedule.instruction.data() + dot + 1, schedule.instruction.data() + schedule.instruction.size(), number);
  return number;
}

}  // namespace

std::vector<KernelSchedule> ReadSchedules(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) files.push_back(entry->path().filename().string());
  std::sort(files.begin(), files.end());
  std::vector<KernelSchedule> schedules;
  for (const std::string& file : files) {
    if (!file.ends_with(kAnalysis)) continue;
    auto schedule = ReadSchedule(folder / file);
    if (!schedule) continue;
    const auto beside = [&](std::string_view ending) {
      const auto found = std::find_if(files.begin(), files.end(), [&](const std::string& other) { return other.ends_with(ending) && Stem(other, ending) == Stem(file, kAnalysis); });
      const auto text = found == files.end() ? core::Result<std::string>("") : core::ReadFile(folder / *found, kMostBytes);
      return text.value_or("");
    };
    schedule->units = ReadUnits(beside(kUtilization));
    ReadBundles(beside(kBundles), *schedule);
    schedules.push_back(std::move(*schedule));
  }
  std::stable_sort(schedules.begin(), schedules.end(), [](const auto& a, const auto& b) { return NumberOf(a) < NumberOf(b); });
  return schedules;
}

}  // namespace kernel_audit::target
