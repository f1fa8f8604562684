// What becomes of a compiler that misbehaves: scripts stand in for the program that loads libtpu.
#include "kernel_audit/target/compile.h"

#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>

#include "kernel_audit/sandbox/landlock.h"

namespace kernel_audit::target {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class CompileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (sandbox::LandlockAbi() == 0) GTEST_SKIP() << "no Landlock in this kernel";
    std::string name = (fs::temp_directory_path() / "kernel-audit-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    setenv("KERNEL_AUDIT_LIBTPU_COMPILER", (folder_ / "compiler").c_str(), 1);
  }
  void TearDown() override {
    unsetenv("KERNEL_AUDIT_LIBTPU_COMPILER");
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  core::Result<CompileOutcome> CompileWith(const std::string& script, std::chrono::milliseconds wall = std::chrono::seconds(60)) {
    std::ofstream(folder_ / "compiler") << "#!/bin/sh\n" << script << "\n";
    fs::permissions(folder_ / "compiler", fs::perms::owner_all);
    return Compile({folder_ / "libtpu.so", "0.0.37", ""}, AllTopologies()[1], "module {}", {wall});
  }
  std::string Failure(const std::string& script, std::chrono::milliseconds wall = std::chrono::seconds(60)) {
    const auto outcome = CompileWith(script, wall);
    return outcome ? "it gave an outcome" : outcome.error().message;
  }

  fs::path folder_;
};

TEST_F(CompileTest, ACrashIsOneLineWithTheLastWords) {
  const std::string failure = Failure("echo first >&2; echo 'F0000 the sky fell' >&2; exec perl -e 'require POSIX; POSIX::abort()'");
  EXPECT_THAT(failure, AllOf(HasSubstr("libtpu (0.0.37), compiling for v5e:2x2, crashed with SIGABRT"), HasSubstr("its last words: F0000 the sky fell")));
  EXPECT_EQ(failure.find('\n'), std::string::npos);
}

TEST_F(CompileTest, AHangEnds) { EXPECT_THAT(Failure("sleep 100", std::chrono::milliseconds(500)), HasSubstr("compiling for v5e:2x2, ran longer than its 0.5 s")); }

TEST_F(CompileTest, NonsenseIsNoOutcome) {
  EXPECT_THAT(Failure("exit 0"), HasSubstr("gave no answer"));
  EXPECT_THAT(Failure("echo '[1]' >&3"), HasSubstr("gave no answer"));
  EXPECT_THAT(Failure("printf '{\"accepted\":' >&3"), HasSubstr("gave no answer"));
  EXPECT_THAT(Failure("printf '{\"accepted\":\"yes\"}' >&3"), HasSubstr("an answer without a verdict"));
  EXPECT_THAT(Failure("printf '{\"failed\":\"no library\"}' >&3"), HasSubstr("no library"));
  EXPECT_THAT(Failure("exit 7"), HasSubstr("exited with status 7"));
}

TEST_F(CompileTest, ARefusalNamesTheUsersLine) {
  const auto outcome = CompileWith(R"sh(printf '%s' '{"accepted":false,"refusal":"INTERNAL: bad op\nat location: loc(\"my_model.cpp\":13:9)"}' >&3)sh");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_FALSE(outcome->accepted);
  EXPECT_EQ(outcome->location, (core::SourceLocation{"my_model.cpp", 13}));
  EXPECT_EQ(outcome->refusal, "INTERNAL: bad op at location: loc(\"my_model.cpp\":13:9)");
  const auto metadata = CompileWith(R"sh(printf '%s' '{"accepted":false,"refusal":"metadata={source_file=\"m.cpp\" source_line=59 x}"}' >&3)sh");
  ASSERT_TRUE(metadata);
  EXPECT_EQ(metadata->location, (core::SourceLocation{"m.cpp", 59}));
}

TEST_F(CompileTest, TheModuleArrivesAsItIsAndTheEnvironmentIsSet) {
  const auto outcome = CompileWith("test \"$2\" = v5e:2x2 && test \"$(cat $3)\" = 'module {}' && test $TPU_SKIP_MDS_QUERY = 1 && test $TPU_WORKER_HOSTNAMES = localhost || exit 9\n"
                                   "printf '{\"accepted\":true,\"code_bytes\":5,\"scoped_vmem_bytes\":[7]}' >&3");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_TRUE(outcome->accepted);
  EXPECT_EQ(outcome->code_bytes, 5);
  EXPECT_EQ(outcome->output_bytes, -1);
  EXPECT_THAT(outcome->scoped_vmem_bytes, ::testing::ElementsAre(7));
  EXPECT_EQ(outcome->topology, "v5e:2x2");
}

TEST_F(CompileTest, TheCompilerHasNoNetwork) {
  EXPECT_THAT(Failure("exec 3>&2; perl -e 'use Socket; socket(S, AF_INET, SOCK_STREAM, 0) or (print STDERR \"no socket: $!\\n\"), exit 5'; exit $?"), AllOf(HasSubstr("status 5"), HasSubstr("no socket")));
}

TEST(Libtpu, IsFoundOrRefusedClearly) {
  const auto failure = [](const std::string& which) { return FindLibtpu(which, false).error().message; };
  EXPECT_THAT(failure("latest"), HasSubstr("'latest' is neither a version of libtpu (0.0.37) nor a path to a library"));
  EXPECT_THAT(failure("/nowhere/libtpu.so"), HasSubstr("/nowhere/libtpu.so: No such file or directory"));
  EXPECT_THAT(failure("0.0.1"), HasSubstr("libtpu 0.0.1 has not been fetched yet"));
}

TEST(Libtpu, WhatAMachineWithATpuHasSetStays) {
  setenv("TPU_ACCELERATOR_TYPE", "v6e-8", 1);
  EXPECT_THAT(LibtpuEnvironment(), ::testing::IsSupersetOf({"TPU_ACCELERATOR_TYPE=v6e-8", "TPU_SKIP_MDS_QUERY=1", "ALLOW_MULTIPLE_LIBTPU_LOAD=true"}));
  unsetenv("TPU_ACCELERATOR_TYPE");
  EXPECT_THAT(LibtpuEnvironment(), ::testing::Contains("TPU_ACCELERATOR_TYPE=v5litepod-4"));
}

}  // namespace
}  // namespace kernel_audit::target
