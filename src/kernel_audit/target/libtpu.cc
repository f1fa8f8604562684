#include "kernel_audit/target/libtpu.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "kernel_audit/core/printable.h"
#include "kernel_audit/core/sha256.h"

extern char** environ;

namespace kernel_audit::target {
namespace {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;

bool IsVersion(const std::string& text) {
  return !text.empty() && text.size() < 32 && std::all_of(text.begin(), text.end(), [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

std::string ReadToEnd(int in) {
  std::string text;
  char part[1024];
  for (ssize_t count = 0; (count = read(in, part, sizeof part)) > 0 || (count < 0 && errno == EINTR);) {
    if (count > 0) text.append(part, static_cast<std::size_t>(count));
  }
  return text;
}

// Nothing when the program ended with status 0, else what it says on standard output. It shares our standard error.
std::string WhyNot(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::strerror(errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  const std::string said = error == 0 ? ReadToEnd(ends[0]) : words[0] + ": " + std::strerror(error);
  close(ends[0]);
  if (error != 0) return said;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  return said.empty() ? words[1] + " failed" : core::Printable(said.substr(0, said.find('\n')), 500);
}

core::Result<fs::path> FindVersion(const std::string& version, bool may_fetch) {
  const fs::path library = FetchedLibtpu(version);
  std::error_code ignored;
  if (fs::is_regular_file(library, ignored)) return library;
  if (!may_fetch) return Fail(ErrorCode::kIo, "libtpu " + version + " has not been fetched yet");
  const std::string why_not = WhyNot({"python3", KA_SCRIPTS_DIR "/fetch_libtpu", version, library.parent_path().string()});
  if (why_not.empty() && fs::is_regular_file(library, ignored)) return library;
  return Fail(ErrorCode::kIo, "libtpu " + version + " could not be fetched from PyPI: " + why_not + "; --libtpu PATH/libtpu.so takes a file of your own");
}

}  // namespace

fs::path LibtpuFolder() {
  const char* named = std::getenv("KERNEL_AUDIT_LIBTPU_FOLDER");
  return named == nullptr ? fs::path(KA_DEPS_DIR) / "libtpu" : fs::absolute(named);
}

fs::path FetchedLibtpu(const std::string& version) { return LibtpuFolder() / version / "libtpu.so"; }

core::Result<Libtpu> FindLibtpu(const std::string& which, bool may_fetch) {
  Libtpu libtpu{which, "a file", ""};
  if (which.find('/') == std::string::npos) {
    if (!IsVersion(which)) return Fail(ErrorCode::kBadInput, "'" + core::Printable(which) + "' is neither a version of libtpu (" + kDefaultLibtpu + ") nor a path to a library");
    auto found = FindVersion(which, may_fetch);
    if (!found) return tl::unexpected(std::move(found.error()));
    libtpu = {std::move(*found), which, ""};
  }
  std::error_code error;
  libtpu.library = fs::canonical(libtpu.library, error);
  if (error) return Fail(ErrorCode::kBadInput, core::Printable(which) + ": " + error.message());
  auto sha256 = core::Sha256OfFile(libtpu.library);
  if (!sha256) return tl::unexpected(std::move(sha256.error()));
  libtpu.sha256 = std::move(*sha256);
  return libtpu;
}

std::vector<std::string> LibtpuEnvironment() {
  std::vector<std::string> environment = {"TPU_SKIP_MDS_QUERY=1", "ALLOW_MULTIPLE_LIBTPU_LOAD=true"};
  const std::pair<const char*, const char*> defaults[] = {{"TPU_ACCELERATOR_TYPE", "v5litepod-4"}, {"TPU_WORKER_HOSTNAMES", "localhost"}};
  for (const auto& [name, value] : defaults) {
    const char* set = std::getenv(name);
    environment.push_back(std::string(name) + "=" + (set == nullptr ? value : set));
  }
  return environment;
}

}  // namespace kernel_audit::target
