#include "kernel_audit/worker/candidate.h"

#include <chrono>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_audit/sandbox/landlock.h"
#include "kernel_audit/worker/trace_candidate.h"

namespace kernel_audit::worker {
namespace {

namespace fs = std::filesystem;
using core::DType;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using Kind = TraceReply::Kind;

constexpr const char* kHead = "#include <kernel_audit/pallas.h>\nnamespace pl = kernel_audit::pallas;\n";
constexpr const char* kAxpy = R"(pl::Array blocked_axpy(pl::Array x, pl::Array y, pl::Block block, pl::Mode mode) {
  pl::require(x.shape() == y.shape(), "x and y differ in shape");
  pl::Array xp = pl::pad_to(x, block), yp = pl::pad_to(y, block);
  pl::BlockSpec tile(block, [](pl::Index i, pl::Index j) { return pl::indices(i, j); });
  auto kernel = [](pl::Ref x, pl::Ref y, pl::Ref z) { z.store(2.0f * x.load() + y.load()); };
  pl::Array z = pl::pallas_call(kernel, {.name = "blocked_axpy", .grid = pl::ceil_grid(x.shape(), block), .in_specs = {tile, tile},
                                         .out_specs = {tile}, .out_shape = xp.aval(), .mode = mode})(xp, yp);
  return pl::crop(z, x.shape());
}
)";

// A function that runs `body` and then does what an axpy does.
std::string AxpyThat(const std::string& body) {
  return std::string("pl::Array blocked_axpy(pl::Array x, pl::Array y, pl::Block, pl::Mode) {\n") + body + "\n  return x + y;\n}\n";
}

TraceRequest Axpy(core::Shape x = {5, 11}, core::Shape y = {5, 11}) {
  return {Kernel::kAxpy, Mode::kInterpret, {2, 4}, {{DType::kFloat32, std::move(x)}, {DType::kFloat32, std::move(y)}}};
}

class CandidateTest : public testing::Test {
 protected:
  void SetUp() override {
    if (sandbox::LandlockAbi() == 0) GTEST_SKIP() << "no Landlock in this kernel";
    auto folder = PrivateFolder::Make();
    ASSERT_TRUE(folder.has_value());
    folder_.emplace(std::move(*folder));
    auto found = FindToolchain();
    ASSERT_TRUE(found.has_value()) << found.error().message;
    toolchain_ = *found;
    toolchain_.trace_limits.wall = std::chrono::seconds(5);
  }

  fs::path Write(const std::string& text, const std::string& name = "model.cpp") const {
    std::ofstream(folder_->path() / name) << text;
    return folder_->path() / name;
  }
  core::Result<BuiltCandidate> Build(const std::string& text, const std::string& name = "model.cpp") const {
    return BuildCandidate(Write(kHead + text, name), toolchain_);
  }
  std::string BuildError(const std::string& text) const {
    const auto built = Build(text);
    EXPECT_FALSE(built.has_value());
    if (built) return "";
    EXPECT_EQ(built.error().code, core::ErrorCode::kBadInput) << built.error().message;
    return built.error().message;
  }
  core::Result<std::vector<TraceReply>> Trace(const std::string& text, const std::vector<TraceRequest>& requests) const {
    const auto built = Build(text);
    EXPECT_TRUE(built.has_value()) << built.error().message;
    return built ? TraceCandidate(*built, requests) : tl::unexpected(built.error());
  }
  // The one reply to one request.
  TraceReply Reply(const std::string& text, const TraceRequest& request = Axpy()) const {
    const auto replies = Trace(text, {request});
    EXPECT_TRUE(replies.has_value()) << replies.error().message;
    return replies && replies->size() == 1 ? (*replies)[0] : TraceReply{Kind::kEnded, "", "none"};
  }
  core::Error Failure(const std::string& text) const {
    const auto replies = Trace(text, {Axpy()});
    EXPECT_FALSE(replies.has_value());
    return replies ? core::Error{} : replies.error();
  }

  std::optional<PrivateFolder> folder_;
  Toolchain toolchain_;
};

TEST_F(CandidateTest, GivesAModuleWithTheCandidatesOwnLines) {
  const auto replies = Trace(kAxpy, {Axpy(), Axpy({8, 8}, {8, 8})});
  ASSERT_TRUE(replies.has_value()) << replies.error().message;
  ASSERT_EQ(replies->size(), 2U);
  for (const TraceReply& reply : *replies) {
    EXPECT_EQ(reply.kind, Kind::kModule) << reply.text;
    EXPECT_THAT(reply.text, AllOf(HasSubstr("tpu_custom_call"), testing::Not(HasSubstr(folder_->path().string()))));
  }
}

