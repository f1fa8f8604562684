// What a hostile program tries, one attempt a run: `sandbox_probe ATTEMPT [ARGUMENT]`. Exit status 0: it worked; 1: the system said no (the
// reason is on standard error); 2: no such attempt.
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

using Attempt = std::function<int(const std::string&)>;

int Tell(bool worked) {
  if (!worked) std::fprintf(stderr, "%s\n", std::strerror(errno));
  return worked ? 0 : 1;
}

int Read(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY);
  char buffer[256];
  const ssize_t size = fd < 0 ? -1 : read(fd, buffer, sizeof(buffer));
  if (size > 0) std::fwrite(buffer, 1, static_cast<std::size_t>(size), stdout);
  return Tell(size >= 0);
}

int List(const std::string& path) { return Tell(opendir(path.c_str()) != nullptr); }

int Write(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT, 0600);
  return Tell(fd >= 0 && write(fd, "x", 1) == 1);
}

int Remove(const std::string& path) { return Tell(unlink(path.c_str()) == 0); }
int Truncate(const std::string& path) { return Tell(truncate(path.c_str(), 0) == 0); }
int TruncateByOpening(const std::string& path) { return Tell(open(path.c_str(), O_RDONLY | O_TRUNC) >= 0); }
int ChangeMode(const std::string& path) { return Tell(chmod(path.c_str(), 0777) == 0); }

int Socket(const std::string& family) { return Tell(socket(std::atoi(family.c_str()), SOCK_DGRAM, 0) >= 0); }

int Connect(const std::string& port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(port.c_str())));
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  return Tell(fd >= 0 && connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
}

int Fork(const std::string&) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  return Tell(child > 0);
}

int RawVfork(const std::string&) {
  const long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0) _exit(0);
  return Tell(child > 0);
}

int Thread(const std::string&) {
  int sum = 0;
  std::thread([&] { sum = 7; }).join();
  return sum == 7 ? 0 : 1;
}

int Execute(const std::string& path) {
  char* const arguments[] = {const_cast<char*>(path.c_str()), const_cast<char*>("ok"), nullptr};
  execv(path.c_str(), arguments);
  return Tell(false);
}

int Kill(const std::string& pid) { return Tell(kill(std::atoi(pid.c_str()), 0) == 0); }
int ThreadKill(const std::string& pid) {
  const int id = std::atoi(pid.c_str());
  return Tell(syscall(SYS_tgkill, id, id, 0) == 0);
}
int Trace(const std::string&) { return Tell(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0); }
int Unshare(const std::string&) { return Tell(unshare(CLONE_NEWUSER) == 0); }
int RaiseLimit(const std::string&) {
  const rlimit more{1 << 20, 1 << 20};
  return Tell(setrlimit(RLIMIT_CORE, &more) == 0);
}
int Ring(const std::string&) {
  io_uring_params parameters{};
  return Tell(syscall(SYS_io_uring_setup, 4, &parameters) >= 0);
}

[[gnu::noinline]] void* Touch(std::size_t size) {
  void* block = std::malloc(size);
  if (block != nullptr) std::memset(block, 1, size);
  return block;
}

int Allocate(const std::string& megabytes) {
  std::vector<std::vector<char>> blocks;
  for (int i = 0; i < std::atoi(megabytes.c_str()); ++i) blocks.emplace_back(1 << 20, 'x');
  return blocks.size() > (1U << 30) ? 1 : 0;
}

int AllocateQuietly(const std::string& megabytes) {
  for (int i = 0; i < std::atoi(megabytes.c_str()); ++i) {
    if (Touch(1 << 20) == nullptr) return 1;
  }
  return 0;
}

int Spin(const std::string&) {
  volatile unsigned long count = 0;
  while (true) count = count + 1;
}

int SpinDeaf(const std::string& argument) {
  signal(SIGXCPU, SIG_IGN);
  return Spin(argument);
}

int Sleep(const std::string& seconds) {
  sleep(static_cast<unsigned>(std::atoi(seconds.c_str())));
  return 0;
}

