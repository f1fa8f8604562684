#include "kernel_audit/target/compile.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "kernel_audit/core/file.h"
#include "kernel_audit/core/json.h"
#include "kernel_audit/core/printable.h"
#include "kernel_audit/sandbox/sandbox.h"
#include "kernel_audit/worker/candidate.h"

namespace kernel_audit::target {

// An answer that a compiler gave.
class CompilerRun {
 public:
  static evidence::Witness<evidence::Tier::kCompiled> Ground() { return {}; }
};

namespace {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using core::Json;

constexpr std::size_t kMostWords = 4000;

// Under the sandbox the compiler has no network, and no file but what it needs to run.
sandbox::Command CommandFor(const Libtpu& libtpu, const Topology& topology, const fs::path& folder) {
  sandbox::Command command;
  command.argv = {CompilerProgram().string(), libtpu.library.string(), std::string(topology.name), (folder / "module.mlir").string()};
  command.environment = LibtpuEnvironment();
  command.environment.push_back("TMPDIR=" + folder.string());
  command.environment.push_back("HOME=" + folder.string());
  command.environment.push_back("LIBTPU_INIT_ARGS=--xla_jf_dump_to=" + (folder / "dump").string() + " --xla_jf_dump_llo_text=true --xla_mosaic_enable_llo_source_annotations=true");
  command.working_directory = folder;
  command.readable = {"/usr", "/lib", "/lib64", "/etc", "/proc", "/sys", "/dev", CompilerProgram().parent_path(), libtpu.library.parent_path()};
  command.writable = folder;
  command.may_start_processes = true;
  command.has_result = true;
  return command;
}

sandbox::Limits LimitsFor(const CompileLimits& limits) {
  sandbox::Limits all;
  all.wall = limits.wall;
  all.cpu_seconds = static_cast<std::uint64_t>(limits.wall.count() / 1000) * 2 + 10;  // the library has threads
  all.memory_bytes = std::uint64_t{1} << 40;  // of address space, of which the library reserves much
  all.file_bytes = std::uint64_t{1} << 30;
  all.open_files = 4096;
  all.processes = 4096;
  return all;
}

// The file and line behind one of these marks: loc("FILE":LINE:COLUMN), or source_file="FILE" source_line=LINE.
core::SourceLocation LocationBehind(std::string_view words, std::string_view mark, std::string_view middle) {
  for (std::size_t at = words.find(mark); at != std::string_view::npos; at = words.find(mark, at + 1)) {
    const std::size_t from = at + mark.size(), quote = words.find(middle, from);
    if (quote == std::string_view::npos) return {};
    int line = 0;
    const std::string_view digits = words.substr(quote + middle.size());
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), line);
    const std::string_view file = words.substr(from, quote - from);
    if (error == std::errc() && line > 0 && file.find('"') == std::string_view::npos) return {std::string(file), line};
  }
  return {};
}

// The first place that the compiler's words name.
core::SourceLocation LocationIn(std::string_view words) {
  const core::SourceLocation location = LocationBehind(words, "loc(\"", "\":");
  return location.known() ? location : LocationBehind(words, "source_file=\"", "\" source_line=");
}

std::string OnOneLine(std::string words) {
  std::replace(words.begin(), words.end(), '\n', ' ');
  return words;
}

std::string LastWords(const sandbox::Outcome& outcome) {
  std::string text = outcome.err.text;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const auto line = text.rfind('\n');
  text = line == std::string::npos ? text : text.substr(line + 1);
  return text.empty() ? "" : "; its last words: " + core::Printable(text, 300);
}

std::int64_t Number(const Json& answer, const char* key) { return answer.contains(key) && answer[key].is_number_integer() ? answer[key].get<std::int64_t>() : -1; }

std::string Text(const Json& answer, const char* key, std::size_t most) {
  return answer.contains(key) && answer[key].is_string() ? core::Printable(OnOneLine(answer[key].get<std::string>()), most) : "";
}

core::Result<CompileOutcome> ReadAnswer(const std::string& text, const std::string& who) {
  const auto answer = core::ParseCanonicalJson(text);
  if (!answer || !answer->is_object()) return Fail(ErrorCode::kPlugin, who + " gave no answer");
  if (answer->contains("failed")) return Fail(ErrorCode::kPlugin, Text(*answer, "failed", kMostWords));
  if (!answer->contains("accepted") || !(*answer)["accepted"].is_boolean()) return Fail(ErrorCode::kPlugin, who + " gave an answer without a verdict");
  CompileOutcome outcome;
  outcome.accepted = (*answer)["accepted"].get<bool>();
  outcome.refusal = Text(*answer, "refusal", kMostWords);
  outcome.location = LocationIn(outcome.refusal);
  outcome.api_version = Text(*answer, "api_version", 100);
  outcome.platform_version = Text(*answer, "platform_version", 300);
  outcome.devices = Number(*answer, "devices");
  outcome.code_bytes = Number(*answer, "code_bytes");
  outcome.argument_bytes = Number(*answer, "argument_bytes");
  outcome.output_bytes = Number(*answer, "output_bytes");
  outcome.temporary_bytes = Number(*answer, "temporary_bytes");
  if (!answer->contains("scoped_vmem_bytes") || !(*answer)["scoped_vmem_bytes"].is_array()) return outcome;
  for (const Json& bytes : (*answer)["scoped_vmem_bytes"]) {
    if (bytes.is_number_integer()) outcome.scoped_vmem_bytes.push_back(bytes.get<std::int64_t>());
  }
  return outcome;
}

}  // namespace

fs::path CompilerProgram() {
  const char* named = std::getenv("KERNEL_AUDIT_LIBTPU_COMPILER");
  std::error_code error;
  return named != nullptr ? fs::path(named) : fs::read_symlink("/proc/self/exe", error).parent_path() / "libtpu_compiler";
}

core::Result<CompileOutcome> Compile(const Libtpu& libtpu, const Topology& topology, std::string_view module, const CompileLimits& limits) {
  auto folder = worker::PrivateFolder::Make();
  if (!folder) return tl::unexpected(std::move(folder.error()));
  std::error_code error;
  fs::create_directory(folder->path() / "dump", error);
  if (auto written = core::WriteFile(folder->path() / "module.mlir", module); !written) return tl::unexpected(std::move(written.error()));
  const sandbox::Limits all = LimitsFor(limits);
  const auto run = sandbox::Run(CommandFor(libtpu, topology, folder->path()), all);
  if (!run) return tl::unexpected(run.error());
  const std::string who = "libtpu (" + libtpu.version + "), compiling for " + std::string(topology.name) + ",";
  if (!run->succeeded()) return Fail(ErrorCode::kPlugin, who + " " + sandbox::Describe(*run, all) + LastWords(*run));
  auto outcome = ReadAnswer(run->result.text, who);
  if (!outcome) return outcome;
  outcome->witness = CompilerRun::Ground();
  outcome->topology = topology.name;
  outcome->kernels = ReadSchedules(folder->path() / "dump");
  return outcome;
}

}  // namespace kernel_audit::target
