#include "kernel_audit/sandbox/launch.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/securebits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "kernel_audit/sandbox/filter.h"
#include "kernel_audit/sandbox/landlock.h"

namespace kernel_audit::sandbox {
namespace {

// Where the descriptors lie inside; those from kStatusFd on close when the program starts.
constexpr int kStatusFd = 4;
constexpr int kRulesetFd = 5;
constexpr int kFirstFree = 6;

// Deeper than anything below calls: once the address space is limited, a stack that must still grow is a crash.
constexpr std::size_t kStackNeed = 64 << 10;

void Send(const Report& report) {
  while (write(kStatusFd, &report, sizeof(report)) < 0 && errno == EINTR) {
  }
}

[[noreturn]] void GiveUp(Step step, int error) {
  Send({.step = step, .error = error});
  _exit(127);
}

void WriteFile(const char* path, const char* text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  [[maybe_unused]] const ssize_t written = write(fd, text, std::strlen(text));
  close(fd);
}

// The program keeps its user's number inside the namespace. A kernel that does not allow that shows it as nobody, which is as good.
void MapUser(const Launch& launch) {
  WriteFile("/proc/self/setgroups", "deny");
  WriteFile("/proc/self/uid_map", launch.user_map.data());
  WriteFile("/proc/self/gid_map", launch.group_map.data());
}

void PlaceDescriptors(const Launch& launch) {
  const int result = launch.result_fd >= 0 ? launch.result_fd : launch.null_fd;
  const bool placed = dup2(launch.status_fd, kStatusFd) >= 0 && dup2(launch.ruleset_fd, kRulesetFd) >= 0 && dup2(launch.null_fd, 0) >= 0 &&
                      dup2(launch.out_fd, 1) >= 0 && dup2(launch.err_fd, 2) >= 0 && dup2(result, kResultFd) >= 0;
  if (!placed || syscall(SYS_close_range, kFirstFree, ~0U, 0) != 0) _exit(126);
  const int first_hidden = launch.result_fd >= 0 ? kStatusFd : kResultFd;
  for (int fd = first_hidden; fd < kFirstFree; ++fd) fcntl(fd, F_SETFD, FD_CLOEXEC);
}

void ResetSignals() {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number <= SIGRTMAX; ++number) sigaction(number, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[gnu::noinline]] void TouchStack() {
  [[maybe_unused]] volatile char room[kStackNeed];
  for (std::size_t at = 0; at < kStackNeed; at += 1024) room[at] = 0;
}

void SetLimits(const Launch& launch) {
  for (const ResourceLimit& limit : launch.resource_limits) {
    if (setrlimit(static_cast<__rlimit_resource>(limit.resource), &limit.value) != 0) GiveUp(Step::kLimits, errno);
  }
}

// Root keeps its number but none of its powers, also across the program's start.
void DropCapabilities() {
  constexpr unsigned long kNoRoot = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED;
  const bool locked = prctl(PR_SET_SECUREBITS, kNoRoot, 0, 0, 0) == 0;
  for (unsigned long capability = 0; prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0; ++capability) {
  }
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  if (syscall(SYS_capset, &header, none) != 0) GiveUp(Step::kCapabilities, errno);
  if (!locked && geteuid() == 0 && prctl(PR_CAPBSET_READ, CAP_DAC_OVERRIDE, 0, 0, 0) != 0) GiveUp(Step::kCapabilities, EPERM);
}

// Limits last, and after them system calls alone: a sanitizer's runtime, in a build that has one, needs memory in what it puts before the
// C library's functions.
void Confine(const Launch& launch) {
  DropCapabilities();
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) GiveUp(Step::kPrivileges, errno);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) GiveUp(Step::kPrivileges, errno);
  if (const int error = EnterRuleset(kRulesetFd); error != 0) GiveUp(Step::kLandlock, error);
  SetLimits(launch);
}

void SendListener(int sync_fd, int listener) {
  while (syscall(SYS_write, sync_fd, &listener, sizeof(listener)) < 0 && errno == EINTR) {
  }
}

[[noreturn]] void RunProgram(const Launch& launch, int sync_fd) {
  TouchStack();
  if (chdir(launch.working_directory) != 0) GiveUp(Step::kFolder, errno);
  Confine(launch);
  SetOwnPid(launch.filter, getpid());
  int error = 0;
  const int listener = EnterFilter(launch.filter, !launch.may_start_processes, error);
  if (error != 0) GiveUp(Step::kSeccomp, error);
  SendListener(sync_fd, listener);
  syscall(SYS_execve, launch.argv[0], launch.argv, launch.environment);
  GiveUp(Step::kExecute, errno);
}

bool HasEnded(pid_t program) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(program), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == program;
}

// Opens the way for the one program start that a single process is allowed. The other side may die before it asks.
void Admit(int sync_fd, pid_t program) {
  constexpr int kPatienceMilliseconds = 50;
  pollfd message{sync_fd, POLLIN, 0};
  while (poll(&message, 1, kPatienceMilliseconds) != 1) {
    if (HasEnded(program)) return;
  }
  int listener = -1;
  if (read(sync_fd, &listener, sizeof(listener)) == sizeof(listener) && listener >= 0) LetOneStart(listener);
}

std::int64_t Microseconds(const timeval& time) { return std::int64_t{time.tv_sec} * 1'000'000 + time.tv_usec; }

void AwaitProgram(pid_t program) {
  Report report;
  rusage usage{};
  int status = 0;
  for (pid_t ended = 0; ended != program;) {
    ended = wait4(-1, &status, __WALL, &usage);
    if (ended < 0 && errno != EINTR) GiveUp(Step::kFork, errno);
  }
  report.wait_status = status;
  report.peak_kilobytes = usage.ru_maxrss;
  report.cpu_microseconds = Microseconds(usage.ru_utime) + Microseconds(usage.ru_stime);
  Send(report);
}

}  // namespace

void RunInit(const Launch& launch) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  ResetSignals();
  if (launch.in_user_namespace) MapUser(launch);
  PlaceDescriptors(launch);
  int sync[2];
  if (pipe2(sync, O_CLOEXEC) != 0) GiveUp(Step::kDescriptors, errno);
  // A shared descriptor table, until the program starts, is how the filter's listener comes here.
  const long program = syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
  if (program < 0) GiveUp(Step::kFork, errno);
  if (program == 0) RunProgram(launch, sync[1]);
  Admit(sync[0], static_cast<pid_t>(program));
  AwaitProgram(static_cast<pid_t>(program));
  _exit(0);
}

}  // namespace kernel_audit::sandbox