int LargeFile(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT, 0600);
  const std::vector<char> block(1 << 20, 'x');
  for (int i = 0; i < 64; ++i) {
    if (write(fd, block.data(), block.size()) < 0) return Tell(false);
  }
  return 0;
}

int Flood(const std::string& megabytes) {
  const std::vector<char> block(1 << 20, 'y');
  for (int i = 0; i < std::atoi(megabytes.c_str()); ++i) {
    for (const int fd : {1, 2}) {
      for (std::size_t at = 0; at < block.size();) {
        const ssize_t size = write(fd, block.data() + at, block.size() - at);
        if (size < 0) return Tell(false);
        at += static_cast<std::size_t>(size);
      }
    }
  }
  return 0;
}

int Result(const std::string& bytes) {
  const std::vector<char> block(static_cast<std::size_t>(std::atol(bytes.c_str())), 'r');
  for (std::size_t at = 0; at < block.size();) {
    const ssize_t size = write(3, block.data() + at, block.size() - at);
    if (size < 0) return Tell(false);
    at += static_cast<std::size_t>(size);
  }
  return 0;
}

int Crash(const std::string& number) { return Tell(raise(std::atoi(number.c_str())) != 0); }
int Exit(const std::string& status) { std::_Exit(std::atoi(status.c_str())); }
int Succeed(const std::string&) { return 0; }

int Descriptors(const std::string&) {
  for (int fd = 0; fd < 4096; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) std::printf("%d ", fd);
  }
  return 0;
}

int Environment(const std::string&) {
  for (char** entry = environ; *entry != nullptr; ++entry) std::puts(*entry);
  return 0;
}

int StandardInput(const std::string&) {
  char byte;
  return read(0, &byte, 1) == 0 ? 0 : 1;
}

// Leaves a child that writes `path` a second later, after its parent, or whoever watches it, is long gone.
int Orphan(const std::string& path) {
  if (fork() != 0) {
    Sleep("1");
    return 0;
  }
  setsid();
  if (fork() != 0) _exit(0);
  Sleep("2");
  Write(path);
  _exit(0);
}

int Detach(const std::string& path) {
  if (fork() != 0) return 0;
  setsid();
  if (fork() != 0) _exit(0);
  Sleep("1");
  Write(path);
  _exit(0);
}

int Powers(const std::string&) {
  std::printf("%u\n", static_cast<unsigned>(geteuid()));
  return Tell(syscall(SYS_chroot, "/") == 0 || syscall(SYS_sethostname, "x", 1) == 0 || setuid(12345) == 0);
}

const std::map<std::string, Attempt>& Attempts() {
  static const std::map<std::string, Attempt> attempts = {
      {"read", Read}, {"list", List}, {"write", Write}, {"remove", Remove}, {"truncate", Truncate}, {"chmod", ChangeMode},
      {"truncate-open", TruncateByOpening}, {"socket", Socket}, {"connect", Connect}, {"fork", Fork}, {"clone", RawVfork},
      {"thread", Thread}, {"execute", Execute}, {"kill", Kill}, {"tgkill", ThreadKill}, {"ptrace", Trace}, {"unshare", Unshare},
      {"setrlimit", RaiseLimit}, {"io_uring", Ring}, {"allocate", Allocate}, {"allocate-quietly", AllocateQuietly}, {"spin", Spin},
      {"spin-deaf", SpinDeaf}, {"sleep", Sleep}, {"large-file", LargeFile}, {"flood", Flood}, {"result", Result}, {"crash", Crash},
      {"exit", Exit}, {"ok", Succeed}, {"descriptors", Descriptors}, {"environment", Environment}, {"stdin", StandardInput},
      {"orphan", Orphan}, {"detach", Detach}, {"powers", Powers}};
  return attempts;
}

}  // namespace

int main(int count, char** arguments) {
  const auto found = count > 1 ? Attempts().find(arguments[1]) : Attempts().end();
  return found == Attempts().end() ? 2 : found->second(count > 2 ? arguments[2] : "");
}
