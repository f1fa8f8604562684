// The confined side between the fork and the program's first instruction. The caller may have threads, so everything is laid out before
// the fork and nothing here allocates or takes a lock.
#pragma once

#include <linux/filter.h>
#include <sys/resource.h>

#include <array>
#include <cstdint>
#include <span>

namespace kernel_audit::sandbox {

inline constexpr int kResultFd = 3;

struct ResourceLimit {
  int resource;
  rlimit value;
};

struct Launch {
  char* const* argv = nullptr;
  char* const* environment = nullptr;
  const char* working_directory = "/";
  // Descriptors above those that the program will see.
  int null_fd = -1;
  int out_fd = -1;
  int err_fd = -1;
  int result_fd = -1;  // -1: the program has none
  int status_fd = -1;
  int ruleset_fd = -1;
  std::span<sock_filter> filter;
  std::span<const ResourceLimit> resource_limits;
  bool may_start_processes = false;
  bool in_user_namespace = false;
  std::array<char, 32> user_map{};  // "1000 1000 1"
  std::array<char, 32> group_map{};
};

enum class Step : std::int32_t { kEnded, kDescriptors, kFork, kFolder, kLimits, kCapabilities, kPrivileges, kLandlock, kSeccomp, kExecute };

// One message on the status pipe; smaller than the pipe's atomic size.
struct Report {
  Step step = Step::kEnded;        // kEnded: the program ran; otherwise the step that failed
  std::int32_t error = 0;          // errno of the failed step
  std::int32_t wait_status = 0;    // as waitpid gives it
  std::int32_t padding = 0;
  std::int64_t peak_kilobytes = 0;
  std::int64_t cpu_microseconds = 0;
};

// Runs in the forked process, which leads a session of its own: starts the program in a second process, collects whatever it leaves
// behind, reports its end on the status pipe. In a process namespace the end of this process is the end of all in it.
[[noreturn]] void RunInit(const Launch& launch);

}  // namespace kernel_audit::sandbox
