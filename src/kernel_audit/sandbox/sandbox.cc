#include "kernel_audit/sandbox/sandbox.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "kernel_audit/sandbox/capture.h"
#include "kernel_audit/sandbox/descriptor.h"
#include "kernel_audit/sandbox/filter.h"
#include "kernel_audit/sandbox/landlock.h"
#include "kernel_audit/sandbox/launch.h"

namespace kernel_audit::sandbox {
namespace {

using Clock = std::chrono::steady_clock;

constexpr rlim_t kStackBytes = 8 << 20;
constexpr int kOtherNamespaces = CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

rlimit Capped(int resource, rlim_t soft, rlim_t hard) {
  rlimit now{};
  getrlimit(static_cast<__rlimit_resource>(resource), &now);
  return {std::min(soft, now.rlim_max), std::min(hard, now.rlim_max)};
}

// The address space comes last: it binds the setting-up itself.
std::vector<ResourceLimit> ResourceLimits(const Limits& limits, bool in_user_namespace) {
  std::vector<ResourceLimit> all;
  const auto add = [&](int resource, rlim_t soft, rlim_t hard) { all.push_back({resource, Capped(resource, soft, hard)}); };
  add(RLIMIT_CORE, 0, 0);
  add(RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1);
  add(RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes);
  add(RLIMIT_NOFILE, limits.open_files, limits.open_files);
  add(RLIMIT_STACK, kStackBytes, kStackBytes);
  add(RLIMIT_MEMLOCK, 0, 0);
  add(RLIMIT_MSGQUEUE, 0, 0);
  // Outside a user namespace the count would include everything else that the user runs.
  if (in_user_namespace) add(RLIMIT_NPROC, limits.processes, limits.processes);
  add(RLIMIT_AS, limits.memory_bytes, limits.memory_bytes);
  return all;
}

// One run, from laying out to the outcome.
class Session {
 public:
  Session(const Command& command, const Limits& limits, const Features& features)
      : command_(command), limits_(limits), features_(features), argv_(Pointers(command.argv)), environment_(Pointers(command.environment)),
        folder_(command.working_directory.empty() ? "/" : command.working_directory.string()) {}
  Session(const Session&) = delete;
  ~Session() { End(); }

  core::Result<Outcome> Run() {
    if (auto prepared = Prepare(); !prepared) return tl::unexpected(prepared.error());
    if (auto started = Start(); !started) return tl::unexpected(started.error());
    Watch();
    End();
    return Conclude();
  }

 private:
  core::Result<void> Prepare() {
    if (argv_.size() < 2 || command_.argv[0].empty() || command_.argv[0][0] != '/') {
      return core::Fail(core::ErrorCode::kBadInput, "a confined program is named by its absolute path");
    }
    auto ruleset = MakeRuleset(command_.readable, command_.writable, features_.landlock_abi).and_then(MoveUp);
    if (!ruleset) return tl::unexpected(ruleset.error());
    ruleset_ = std::move(*ruleset);
    auto filter = MakeFilter(command_.may_start_processes);
    if (!filter) return tl::unexpected(filter.error());
    filter_ = std::move(*filter);
    auto null = MoveUp(Descriptor(open("/dev/null", O_RDWR | O_CLOEXEC)));
    if (!null) return tl::unexpected(null.error());
    null_ = std::move(*null);
    for (Pipe* pipe : {&out_, &err_, &result_, &status_}) {
      auto made = MakePipe();
      if (!made) return tl::unexpected(made.error());
      *pipe = std::move(*made);
    }
    return {};
  }

  Launch Layout(bool in_user_namespace) {
    Launch launch;
    launch.argv = argv_.data();
    launch.environment = environment_.data();
    launch.working_directory = folder_.c_str();
    launch.null_fd = null_.get();
    launch.out_fd = out_.write_end.get();
    launch.err_fd = err_.write_end.get();
    launch.result_fd = command_.has_result ? result_.write_end.get() : -1;
    launch.status_fd = status_.write_end.get();
    launch.ruleset_fd = ruleset_.get();
    launch.filter = filter_;
    launch.resource_limits = resource_limits_;
    launch.may_start_processes = command_.may_start_processes;
    launch.in_user_namespace = in_user_namespace;
    fmt::format_to_n(launch.user_map.data(), launch.user_map.size() - 1, "{0} {0} 1", geteuid());
    fmt::format_to_n(launch.group_map.data(), launch.group_map.size() - 1, "{0} {0} 1", getegid());
    return launch;
  }

