#include "kernel_audit/worker/toolchain.h"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include <fmt/core.h>

namespace kernel_audit::worker {
namespace {

namespace fs = std::filesystem;

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

fs::path InPath(const std::string& program) {
  if (program.find('/') != std::string::npos) return access(program.c_str(), X_OK) == 0 ? fs::absolute(program) : fs::path();
  std::istringstream folders(Variable("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder) / program;
    if (candidate.is_absolute() && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

core::Result<fs::path> FindCompiler() {
  const std::string named = Variable("KERNEL_AUDIT_CXX");
  const std::vector<std::string> names = named.empty() ? std::vector<std::string>{"g++", "clang++"} : std::vector<std::string>{named};
  for (const std::string& name : names) {
    if (const fs::path found = InPath(name); !found.empty()) return found;
  }
  return core::Fail(core::ErrorCode::kUnsupported,
                    fmt::format("no C++ compiler: {} in PATH; install g++ 12 or newer, or name one in KERNEL_AUDIT_CXX",
                                named.empty() ? "neither g++ nor clang++ is" : named + " is not"));
}

core::Result<fs::path> FindKit() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  std::vector<fs::path> places = {program / "candidate_kit", program / "../lib/kernel-audit/candidate_kit"};
  if (const std::string named = Variable("KERNEL_AUDIT_KIT"); !named.empty()) places = {named};
  for (const fs::path& place : places) {
    if (fs::exists(place / "libka_candidate.a", ignored)) return fs::canonical(place, ignored);
  }
  return core::Fail(core::ErrorCode::kUnsupported,
                    fmt::format("no candidate kit in {}: build the target ka_candidate_kit, or name its folder in KERNEL_AUDIT_KIT",
                                places.front().string()));
}

// System folders, and the tree of a compiler that was installed elsewhere.
std::vector<fs::path> SystemFolders(const fs::path& compiler) {
  std::vector<fs::path> folders = {"/usr/bin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/include", "/bin", "/lib",
                                   "/lib64", "/etc/ld.so.cache"};
  std::error_code ignored;
  const fs::path real = fs::canonical(compiler, ignored);
  const bool elsewhere = real.parent_path().filename() == "bin" && real.parent_path() != "/bin" && real.parent_path() != "/usr/bin";
  if (elsewhere) folders.push_back(real.parent_path().parent_path());
  return folders;
}

}  // namespace

core::Result<Toolchain> FindToolchain() {
  Toolchain toolchain;
  auto compiler = FindCompiler();
  if (!compiler) return tl::unexpected(compiler.error());
  auto kit = FindKit();
  if (!kit) return tl::unexpected(kit.error());
  toolchain.compiler = std::move(*compiler);
  toolchain.kit = std::move(*kit);
  toolchain.readable = SystemFolders(toolchain.compiler);
  return toolchain;
}

}  // namespace kernel_audit::worker
