// Each attack is made twice: without the sandbox, where it must succeed (else it proves nothing), and inside, where it must not.
#include "kernel_audit/sandbox/sandbox.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <cstdio>

#include <gtest/gtest.h>

#include "kernel_audit/sandbox/landlock.h"

namespace kernel_audit::sandbox {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr int kPermissionDenied = 1;  // the probe's exit status

class SandboxTest : public testing::Test {
 protected:
  void SetUp() override {
    std::fflush(nullptr);  // ThreadSanitizer writes out what a fork has inherited
    if (LandlockAbi() == 0) GTEST_SKIP() << "no Landlock in this kernel";
    const std::string pattern = (fs::temp_directory_path() / "sandbox-test-XXXXXX").string();
    std::vector<char> path(pattern.begin(), pattern.end());
    path.push_back('\0');
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    root_ = path.data();
    for (const char* name : {"inside", "outside", "work"}) fs::create_directory(root_ / name);
    for (const char* name : {"inside/file", "outside/file", "work/file"}) std::ofstream(root_ / name) << "contents";
    limits_.wall = std::chrono::seconds(20);
  }
  void TearDown() override {
    if (!root_.empty()) fs::remove_all(root_);
  }

  Command Attempt(const std::string& attempt, const std::string& argument = "") const {
    Command command;
    command.argv = {KA_SANDBOX_PROBE, attempt, argument};
    command.environment = {"LC_ALL=C"};
    command.readable = {KA_SANDBOX_PROBE, "/lib", "/lib64", "/usr/lib", root_ / "inside"};
    command.writable = root_ / "work";
    return command;
  }

  Outcome Confined(const Command& command) const {
    auto outcome = sandbox::Run(command, limits_, features_);
    EXPECT_TRUE(outcome.has_value()) << outcome.error().message;
    return outcome ? *outcome : Outcome{};
  }
  Outcome Confined(const std::string& attempt, const std::string& argument = "") const { return Confined(Attempt(attempt, argument)); }