  // Signals are held back across the fork, so that no handler of the caller runs on the other side.
  pid_t Fork(int namespaces) {
    const bool in_user_namespace = (namespaces & CLONE_NEWUSER) != 0;
    resource_limits_ = ResourceLimits(limits_, in_user_namespace);
    const Launch launch = Layout(in_user_namespace);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const long pid = syscall(SYS_clone, namespaces | CLONE_PIDFD | SIGCHLD, 0, &pidfd_, 0, 0);
    if (pid == 0) RunInit(launch);
    const int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
    return static_cast<pid_t>(pid);
  }

  core::Result<void> Start() {
    std::vector<int> choices;
    if (features_.namespaces) choices = {CLONE_NEWUSER | kOtherNamespaces, kOtherNamespaces};
    choices.push_back(0);
    started_ = Clock::now();
    for (const int choice : choices) {
      init_ = Fork(choice);
      if (init_ > 0) {
        namespaces_ = choice;
        pidfd_owner_ = Descriptor(pidfd_);
        for (Pipe* pipe : {&out_, &err_, &result_, &status_}) pipe->write_end.Close();
        return {};
      }
    }
    return core::Fail(core::ErrorCode::kIo, fmt::format("cannot start a process: {}", std::strerror(errno)));
  }

  // Everything inside is in init's process group, and in its process namespace where there is one; init is not reaped before this.
  void Kill() {
    kill(-init_, SIGKILL);
    kill(init_, SIGKILL);
  }

  void Stop(Limit limit) {
    if (outcome_.limit == Limit::kNone) outcome_.limit = limit;
    Kill();
  }

  int MillisecondsLeft() const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(started_ + limits_.wall - Clock::now()).count();
    return static_cast<int>(std::clamp<long long>(left + 1, 0, 1 << 30));
  }

  void Watch() {
    Capture out(out_.read_end.get(), limits_.text_bytes, outcome_.out);
    Capture err(err_.read_end.get(), limits_.text_bytes, outcome_.err);
    Capture result(result_.read_end.get(), limits_.result_bytes, outcome_.result);
    std::array<Capture*, 3> captures{&out, &err, &result};
    for (bool running = true; running;) {
      std::array<pollfd, 4> polled{pollfd{pidfd_owner_.get(), POLLIN, 0}};
      for (std::size_t i = 0; i < captures.size(); ++i) polled[i + 1] = {captures[i]->fd(), POLLIN, 0};
      const int ready = poll(polled.data(), polled.size(), MillisecondsLeft());
      for (std::size_t i = 0; i < captures.size(); ++i) {
        if (polled[i + 1].revents != 0) captures[i]->Read();
      }
      running = polled[0].revents == 0;
      if (ready == 0 || MillisecondsLeft() == 0) Stop(Limit::kWallClock), running = false;
      if (result.overflowed()) Stop(Limit::kResultSize), running = false;
    }
    End();
    for (Capture* capture : captures) capture->Read(true);
  }

  void End() {
    if (init_ <= 0) return;
    Kill();
    while (waitpid(init_, nullptr, __WALL) < 0 && errno == EINTR) {
    }
    init_ = -1;
    outcome_.wall_seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  }

  std::optional<Report> ReadReport() {
    Report report;
    const ssize_t size = read(status_.read_end.get(), &report, sizeof(report));
    return size == sizeof(report) ? std::optional(report) : std::nullopt;
  }

  core::Result<Outcome> Conclude() {
    RecordLayers();
    const std::optional<Report> report = ReadReport();
    if (report && report->step != Step::kEnded) return Unstarted(*report);
    if (!report && outcome_.limit == Limit::kNone) return core::Fail(core::ErrorCode::kIo, "a confined process could not be set up");
    outcome_.ending = Ending::kSignalled;
    outcome_.status = SIGKILL;
    if (report) RecordEnd(*report);
    return std::move(outcome_);
  }

  core::Result<Outcome> Unstarted(const Report& report) const {
    const char* reason = std::strerror(report.error);
    switch (report.step) {
      case Step::kExecute:
        return core::Fail(core::ErrorCode::kBadInput, fmt::format("cannot run {}: {}", command_.argv[0], reason));
      case Step::kFolder:
        return core::Fail(core::ErrorCode::kBadInput, fmt::format("cannot enter {}: {}", folder_, reason));
      case Step::kFork:
      case Step::kDescriptors:
        return core::Fail(core::ErrorCode::kIo, fmt::format("cannot start a process: {}", reason));
      default:
        return core::Fail(core::ErrorCode::kRefused,
                          fmt::format("the guard '{}' does not hold on this machine ({}): an untrusted program is not run without it",
                                      GuardName(report.step), reason));
    }
  }

