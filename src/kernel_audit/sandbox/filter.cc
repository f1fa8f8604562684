#include "kernel_audit/sandbox/filter.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include <fmt/core.h>

#include "kernel_audit/sandbox/descriptor.h"
#include "kernel_audit/sandbox/system_calls.h"

namespace kernel_audit::sandbox {
namespace {

// Stands in the filter where the process id will be; above the largest id a kernel hands out (2^22).
constexpr std::uint32_t kOwnPid = 0x7ead9157;

constexpr std::uint32_t kDenied = SCMP_ACT_ERRNO(EPERM);
constexpr std::uint32_t kUnknown = SCMP_ACT_ERRNO(ENOSYS);

// Collects rules and remembers the first one that was not taken.
class Builder {
 public:
  explicit Builder(std::uint32_t otherwise) : context_(seccomp_init(otherwise)), otherwise_(otherwise) {}

  void Add(std::uint32_t action, std::string_view name, std::vector<scmp_arg_cmp> when = {}) {
    if (action == otherwise_ || context_ == nullptr || error_ != 0) return;
    const int number = seccomp_syscall_resolve_name(std::string(name).c_str());
    if (number == __NR_SCMP_ERROR) return;
    error_ = seccomp_rule_add_array(context_.get(), action, number, static_cast<unsigned>(when.size()), when.data());
    if (error_ != 0) culprit_ = name;
  }

  void AddAll(std::uint32_t action, std::span<const std::string_view> names) {
    for (const std::string_view name : names) Add(action, name);
  }

  core::Result<std::vector<sock_filter>> Finish() {
    if (context_ == nullptr) return core::Fail(core::ErrorCode::kRefused, "libseccomp could not start a filter");
    if (error_ != 0) {
      return core::Fail(core::ErrorCode::kRefused,
                        fmt::format("libseccomp refused the rule for {}: {}", culprit_, std::strerror(-error_)));
    }
    return Export();
  }

 private:
  core::Result<std::vector<sock_filter>> Export() {
    Descriptor file(memfd_create("filter", MFD_CLOEXEC));
    if (!file.valid() || seccomp_export_bpf(context_.get(), file.get()) != 0) {
      return core::Fail(core::ErrorCode::kRefused, "libseccomp could not write the filter");
    }
    const off_t size = lseek(file.get(), 0, SEEK_END);
    std::vector<sock_filter> filter(static_cast<std::size_t>(std::max<off_t>(size, 0)) / sizeof(sock_filter));
    const auto bytes = static_cast<ssize_t>(filter.size() * sizeof(sock_filter));
    if (bytes == 0 || pread(file.get(), filter.data(), static_cast<std::size_t>(bytes), 0) != bytes) {
      return core::Fail(core::ErrorCode::kRefused, "libseccomp wrote an empty filter");
    }
    return filter;
  }

  struct Release {
    void operator()(void* context) const { seccomp_release(context); }
  };
  std::unique_ptr<void, Release> context_;
  std::uint32_t otherwise_;
  int error_ = 0;
  std::string culprit_;
};

scmp_arg_cmp Equals(unsigned argument, std::uint64_t value) { return {argument, SCMP_CMP_EQ, value, 0}; }
scmp_arg_cmp Masked(unsigned argument, std::uint64_t mask, std::uint64_t value) { return {argument, SCMP_CMP_MASKED_EQ, mask, value}; }

void AddDenials(Builder& builder) {
  builder.AddAll(kDenied, kDangers);
  builder.Add(kUnknown, "clone3");
  builder.Add(kUnknown, "openat2");
}

// A tool such as a compiler: processes, but no namespaces, and no truncation through a read-only descriptor (Landlock before ABI 3 does
// not see it).
void AddToolRules(Builder& builder) {
  for (const std::uint64_t flag : {CLONE_NEWUSER, CLONE_NEWNET, CLONE_NEWPID, CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP}) {
    builder.Add(kDenied, "clone", {Masked(0, flag, flag)});
  }
  builder.Add(kDenied, "open", {Masked(1, O_ACCMODE | O_TRUNC, O_TRUNC)});
  builder.Add(kDenied, "openat", {Masked(2, O_ACCMODE | O_TRUNC, O_TRUNC)});
}

void AllowOpening(Builder& builder, std::string_view name, unsigned flags) {
  builder.Add(SCMP_ACT_ALLOW, name, {Masked(flags, O_TRUNC, 0)});
  builder.Add(SCMP_ACT_ALLOW, name, {Masked(flags, O_ACCMODE, O_WRONLY)});
  builder.Add(SCMP_ACT_ALLOW, name, {Masked(flags, O_ACCMODE, O_RDWR)});
}

void AddSingleProcessRules(Builder& builder) {
  builder.AddAll(kDenied, kProcessDangers);
  builder.AddAll(SCMP_ACT_ALLOW, kHarmless);
  AllowOpening(builder, "open", 1);
  AllowOpening(builder, "openat", 2);
  builder.Add(SCMP_ACT_ALLOW, "clone", {Masked(0, CLONE_THREAD, CLONE_THREAD)});
  builder.Add(SCMP_ACT_ALLOW, "tgkill", {Equals(0, kOwnPid)});
  builder.Add(SCMP_ACT_ALLOW, "prlimit64", {Equals(0, 0), Equals(2, 0)});
  builder.Add(SCMP_ACT_ALLOW, "prctl", {Equals(0, PR_SET_NAME)});
  builder.Add(SCMP_ACT_ERRNO(ENOTTY), "ioctl");
  builder.Add(SCMP_ACT_NOTIFY, "execve");
}

}  // namespace

core::Result<std::vector<sock_filter>> MakeFilter(bool may_start_processes) {
  Builder builder(may_start_processes ? SCMP_ACT_ALLOW : kUnknown);
  AddDenials(builder);
  may_start_processes ? AddToolRules(builder) : AddSingleProcessRules(builder);
  return builder.Finish();
}

void SetOwnPid(std::span<sock_filter> filter, pid_t pid) {
  for (sock_filter& instruction : filter) {
    if (BPF_CLASS(instruction.code) == BPF_JMP && instruction.k == kOwnPid) instruction.k = static_cast<std::uint32_t>(pid);
  }
}

int EnterFilter(std::span<sock_filter> filter, bool wants_listener, int& error) {
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  const unsigned flags = wants_listener ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0;
  const long answer = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
  error = answer < 0 ? errno : 0;
  return wants_listener ? static_cast<int>(answer) : -1;
}

void LetOneStart(int listener) {
  pollfd question{listener, POLLIN, 0};
  while (poll(&question, 1, -1) < 0 && errno == EINTR) {
  }
  seccomp_notif request{};
  while ((question.revents & POLLIN) == 0 || ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0) {
    if (errno != EINTR || (question.revents & POLLIN) == 0) {
      close(listener);
      return;
    }
    request = {};
  }
  seccomp_notif_resp answer{};
  answer.id = request.id;
  answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  close(listener);
}

}  // namespace kernel_audit::sandbox