  // The probe's exit status without any guard.
  static int Free(const std::string& attempt, const std::string& argument = "") {
    const pid_t child = fork();
    if (child == 0) {
      const int null = open("/dev/null", O_RDWR);
      for (const int fd : {0, 1, 2}) dup2(null, fd);
      execl(KA_SANDBOX_PROBE, KA_SANDBOX_PROBE, attempt.c_str(), argument.c_str(), nullptr);
      _exit(99);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  void ExpectDenied(const std::string& attempt, const std::string& argument = "") const {
    EXPECT_EQ(Free(attempt, argument), 0) << attempt << " must work without the sandbox";
    const Outcome outcome = Confined(attempt, argument);
    EXPECT_EQ(outcome.ending, Ending::kExited) << attempt;
    EXPECT_EQ(outcome.status, kPermissionDenied) << attempt << " " << argument << ": " << outcome.err.text;
  }

  fs::path root_;
  Limits limits_;
  Features features_ = ProbeFeatures();
};

TEST_F(SandboxTest, ReadsBelowTheGivenPaths) {
  const Outcome outcome = Confined("read", root_ / "inside/file");
  EXPECT_TRUE(outcome.succeeded()) << outcome.err.text;
  EXPECT_EQ(outcome.out.text, "contents");
}

TEST_F(SandboxTest, ReadsNothingElse) {
  ExpectDenied("read", "/etc/passwd");
  ExpectDenied("read", root_ / "outside/file");
  ExpectDenied("read", root_ / "inside/../outside/file");
  ExpectDenied("read", "/proc/self/maps");
  ExpectDenied("list", "/");
}

TEST_F(SandboxTest, ASymbolicLinkLeadsNowhere) {
  fs::create_symlink(root_ / "outside/file", root_ / "inside/link");
  ExpectDenied("read", root_ / "inside/link");
}

TEST_F(SandboxTest, WritesBelowOneFolder) {
  EXPECT_TRUE(Confined("write", root_ / "work/new").succeeded());
  EXPECT_TRUE(Confined("remove", root_ / "work/new").succeeded());
  ExpectDenied("write", root_ / "inside/file");
  ExpectDenied("write", root_ / "outside/new");
  ExpectDenied("truncate", root_ / "inside/file");
  ExpectDenied("truncate-open", root_ / "inside/file");
  ExpectDenied("chmod", root_ / "inside/file");
}

TEST_F(SandboxTest, RemovesNothingOutside) {
  EXPECT_EQ(Confined("remove", root_ / "outside/file").status, kPermissionDenied);
  EXPECT_EQ(Confined("remove", root_ / "inside/file").status, kPermissionDenied);
  EXPECT_TRUE(fs::exists(root_ / "outside/file") && fs::exists(root_ / "inside/file"));
  EXPECT_EQ(Free("remove", root_ / "outside/file"), 0);
}

TEST_F(SandboxTest, RootHasNoPowers) {
  if (geteuid() != 0) GTEST_SKIP() << "not root";
  for (const bool namespaces : {true, false}) {
    features_.namespaces = namespaces;
    fs::permissions(root_ / "inside/file", fs::perms::none);
    ExpectDenied("read", root_ / "inside/file");
  }
}

TEST_F(SandboxTest, HasNoNetwork) {
  for (const int family : {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK}) ExpectDenied("socket", std::to_string(family));
  const int server = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(bind(server, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(server, 4), 0);
  getsockname(server, reinterpret_cast<sockaddr*>(&address), &size);
  ExpectDenied("connect", std::to_string(ntohs(address.sin_port)));
  close(server);
}

TEST_F(SandboxTest, StaysOneProcess) {
  ExpectDenied("fork");
  ExpectDenied("clone");
  ExpectDenied("execute", KA_SANDBOX_PROBE);
  EXPECT_TRUE(Confined("thread").succeeded());
}

TEST_F(SandboxTest, ToolsStartProcessesWhenTold) {
  for (const char* attempt : {"fork", "clone", "thread"}) {
    Command command = Attempt(attempt);
    command.may_start_processes = true;
    EXPECT_TRUE(Confined(command).succeeded()) << attempt;
  }
  Command command = Attempt("execute", KA_SANDBOX_PROBE);
  command.may_start_processes = true;
  EXPECT_TRUE(Confined(command).succeeded());
}

TEST_F(SandboxTest, ToolsHaveNoNetworkAndNoOtherDangers) {
  for (const char* attempt : {"socket", "unshare", "ptrace", "powers"}) {
    Command command = Attempt(attempt, "2");
    command.may_start_processes = true;
    EXPECT_EQ(Confined(command).status, kPermissionDenied) << attempt;
  }
  Command command = Attempt("read", "/etc/passwd");
  command.may_start_processes = true;
  EXPECT_EQ(Confined(command).status, kPermissionDenied);
}

TEST_F(SandboxTest, ReachesNoOtherProcess) {
  const std::string own = std::to_string(getpid());
  ExpectDenied("kill", own);
  ExpectDenied("tgkill", own);
  ExpectDenied("ptrace");
  features_.namespaces = false;
  ExpectDenied("kill", own);
  ExpectDenied("tgkill", own);
}

TEST_F(SandboxTest, HasNoOtherPowers) {
  // Without the sandbox namespaces may be made, but not in every container or chroot.
  for (const char* attempt : {"unshare", "setrlimit", "io_uring", "powers"}) EXPECT_EQ(Confined(attempt).status, kPermissionDenied) << attempt;
}

TEST_F(SandboxTest, MemoryIsLimited) {
  limits_.memory_bytes = 256ULL << 20;
  EXPECT_EQ(Free("allocate", "400"), 0);
  EXPECT_TRUE(Confined("allocate", "50").succeeded());
  const Outcome outcome = Confined("allocate", "400");
  EXPECT_EQ(outcome.limit, Limit::kMemory);
  EXPECT_EQ(Describe(outcome, limits_), "ran out of its 256 MiB of memory");
  EXPECT_EQ(Free("allocate-quietly", "400"), 0);
  EXPECT_EQ(Confined("allocate-quietly", "400").status, 1);
}

TEST_F(SandboxTest, WallClockIsLimited) {
  limits_.wall = std::chrono::milliseconds(300);
  const Outcome outcome = Confined("sleep", "30");
  EXPECT_EQ(outcome.limit, Limit::kWallClock);
  EXPECT_EQ(Describe(outcome, limits_), "ran longer than its 0.3 s");
  EXPECT_LT(outcome.wall_seconds, 5);
}

TEST_F(SandboxTest, ProcessorTimeIsLimited) {
  limits_.cpu_seconds = 1;
  for (const char* attempt : {"spin", "spin-deaf"}) {
    const Outcome outcome = Confined(attempt);
    EXPECT_EQ(outcome.limit, Limit::kCpuTime) << attempt;
    EXPECT_EQ(Describe(outcome, limits_), "used up its 1 s of processor time");
  }
}

TEST_F(SandboxTest, FileSizeIsLimited) {
  limits_.file_bytes = 8 << 20;
  const Outcome outcome = Confined("large-file", root_ / "work/large");
  EXPECT_EQ(outcome.limit, Limit::kFileSize);
  EXPECT_LE(fs::file_size(root_ / "work/large"), limits_.file_bytes);
  EXPECT_EQ(Free("large-file", root_ / "work/free"), 0);
  EXPECT_GT(fs::file_size(root_ / "work/free"), limits_.file_bytes);
}

TEST_F(SandboxTest, OutputIsKeptToABoundAndCounted) {
  limits_.text_bytes = 1000;
  const Outcome outcome = Confined("flood", "8");
  EXPECT_TRUE(outcome.succeeded());
  for (const Captured* captured : {&outcome.out, &outcome.err}) {
    EXPECT_EQ(captured->text, std::string(1000, 'y'));
    EXPECT_EQ(captured->dropped, (8U << 20) - 1000);
  }
}

TEST_F(SandboxTest, AnEndlessFloodEnds) {
  limits_.wall = std::chrono::milliseconds(500);
  EXPECT_EQ(Confined("flood", "100000000").limit, Limit::kWallClock);
}

TEST_F(SandboxTest, ResultsComeThroughDescriptorThree) {
  Command command = Attempt("result", "300000");
  command.has_result = true;
  EXPECT_EQ(Confined(command).result.text, std::string(300000, 'r'));
  limits_.result_bytes = 299999;
  EXPECT_EQ(Confined(command).limit, Limit::kResultSize);
  EXPECT_EQ(Confined("result", "1").status, kPermissionDenied) << "no descriptor 3 unless asked for";
}

TEST_F(SandboxTest, SaysHowTheProgramEnded) {
  EXPECT_EQ(Describe(Confined("crash", std::to_string(SIGSEGV)), limits_), "crashed with SIGSEGV");
  EXPECT_EQ(Describe(Confined("crash", std::to_string(SIGABRT)), limits_), "crashed with SIGABRT");
  EXPECT_EQ(Describe(Confined("exit", "3"), limits_), "exited with status 3");
  EXPECT_TRUE(Confined("ok").succeeded());
}

TEST_F(SandboxTest, InheritsNoDescriptorAndNoEnvironment) {
  const int leaked = open("/etc/passwd", O_RDONLY);
  ASSERT_GE(leaked, 0);
  setenv("KA_SECRET", "1", 1);
  EXPECT_EQ(Confined("descriptors").out.text, "0 1 2 ");
  Command command = Attempt("descriptors");
  command.has_result = true;
  EXPECT_EQ(Confined(command).out.text, "0 1 2 3 ");
  EXPECT_EQ(Confined("environment").out.text, "LC_ALL=C\n");
  EXPECT_TRUE(Confined("stdin").succeeded());
  close(leaked);
}

TEST_F(SandboxTest, LeavesNoProcessBehind) {
  for (const bool namespaces : {true, false}) {
    features_.namespaces = namespaces;
    limits_.wall = std::chrono::milliseconds(300);
    Command command = Attempt("orphan", root_ / "work/orphan");
    command.may_start_processes = true;
    EXPECT_EQ(Confined(command).limit, Limit::kWallClock);
    limits_.wall = std::chrono::seconds(20);
    command = Attempt("detach", root_ / "work/orphan");
    command.may_start_processes = true;
    EXPECT_TRUE(Confined(command).succeeded());
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  EXPECT_FALSE(fs::exists(root_ / "work/orphan"));
  EXPECT_EQ(Free("detach", root_ / "work/orphan"), 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_TRUE(fs::exists(root_ / "work/orphan")) << "without the sandbox the orphan must live";
}

TEST_F(SandboxTest, HoldsOnOlderKernels) {
  const int newest = features_.landlock_abi;
  for (int abi = 1; abi <= newest; ++abi) {
    SCOPED_TRACE(abi);
    for (const bool namespaces : {true, false}) {
      features_ = {.landlock_abi = abi, .namespaces = namespaces};
      const Outcome outcome = Confined("read", "/etc/passwd");
      EXPECT_EQ(outcome.status, kPermissionDenied);
      EXPECT_THAT(outcome.layers, Contains("landlock " + std::to_string(abi)));
      EXPECT_EQ(std::count(outcome.layers.begin(), outcome.layers.end(), "network namespace") != 0, namespaces);
      EXPECT_EQ(Confined("truncate", root_ / "inside/file").status, kPermissionDenied);
      EXPECT_EQ(Confined("truncate-open", root_ / "inside/file").status, kPermissionDenied);
      EXPECT_EQ(Confined("socket", "2").status, kPermissionDenied);
      EXPECT_TRUE(Confined("read", root_ / "inside/file").succeeded());
    }
  }
  EXPECT_EQ(fs::file_size(root_ / "inside/file"), 8U);
}

TEST_F(SandboxTest, RefusesWithoutAFileGuard) {
  const auto outcome = sandbox::Run(Attempt("ok"), limits_, Features{.landlock_abi = 0});
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().code, core::ErrorCode::kRefused);
  EXPECT_THAT(outcome.error().message, HasSubstr("Landlock"));
}

TEST_F(SandboxTest, SaysWhatCannotBeRun) {
  Command command = Attempt("ok");
  command.argv[0] = "relative";
  EXPECT_EQ(sandbox::Run(command, limits_).error().code, core::ErrorCode::kBadInput);
  command.argv[0] = root_ / "inside/none";
  EXPECT_THAT(sandbox::Run(command, limits_).error().message, HasSubstr("inside/none: No such file"));
  command.argv[0] = root_ / "inside/file";
  EXPECT_THAT(sandbox::Run(command, limits_).error().message, HasSubstr("Permission denied"));
  command.argv[0] = "/bin/true";
  command.readable.clear();
  EXPECT_THAT(sandbox::Run(command, limits_).error().message, HasSubstr("Permission denied")) << "executing needs a rule too";
  command = Attempt("ok");
  command.working_directory = root_ / "none";
  EXPECT_THAT(sandbox::Run(command, limits_).error().message, HasSubstr("cannot enter"));
}

TEST_F(SandboxTest, RunsFromSeveralThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::array<std::string, 4> texts;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    threads.emplace_back([this, i, &texts] {
      for (int round = 0; round < 5; ++round) texts[i] = Confined("descriptors").out.text;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(texts, testing::Each("0 1 2 "));
}

}  // namespace
}  // namespace kernel_audit::sandbox