  static const char* GuardName(Step step) {
    switch (step) {
      case Step::kLimits: return "resource limits";
      case Step::kCapabilities: return "no capabilities";
      case Step::kPrivileges: return "no new privileges";
      case Step::kLandlock: return "landlock";
      default: return "seccomp";
    }
  }

  void RecordEnd(const Report& report) {
    const bool exited = WIFEXITED(report.wait_status);
    outcome_.ending = exited ? Ending::kExited : Ending::kSignalled;
    outcome_.status = exited ? WEXITSTATUS(report.wait_status) : WTERMSIG(report.wait_status);
    outcome_.peak_memory_bytes = static_cast<std::uint64_t>(report.peak_kilobytes) << 10;
    if (outcome_.limit == Limit::kNone) outcome_.limit = LimitOf(report);
  }

  // The program and what it started. The kernel counts a limit and a report by different clocks, a few milliseconds apart.
  bool UsedUp(const Report& report) const {
    constexpr std::uint64_t kNearlyASecond = 980'000;
    return static_cast<std::uint64_t>(report.cpu_microseconds) >= limits_.cpu_seconds * kNearlyASecond;
  }

  Limit LimitOf(const Report& report) const {
    if (outcome_.succeeded()) return Limit::kNone;
    const bool signalled = outcome_.ending == Ending::kSignalled;
    if ((signalled && outcome_.status == SIGXCPU) || UsedUp(report)) return Limit::kCpuTime;
    if (signalled && outcome_.status == SIGXFSZ) return Limit::kFileSize;
    if (signalled && outcome_.status == SIGKILL) return Limit::kMemory;
    return SaysOutOfMemory() ? Limit::kMemory : Limit::kNone;
  }

  bool SaysOutOfMemory() const {
    for (const char* words : {"std::bad_alloc", "out of memory", "virtual memory exhausted", "annot allocate memory", "emory exhausted"}) {
      if (outcome_.err.text.find(words) != std::string::npos) return true;
    }
    return false;
  }

  void RecordLayers() {
    outcome_.layers = {fmt::format("landlock {}", features_.landlock_abi), "seccomp", "resource limits", "no capabilities",
                       "no new privileges"};
    if ((namespaces_ & CLONE_NEWUSER) != 0) outcome_.layers.push_back("user namespace");
    if (namespaces_ != 0) outcome_.layers.insert(outcome_.layers.end(), {"process namespace", "network namespace", "ipc namespace"});
  }

  const Command& command_;
  const Limits& limits_;
  const Features& features_;
  std::vector<char*> argv_;
  std::vector<char*> environment_;
  std::string folder_;
  std::vector<sock_filter> filter_;
  std::vector<ResourceLimit> resource_limits_;
  Descriptor ruleset_, null_, pidfd_owner_;
  Pipe out_, err_, result_, status_;
  Clock::time_point started_;
  pid_t init_ = -1;
  int pidfd_ = -1;
  int namespaces_ = 0;
  Outcome outcome_;
};

std::string SignalName(int number) {
  const char* name = sigabbrev_np(number);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

}  // namespace

Features ProbeFeatures() { return {.landlock_abi = std::min(LandlockAbi(), 6)}; }

std::string Describe(const Outcome& outcome, const Limits& limits) {
  switch (outcome.limit) {
    case Limit::kWallClock: return fmt::format("ran longer than its {:g} s", static_cast<double>(limits.wall.count()) / 1000);
    case Limit::kCpuTime: return fmt::format("used up its {} s of processor time", limits.cpu_seconds);
    case Limit::kMemory: return fmt::format("ran out of its {} MiB of memory", limits.memory_bytes >> 20);
    case Limit::kFileSize: return fmt::format("wrote a file larger than its {} MiB", limits.file_bytes >> 20);
    case Limit::kResultSize: return fmt::format("wrote more than its {} MiB of results", limits.result_bytes >> 20);
    case Limit::kNone: break;
  }
  if (outcome.ending == Ending::kSignalled) return "crashed with " + SignalName(outcome.status);
  return fmt::format("exited with status {}", outcome.status);
}

core::Result<Outcome> Run(const Command& command, const Limits& limits, const Features& features) {
  return Session(command, limits, features).Run();
}

}  // namespace kernel_audit::sandbox