TEST_F(CandidateTest, RefusalsErrorsAndMissingFunctionsAreToldApart) {
  const TraceReply refusal = Reply(kAxpy, Axpy({5, 11}, {5, 12}));
  EXPECT_EQ(refusal.kind, Kind::kRefusal);
  EXPECT_EQ(refusal.error_class, "kernel_audit::pallas::TraceError");
  EXPECT_THAT(refusal.text, AllOf(StartsWith("model.cpp:4: "), HasSubstr("x and y differ in shape")));
  const TraceReply invalid = Reply("#include <stdexcept>\n" + AxpyThat("throw std::invalid_argument(\"no\");"));
  EXPECT_EQ(invalid.kind, Kind::kRefusal);
  EXPECT_EQ(invalid.error_class, "std::invalid_argument");
  const TraceReply error = Reply("#include <stdexcept>\n" + AxpyThat("throw std::out_of_range(\"far\");"));
  EXPECT_EQ(error.kind, Kind::kError);
  EXPECT_EQ(error.error_class, "std::out_of_range");
  EXPECT_EQ(error.text, "far");
  EXPECT_EQ(Reply(AxpyThat("throw 1;")).error_class, "unknown");
  const TraceReply missing = Reply("int unused;\n");
  EXPECT_EQ(missing.kind, Kind::kMissing);
  EXPECT_EQ(missing.text,
            "model.cpp does not define pl::Array blocked_axpy(pl::Array x, pl::Array y, pl::Block block, pl::Mode mode)");
}

TEST_F(CandidateTest, ModeAndPipelineArrive) {
  TraceRequest request{Kernel::kPipeline, Mode::kInvalid, {8, 128}, {{DType::kFloat32, {1, 1}}, {DType::kFloat32, {1, 1}, true}}, 3, true};
  const TraceReply reply = Reply(
      "#include <string>\n"
      "pl::Array pipelined_axpy(pl::Array x, pl::Array y, pl::Block block, pl::Pipeline pipeline, pl::Mode mode) {\n"
      "  throw pl::TraceError(std::to_string(pipeline.buffers) + std::to_string(pipeline.synchronous) + std::to_string(block[1]) +\n"
      "    std::to_string(mode != pl::Mode::interpret && mode != pl::Mode::tpu) +\n"
      "    std::to_string(x.placement() == pl::Placement::tpu) + std::to_string(y.placement() == pl::Placement::tpu), {});\n}\n",
      request);
  EXPECT_EQ(reply.text, "31128101");
}

TEST_F(CandidateTest, CompileErrorsNameTheCandidatesLine) {
  EXPECT_THAT(BuildError("int a = nothing;\nint b = nothing;\nint c = nothing;\nint d = nothing;\n"),
              AllOf(StartsWith("model.cpp does not compile:\nmodel.cpp:3:9: error: "), HasSubstr("model.cpp:5:9"), HasSubstr("and 1 more")));
  EXPECT_THAT(BuildError("void elsewhere();\nvoid f() { elsewhere(); }\n"), HasSubstr("undefined reference to `elsewhere()'"));
  EXPECT_THAT(BuildError("int main() {}\n"), HasSubstr("multiple definition of `main'"));
}

TEST_F(CandidateTest, TheCompilerReadsNoOtherFile) {
  EXPECT_THAT(BuildError("#include \"/etc/passwd\"\n"), HasSubstr("Permission denied"));
  EXPECT_THAT(BuildError("#include \"" KA_SOURCE_DIR "/src/kernel_audit/worker/worker_main.cc\"\n"), HasSubstr("Permission denied"));
  EXPECT_THAT(BuildError("#include \"../../../../.." KA_SOURCE_DIR "/CMakeLists.txt\"\n"), HasSubstr("model.cpp:3:10: fatal error"));
  EXPECT_THAT(BuildError("asm(\".incbin \\\"/etc/passwd\\\"\");\n"), HasSubstr("/etc/passwd"));
  toolchain_.readable.push_back("/etc");
  EXPECT_THAT(BuildError("#include \"/etc/passwd\"\n"), testing::Not(HasSubstr("Permission denied"))) << "readable once allowed";
}

TEST_F(CandidateTest, ACompilationEnds) {
  toolchain_.compile_limits.cpu_seconds = 1;
  EXPECT_THAT(BuildError("template <int A, int B> struct T { static constexpr int v = T<A - 1, B>::v ^ T<A - 1, B + 1>::v; };\n"
                         "template <int B> struct T<0, B> { static constexpr int v = 1; };\nint x = T<800, 0>::v;\n"),
              testing::StrEq("model.cpp: the compiler used up its 1 s of processor time"));
}

TEST_F(CandidateTest, CrashesAreToldWithTheirRequest) {
  const std::string text = "#include <csignal>\n" + AxpyThat("  if (x.shape()[0] == 3) raise(SIGSEGV);");
  const auto replies = Trace(text, {Axpy(), Axpy({3, 3}, {3, 3}), Axpy()});
  ASSERT_TRUE(replies.has_value()) << replies.error().message;
  ASSERT_EQ(replies->size(), 3U);
  EXPECT_EQ((*replies)[0].kind, Kind::kModule) << (*replies)[0].text;
  EXPECT_EQ((*replies)[1].kind, Kind::kEnded);
  EXPECT_EQ((*replies)[1].text,
            "model.cpp crashed with SIGSEGV while tracing request 2 (axpy interpret block 2x4 float32 3x3 float32 3x3)");
  EXPECT_EQ((*replies)[2].kind, Kind::kModule) << "what comes after a crash is traced";
}

