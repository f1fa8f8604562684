#include "kernel_audit/worker/candidate.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/core.h>

#include "kernel_audit/core/printable.h"

namespace kernel_audit::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSourceBytes = std::size_t{4} << 20;
constexpr std::size_t kMostErrorLines = 3;

tl::unexpected<core::Error> BadInput(std::string message) { return core::Fail(core::ErrorCode::kBadInput, std::move(message)); }

core::Result<std::string> ReadSource(const fs::path& path) {
  struct File {
    int fd;
    ~File() { if (fd >= 0) close(fd); }
  } file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) return BadInput(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  struct stat status {};
  if (fstat(file.fd, &status) != 0 || !S_ISREG(status.st_mode)) return BadInput(fmt::format("{} is not a file", path.string()));
  std::string text(kMostSourceBytes + 1, '\0');
  std::size_t size = 0;
  for (ssize_t got = 1; got > 0 && size < text.size(); size += static_cast<std::size_t>(std::max<ssize_t>(got, 0))) {
    got = read(file.fd, text.data() + size, text.size() - size);
    if (got < 0) return BadInput(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  }
  if (size > kMostSourceBytes) return BadInput(fmt::format("{} is larger than 4 MiB", path.string()));
  text.resize(size);
  return text;
}

// A name that is neither an option nor anything but itself in the compiler's words and in a module's locations.
bool IsPlainName(const std::string& name) {
  const auto plain = [](unsigned char c) { return c > ' ' && c != '"' && c != '\\' && c != ':' && c != 0x7f; };
  return !name.empty() && name != "." && name != ".." && name[0] != '-' && name[0] != '@' && std::all_of(name.begin(), name.end(), plain);
}

bool IsErrorLine(std::string_view line) {
  for (const std::string_view sign : {"error:", "Error:", "undefined reference to", "multiple definition of", "undefined symbol", "duplicate symbol"}) {
    if (line.find(sign) != std::string_view::npos) return line.find("ld returned") == std::string_view::npos;
  }
  return false;
}

// The linker speaks of temporary objects; what follows the last of them is about the candidate's own lines.
std::string Readable(std::string line, const fs::path& folder) {
  for (const std::string& hidden : {(folder / "source").string() + "/", folder.string() + "/"}) {
    for (std::size_t at = line.find(hidden); at != std::string::npos; at = line.find(hidden)) line.erase(at, hidden.size());
  }
  return core::Printable(line);
}

std::string FirstErrors(const std::string& text, const fs::path& folder) {
  std::istringstream lines(text);
  std::vector<std::string> errors;
  for (std::string line; std::getline(lines, line);) {
    if (IsErrorLine(line)) errors.push_back(Readable(line, folder));
  }
  if (errors.empty()) errors.push_back(Readable(text.substr(0, text.find('\n')), folder));
  std::string message;
  for (std::size_t i = 0; i < std::min(errors.size(), kMostErrorLines); ++i) message += "\n" + errors[i];
  if (errors.size() > kMostErrorLines) message += fmt::format("\nand {} more", errors.size() - kMostErrorLines);
  return message;
}

sandbox::Command CompileCommand(const BuiltCandidate& built, const Toolchain& toolchain) {
  const fs::path& kit = toolchain.kit;
  sandbox::Command command;
  command.argv = {toolchain.compiler, "-std=c++20", "-O0", "-ffp-contract=off", "-fdiagnostics-color=never", "-pipe"};
  command.argv.insert(command.argv.end(), {"-I" + (kit / "include").string(), "-x", "c++", built.file_name, "-x", "none"});
  command.argv.insert(command.argv.end(), {kit / "worker_main.o", kit / "libka_candidate.a", "-Wl,--as-needed", "-lfmt", "-lcrypto", "-o",
                                           built.executable()});
  command.argv.insert(command.argv.end(), toolchain.extra_flags.begin(), toolchain.extra_flags.end());
  command.environment = {"PATH=" + toolchain.compiler.parent_path().string() + ":/usr/bin:/bin", "LC_ALL=C",
                         "TMPDIR=" + (built.folder.path() / "build").string()};
  command.working_directory = built.source_folder();
  command.readable = toolchain.readable;
  command.readable.insert(command.readable.end(), {kit, built.source_folder()});
  command.writable = built.folder.path() / "build";
  command.may_start_processes = true;
  return command;
}

// Whether a limit or a crash ended the compiler, rather than what it has to say about the file; that may be about memory, too.
bool WasStopped(const BuiltCandidate& built, const sandbox::Outcome& outcome) {
  if (outcome.limit == sandbox::Limit::kMemory) return outcome.err.text.find(built.file_name + ":") == std::string::npos;
  return outcome.limit != sandbox::Limit::kNone || outcome.ending == sandbox::Ending::kSignalled;
}

core::Result<void> Compile(BuiltCandidate& built, const Toolchain& toolchain) {
  const auto outcome = sandbox::Run(CompileCommand(built, toolchain), toolchain.compile_limits);
  if (!outcome) return tl::unexpected(outcome.error());
  built.layers = outcome->layers;
  if (outcome->succeeded()) return {};
  if (WasStopped(built, *outcome)) {
    return BadInput(fmt::format("{}: the compiler {}", built.file_name, Describe(*outcome, toolchain.compile_limits)));
  }
  return BadInput(fmt::format("{} does not compile:{}", built.file_name, FirstErrors(outcome->err.text, built.folder.path())));
}

core::Result<void> LayOut(const BuiltCandidate& built) {
  std::error_code error;
  fs::create_directory(built.source_folder(), error);
  fs::create_directory(built.folder.path() / "build", error);
  std::ofstream copy(built.source_folder() / built.file_name, std::ios::binary);
  copy << built.source;
  copy.close();
  if (!copy) return core::Fail(core::ErrorCode::kIo, fmt::format("cannot write below {}", built.folder.path().string()));
  return {};
}

}  // namespace

core::Result<PrivateFolder> PrivateFolder::Make() {
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) / "kernel-audit-XXXXXX").string();
  if (error || mkdtemp(pattern.data()) == nullptr) {
    return core::Fail(core::ErrorCode::kIo, fmt::format("cannot make a temporary folder: {}", error ? error.message() : std::strerror(errno)));
  }
  return PrivateFolder(fs::canonical(pattern, error));
}

PrivateFolder& PrivateFolder::operator=(PrivateFolder&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

core::Result<BuiltCandidate> BuildCandidate(const fs::path& source, const Toolchain& toolchain) {
  const std::string name = source.filename().string();
  if (!IsPlainName(name)) return BadInput(fmt::format("'{}' is not a plain file name", name));
  auto text = ReadSource(source);
  if (!text) return tl::unexpected(text.error());
  auto folder = PrivateFolder::Make();
  if (!folder) return tl::unexpected(folder.error());
  BuiltCandidate built{std::move(*folder), name, std::move(*text), {}, toolchain};
  if (auto laid_out = LayOut(built); !laid_out) return tl::unexpected(laid_out.error());
  if (auto compiled = Compile(built, toolchain); !compiled) return tl::unexpected(compiled.error());
  return built;
}

}  // namespace kernel_audit::worker
