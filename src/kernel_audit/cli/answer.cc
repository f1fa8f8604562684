#include "kernel_audit/cli/answer.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

namespace kernel_audit::cli {
namespace {

using core::ErrorCode;
using Clock = std::chrono::steady_clock;

// On the pipe: '+' and the answer, or a letter for the code of an error and its text. The last byte of both is a newline, so that a cut
// answer is seen.
std::string Encode(const core::Result<std::string>& result) {
  if (result) return "+" + *result + "\n";
  return std::string(1, static_cast<char>('a' + static_cast<int>(result.error().code))) + result.error().ToString() + "\n";
}

core::Result<std::string> Decode(const std::string& bytes) {
  const std::string text = bytes.substr(1, bytes.size() - 2);
  if (bytes[0] == '+') return text;
  return core::Fail(static_cast<ErrorCode>(bytes[0] - 'a'), text);
}

[[noreturn]] void BeChild(int out, const std::function<core::Result<std::string>()>& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  int status = 0;
  try {
    const std::string answer = Encode(work());
    for (std::size_t done = 0; done < answer.size();) {
      const ssize_t wrote = write(out, answer.data() + done, answer.size() - done);
      if (wrote < 0 && errno != EINTR) break;
      if (wrote > 0) done += static_cast<std::size_t>(wrote);
    }
  } catch (const std::exception& bug) {
    std::fprintf(stderr, "kernel-audit: bug: %s\n", bug.what());
    status = 4;
  }
  std::fflush(nullptr);
  _exit(status);  // no destructors of a library that may hang in them
}

// Everything until the pipe's end; false when the time is up before.
bool ReadAll(int in, Clock::time_point end, std::string& bytes) {
  char part[4096];
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return false;
    pollfd wanted{in, POLLIN, 0};
    const int ready = poll(&wanted, 1, static_cast<int>(std::min<long long>(left, 60'000)));
    if (ready <= 0) continue;
    const ssize_t count = read(in, part, sizeof(part));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    bytes.append(part, static_cast<std::size_t>(count));
  }
}

std::string Ending(int status) {
  if (WIFSIGNALED(status)) return std::string("was ended by signal ") + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
  return "ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

core::Result<std::string> AnswerOfChild(const std::string& what, std::chrono::seconds limit, const std::function<core::Result<std::string>()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return core::Fail(ErrorCode::kIo, what + ": no pipe: " + std::strerror(errno));
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return core::Fail(ErrorCode::kIo, what + ": no process: " + std::strerror(errno));
  if (child == 0) {
    close(ends[0]);
    BeChild(ends[1], work);
  }
  close(ends[1]);
  std::string bytes;
  const bool in_time = ReadAll(ends[0], Clock::now() + limit, bytes);
  close(ends[0]);
  if (!in_time) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  if (!in_time) return core::Fail(ErrorCode::kFailed, what + " took longer than its " + std::to_string(limit.count()) + " s and was ended");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 4) throw core::InternalError(what + " met a bug, named above");
  if (status == 0 && bytes.size() >= 2 && bytes.back() == '\n') return Decode(bytes);
  return core::Fail(ErrorCode::kPlugin, what + " " + Ending(status) + " before it had an answer; nothing of it is kept");
}

}  // namespace kernel_audit::cli
