#include "kernel_audit/cli/output.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "kernel_audit/core/file.h"
#include "kernel_audit/core/printable.h"

namespace kernel_audit::cli {
namespace {

int StatusOf(core::ErrorCode code) {
  switch (code) {
    case core::ErrorCode::kFailed: return kFound;
    case core::ErrorCode::kRefused: return kRefused;
    default: return kBadInput;
  }
}

// The lines of a compiler's message stay lines.
std::string Lines(const std::string& text) {
  std::istringstream lines(text);
  std::string printable;
  for (std::string line; std::getline(lines, line);) printable += (printable.empty() ? "" : "\n") + core::Printable(line);
  return printable;
}

}  // namespace

core::Result<std::filesystem::path> FindImplementation(const std::string& name, const std::string& project_name) {
  namespace fs = std::filesystem;
  if (name != "starter" && name != "solution") return fs::path(name);
  const fs::path project = fs::path("projects") / project_name / name / "model.cpp";
  std::error_code ignored;
  // build/PRESET/bin/kernel-audit: the checkout is three folders up.
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path root = program.parent_path().parent_path().parent_path().parent_path();
  const fs::path file = root / project;
  if (fs::is_regular_file(file, ignored)) return file;
  return core::Fail(core::ErrorCode::kBadInput, "the project's " + name + " is not there: no file " + project.string() + " beside this program's build");
}

core::Result<std::string> ReadModule(const std::string& path) { return core::ReadFile(path, std::uint64_t{1} << 28); }

int Fail(const core::Error& error) {
  ClearProgress();
  std::fprintf(stderr, "kernel-audit: %s\n", Lines(error.ToString()).c_str());
  return StatusOf(error.code);
}

void ShowProgress(const std::string& text) {
  if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\r\033[K%s ...", text.c_str());
}

void ClearProgress() {
  if (isatty(STDERR_FILENO) != 0) std::fputs("\r\033[K", stderr);
}

void AnnounceBundle(const std::filesystem::path& folder) {
  const std::string name = core::Printable(folder.string());
  std::fprintf(stderr, "kernel-audit: the bundle %s is written and verified; look at it with kernel-audit report %s\n", name.c_str(), name.c_str());
}

std::string Mark(bool passed) {
  const char* no_color = std::getenv("NO_COLOR");
  const bool colour = isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0');
  if (!colour) return passed ? "ok  " : "FAIL";
  return passed ? "\033[32mok\033[0m  " : "\033[1;31mFAIL\033[0m";
}

}  // namespace kernel_audit::cli
