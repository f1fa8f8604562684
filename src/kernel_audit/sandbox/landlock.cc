#include "kernel_audit/sandbox/landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include <fmt/core.h>

namespace kernel_audit::sandbox {
namespace {

constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr unsigned kVersionQuery = 1;
constexpr int kPathBeneath = 1;

constexpr std::uint64_t kExecute = 1U << 0;
constexpr std::uint64_t kWriteFile = 1U << 1;
constexpr std::uint64_t kReadFile = 1U << 2;
constexpr std::uint64_t kReadDir = 1U << 3;
constexpr std::uint64_t kMakeChar = 1U << 6;
constexpr std::uint64_t kMakeBlock = 1U << 11;
constexpr std::uint64_t kFirstAbiRights = (1U << 13) - 1;
constexpr std::uint64_t kRefer = 1U << 13;
constexpr std::uint64_t kTruncate = 1U << 14;
constexpr std::uint64_t kIoctlDevice = 1U << 15;
constexpr std::uint64_t kFileRights = kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDevice;

struct RulesetAttribute {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scoped;
};

struct [[gnu::packed]] PathBeneath {
  std::uint64_t allowed;
  std::int32_t parent_fd;
};

std::uint64_t HandledRights(int abi) {
  return kFirstAbiRights | (abi >= 2 ? kRefer : 0) | (abi >= 3 ? kTruncate : 0) | (abi >= 5 ? kIoctlDevice : 0);
}

std::size_t AttributeSize(int abi) { return abi >= 6 ? 24 : abi >= 4 ? 16 : 8; }

core::Result<void> Allow(int ruleset_fd, const std::filesystem::path& path, std::uint64_t rights) {
  Descriptor target(open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!target.valid()) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    return core::Fail(core::ErrorCode::kBadInput, fmt::format("cannot open {}: {}", path.string(), std::strerror(errno)));
  }
  struct stat status {};
  if (fstat(target.get(), &status) != 0) {
    return core::Fail(core::ErrorCode::kBadInput, fmt::format("cannot stat {}: {}", path.string(), std::strerror(errno)));
  }
  PathBeneath rule{S_ISDIR(status.st_mode) ? rights : rights & kFileRights, target.get()};
  if (syscall(kAddRule, ruleset_fd, kPathBeneath, &rule, 0) != 0) {
    return core::Fail(core::ErrorCode::kRefused,
                      fmt::format("the kernel refused a Landlock rule for {}: {}", path.string(), std::strerror(errno)));
  }
  return {};
}

}  // namespace

int LandlockAbi() {
  const long abi = syscall(kCreateRuleset, nullptr, 0, kVersionQuery);
  return abi > 0 ? static_cast<int>(abi) : 0;
}

core::Result<Descriptor> MakeRuleset(const std::vector<std::filesystem::path>& readable, const std::filesystem::path& writable, int abi) {
  if (abi < 1) {
    return core::Fail(core::ErrorCode::kRefused,
                      "this kernel has no Landlock (Linux 5.13 or newer, with landlock among its security modules): "
                      "an untrusted program is not run without a guard on files");
  }
  const std::uint64_t handled = HandledRights(abi);
  const RulesetAttribute attribute{handled, 3, 3};
  Descriptor ruleset(static_cast<int>(syscall(kCreateRuleset, &attribute, AttributeSize(abi), 0)));
  if (!ruleset.valid()) {
    return core::Fail(core::ErrorCode::kRefused, fmt::format("the kernel refused a Landlock ruleset: {}", std::strerror(errno)));
  }
  for (const std::filesystem::path& path : readable) {
    if (auto allowed = Allow(ruleset.get(), path, kExecute | kReadFile | kReadDir); !allowed) return tl::unexpected(allowed.error());
  }
  if (auto allowed = Allow(ruleset.get(), "/dev/null", kReadFile | kWriteFile | (handled & kTruncate)); !allowed) {
    return tl::unexpected(allowed.error());
  }
  if (writable.empty()) return ruleset;
  const std::uint64_t writing = handled & ~(kExecute | kMakeChar | kMakeBlock | kIoctlDevice);
  if (auto allowed = Allow(ruleset.get(), writable, writing); !allowed) return tl::unexpected(allowed.error());
  return ruleset;
}

int EnterRuleset(int ruleset_fd) { return syscall(kRestrictSelf, ruleset_fd, 0) == 0 ? 0 : errno; }

}  // namespace kernel_audit::sandbox