TEST_F(CandidateTest, HangsEnd) {
  toolchain_.trace_limits.wall = std::chrono::milliseconds(500);
  const auto replies = Trace("#include <unistd.h>\n" + AxpyThat("  for (;;) sleep(1);"), {Axpy(), Axpy()});
  ASSERT_TRUE(replies.has_value()) << replies.error().message;
  EXPECT_THAT((*replies)[0].text, StartsWith("model.cpp ran longer than its 0.5 s while tracing request 1 (axpy"));
  EXPECT_THAT((*replies)[1].text, StartsWith("not traced: request 1"));
}

TEST_F(CandidateTest, MemoryEnds) {
  const TraceReply reply = Reply("#include <vector>\n" + AxpyThat("  std::vector<std::vector<int>> v;\n"
                                                                    "  for (;;) v.emplace_back(1 << 20);"));
  EXPECT_EQ(reply.kind, Kind::kError);
  EXPECT_EQ(reply.error_class, "std::bad_alloc");
  EXPECT_EQ(reply.text, "ran out of its 1024 MiB of memory");
}

TEST_F(CandidateTest, LeavingEarlyIsNoSuccess) {
  EXPECT_THAT(Reply("#include <cstdlib>\n" + AxpyThat("  std::puts(\"PASS\"); std::exit(0);")).text,
              StartsWith("model.cpp ended its process (exited with status 0) while tracing request 1"));
  const core::Error early = Failure(
      "#include <cstdio>\n#include <cstdlib>\nstruct S { S() { std::puts(\"PASS\"); std::exit(0); } } s;\n");
  EXPECT_EQ(early.code, core::ErrorCode::kFailed);
  EXPECT_EQ(early.message, "model.cpp ended its process (exited with status 0) before its first kernel was traced");
  EXPECT_THAT(Failure("struct S { S() { __builtin_trap(); } } s;\n").message, HasSubstr("crashed with SIG"));
}

TEST_F(CandidateTest, ForgedRecordsAreData) {
  const std::string write = "#include <unistd.h>\n";
  EXPECT_THAT(Failure(write + AxpyThat("  (void)!::write(3, \"PASS this is not a record at all\", 32);")).message,
              HasSubstr("bytes of its own"));
  EXPECT_THAT(Failure(write + "struct S { S() { (void)!::write(3, \"KAR1\\1\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\", 20); } } s;\n").message,
              HasSubstr("bytes of its own"))
      << "an answer before its request";
}

TEST_F(CandidateTest, AttacksMeetTheSandbox) {
  const TraceReply reply = Reply(
      "#include <fcntl.h>\n#include <sys/socket.h>\n#include <sys/wait.h>\n#include <unistd.h>\n#include <string>\n" +
      AxpyThat("  std::string got;\n"
               "  if (open(\"/etc/passwd\", O_RDONLY) >= 0) got += \"read \";\n"
               "  if (open(\"" KA_SOURCE_DIR "/CMakeLists.txt\", O_RDONLY) >= 0) got += \"repository \";\n"
               "  if (open(\"/tmp/kernel-audit-planted\", O_WRONLY | O_CREAT, 0600) >= 0) got += \"write \";\n"
               "  if (open(\"model.cpp\", O_WRONLY) >= 0) got += \"source \";\n"
               "  if (socket(AF_INET, SOCK_STREAM, 0) >= 0) got += \"socket \";\n"
               "  const int child = fork();\n"
               "  if (child == 0) _exit(0);\n"
               "  if (child > 0) got += \"fork \";\n"
               "  execl(\"/usr/bin/true\", \"true\", nullptr);\n"
               "  pl::require(false, \"got: \" + got);\n"));
  EXPECT_THAT(reply.text, testing::EndsWith("got: "));
}

TEST_F(CandidateTest, RefusesWhatIsNoSource) {
  EXPECT_EQ(BuildCandidate(folder_->path() / "none.cpp", toolchain_).error().code, core::ErrorCode::kBadInput);
  EXPECT_EQ(BuildCandidate(folder_->path(), toolchain_).error().code, core::ErrorCode::kBadInput);
  EXPECT_THAT(BuildCandidate("/dev/zero", toolchain_).error().message, HasSubstr("is not a file"));
  EXPECT_THAT(BuildCandidate(Write("", "-o.cpp"), toolchain_).error().message, HasSubstr("plain file name"));
  EXPECT_THAT(BuildCandidate(Write(std::string((4 << 20) + 1, ' ')), toolchain_).error().message, HasSubstr("larger than 4 MiB"));
}

TEST_F(CandidateTest, RemovesItsFolder) {
  fs::path path;
  {
    const auto built = Build(kAxpy);
    ASSERT_TRUE(built.has_value()) << built.error().message;
    path = built->folder.path();
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(CandidateTest, IsBuiltAndTracedInTime) {
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(Trace(kAxpy, {Axpy()}).has_value());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  RecordProperty("seconds", std::to_string(took.count()));
  EXPECT_LT(took.count(), 20) << "far beyond what a busy machine takes";
}

}  // namespace
}  // namespace kernel_audit::worker
