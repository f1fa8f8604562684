// Every file in tests/candidates is wrong or hostile. Each is checked as `kernel-audit check` would, and must be refused for its own fault, in the
// words below, with as many lines passing as below and not one more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "kernel_audit/check/checker.h"
#include "kernel_audit/sandbox/landlock.h"
#include "kernel_audit/worker/candidate.h"

namespace kernel_audit::check {
namespace {

namespace fs = std::filesystem;
using core::ErrorCode;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t kSeed = 20;
const core::Shape kShape = {5, 11};
const std::string kAxpy = "blocked_axpy float32(5, 11) float32(5, 11), block (2, 4)";
const std::string kAxpyLow = "blocked_axpy bfloat16(5, 11) bfloat16(5, 11), block (2, 4)";
const std::string kFused = "fused_bias_relu float32(5, 11) float32(11,), block (2, 4)";
const std::string kFusedLow = "fused_bias_relu bfloat16(5, 11) bfloat16(11,), block (2, 4)";
const std::string kPipeline = "pipelined_axpy float32(17, 257) float32(17, 257), block (8, 128), 2 input slots";
const std::string kThreeSlots = "pipelined_axpy float32(17, 257) float32(17, 257), block (8, 128), 3 input slots";
const std::string kSynchronous = "pipelined_axpy float32(17, 257) float32(17, 257), block (8, 128), synchronous copies, 2 input slots";
const std::string kRepeat = "the same request gives the same module";

// A candidate that comes as far as a report.
struct Judged {
  std::string name;  // of the file; "fused_..." is held against stage 2, "pipeline_..." against stage 3, the others against stage 1
  int passing;       // lines of the report: of 17 in stage 1, of 25 in stage 2, of 38 in stage 3
  std::string line;  // a line that fails
  std::string words; // part of its text
};

void PrintTo(const Judged& judged, std::ostream* out) { *out << judged.name; }

// A candidate that is refused as a whole.
struct Refused {
  std::string name;
  ErrorCode code;
  std::string words;
};

void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.name; }

std::string Read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

const std::vector<Judged>& AllJudged() {
  static const std::vector<Judged> all = {
    {"floor_grid", 13, kAxpy, "ran 4 programs where the ceiling grid has 9: 23 logical elements are missed"},
    {"swapped_index_map", 15, kAxpy, "element (0, 4) is "},
    {"element_offsets", 15, kAxpy, "out_of_bounds at element_offsets.cpp:16: the index map of input 0 gives block (0, 4), elements [16, 20) of dimension 1, whose extent is 12"},
    {"missing_crop", 13, kAxpy, "returned float32(6, 12) instead of float32(5, 11)"},
    {"no_padding", 13, kAxpy, "the kernel's output is (5, 11); padded to whole blocks it is (6, 12)"},
    {"early_rounding", 13, kAxpyLow, "element (0, 0) is 1 (0x3f80), the oracle has 1.0078125 (0x3f81); its owner is program (0, 0)"},
    {"double_rounding", 15, kAxpyLow, "element (4, 10) is 1 (0x3f80), the oracle has 1.0078125 (0x3f81); its owner is program (2, 2)"},
    {"axpy_in_bfloat16", 15, kAxpyLow, "axpy_in_bfloat16.cpp:17: arith.mulf computes in bfloat16; the arithmetic must be in float32, with one cast at the end"},
    {"reads_past_edge", 13, kAxpy, "out_of_bounds at reads_past_edge.cpp:21: vector.load touches elements [5, 7) of dimension 0 of the window of input 0, whose extent is 6, first in program (2, 0)"},
    {"uninitialised_scratch", 13, kAxpy, "uninitialized at uninitialised_scratch.cpp:19: 8 of the 8 elements that vector.load reads from scratch 0 were never written"},
    {"gaps", 13, kAxpy, "ownership at gaps.cpp:21: 36 of 72 elements of output 0 were never written, the first is (1, 0)"},
    {"visits_again", 13, kAxpy, "ownership at visits_again.cpp:20: block (0, 0) of output 0 is visited again after other blocks were"},
    {"constant_output", 13, kAxpy, "constant_output.cpp:18: the kernel never loads input 0; it must load both inputs and do the arithmetic itself"},
    {"copies_input", 13, kAxpy, "copies_input.cpp:18: the kernel never loads input 1; it must load both inputs"},
    {"loads_and_copies", 13, kAxpy, "the kernel neither adds nor multiplies, it only copies"},
    {"host_arithmetic", 13, kAxpy, "host_arithmetic.cpp:15: stablehlo.broadcast_in_dim outside the kernel"},
    {"no_kernel", 13, kAxpy, "outside the kernel: there only padding, reshaping and cropping are allowed"},
    {"two_kernels", 13, kAxpy, "the module has 2 kernels, one is asked for"},
    {"ignores_block", 15, kAxpy, "the kernel's output block is (8, 128), (2, 4) was asked for"},
    {"wrong_dtype", 15, kAxpyLow, "returned float32(5, 11) instead of bfloat16(5, 11)"},
    {"broadcasts", 15, "refuses to broadcast rows", "accepted blocked_axpy float32(5, 11) float32(1, 11), block (2, 4); it must throw std::invalid_argument or use pl::require"},
    {"coerces", 16, "refuses two dtypes (coercion)", "accepted blocked_axpy float32(5, 11) bfloat16(5, 11), block (2, 4)"},
    {"refuses_everything", 12, kAxpy, "refused a valid request: refuses_everything.cpp:7: [require] not today"},
    {"refuses_silently", 14, "refuses to broadcast columns", "the refusal has no message"},
    {"missing_function", 0, kAxpy, "missing_function.cpp does not define pl::Array blocked_axpy(pl::Array x, pl::Array y, pl::Block block, pl::Mode mode)"},
    {"fast_clock", 16, kRepeat, "two calls in one process gave two modules"},
    {"random_process", 16, kRepeat, "two processes gave two modules"},
    {"stateful_name", 16, kRepeat, "two calls in one process gave two modules"},
    {"stateful_values", 13, kAxpyLow, "element (0, 0) is 1 (0x3f80), the oracle has 1.0078125 (0x3f81)"},
    {"scratch_100_gib", 13, kAxpy, "scratch_100_gib.cpp:20: the kernel's values, windows and scratch take 107374"},
    {"scratch_256_mib", 13, kAxpy, "capacity at scratch_256_mib.cpp:20: the kernel needs at least 268441600 bytes of VMEM, a core of v5e has 134217728: it was not run"},
    {"huge_grid", 13, kAxpy, "huge_grid.cpp:20: a grid of (32768, 32768) moves 26843545600 elements of windows, the limit is 67108864"},
    {"huge_array", 13, kAxpy, "huge_array.cpp:15: an array of 262149x262155xf32 outside the kernel has more than the"},
    {"endless_kernel", 13, kAxpy, "endless_kernel.cpp:19: the kernel was stopped: it does more work than the limit allows (67108864 elements)"},
    {"deep_regions", 13, kAxpy, "operations are nested more than 128 deep"},
    {"long_name", 13, kAxpy, "bytes, at most 4194304 are read"},
    {"throws_int", 0, kAxpy, "threw something that is not a std::exception"},
    {"null_pointer", 0, kAxpy, "null_pointer.cpp crashed with SIGSEGV while tracing request 1 (axpy interpret block 2x4 float32 5x11 float32 5x11)"},
    {"deep_recursion", 0, kAxpy, "deep_recursion.cpp crashed with SIGSEGV while tracing request 1"},
    {"endless_trace", 0, kAxpy, "endless_trace.cpp ran longer than its " KA_TRACE_SECONDS " s while tracing request 1"},
    {"sleeps", 0, kAxpyLow, "not traced: request 1 (axpy interpret block 2x4 float32 5x11 float32 5x11) used up the time"},
    {"slow_crashes", 0, kAxpy, "slow_crashes.cpp crashed with SIGABRT while tracing request 1"},
    {"allocates", 0, kAxpy, "threw std::bad_alloc: ran out of its 1024 MiB of memory"},
    {"prints_without_end", 0, kAxpy, "prints_without_end.cpp ran longer than its " KA_TRACE_SECONDS " s while tracing request 1"},
    {"prints_pass", 13, kAxpy, "element (0, 0) is 1.00390625 (0x3f808000), the oracle has 1.0078125 (0x3f810000)"},
    {"exits_while_tracing", 0, kAxpy, "exits_while_tracing.cpp ended its process (exited with status 0) while tracing request 1"},
    {"forged_message", 12, kAxpy, "refused a valid request: \\x0d\\x1b[2Jno\\x0aPASS kernel-audit stage 1: 37 of 37 checks passed\\x0a\\xff"},
    {"long_message", 1, kAxpy, "refused a valid request: xxxxxxxx"},
    {"forks", 0, kAxpy, "threw std::runtime_error: refused: Function not implemented"},
    {"execs", 0, kAxpy, "threw std::runtime_error: refused: Function not implemented"},
    {"opens_socket", 0, kAxpy, "threw std::runtime_error: refused: Operation not permitted"},
    {"reads_passwd", 0, kAxpy, "threw std::runtime_error: refused: Permission denied"},
    {"reads_oracle", 0, kAxpy, "threw std::runtime_error: refused: Permission denied"},
    {"lists_root", 0, kAxpy, "threw std::runtime_error: refused: Permission denied"},
    {"writes_outside", 0, kAxpy, "threw std::runtime_error: refused: Permission denied"},
    {"writes_own_source", 0, kAxpy, "threw std::runtime_error: refused: Permission denied"},
    {"kills_parent", 0, kAxpy, "threw std::runtime_error: refused: Operation not permitted"},
    {"traces_parent", 0, kAxpy, "threw std::runtime_error: refused: Operation not permitted"},
    {"garbage_module", 1, kAxpy, "it has no function @main"},
    {"empty_module", 0, kAxpy, "module, line 1: it has no function @main"},
    {"module_of_nothing", 1, kAxpy, "module, line 1: it holds a zero byte"},
    {"garbage_body", 1, kAxpy, "kernel 'kernel', line 1: an operation is not in MLIR's generic form"},
    {"endless_host_loop", 1, kAxpy, "line 4 of the module is nothing that the front end writes: a module must come from pl:: calls alone"},
    {"hidden_host_loop", 1, kAxpy, "line 3 of the module is nothing that the front end writes"},
    {"foreign_call", 1, kAxpy, "line 3 of the module is nothing that the front end writes"},
    {"deep_module", 1, kAxpy, "module, line 2: a bracket is never closed"},
    {"huge_module", 0, kAxpy, "huge_module.cpp wrote more than its 64 MiB of results while tracing request 1"},
    {"large_module", 1, kAxpy, "the module has 5242903 bytes, at most 4194304 are read"},
    {"fused_bias_by_row", 21, kFused, "its owner is program (0, 1)"},
    {"fused_bias_along_rows", 17, "fused_bias_relu float32(2, 3) float32(3,), block (8, 128)", "element (0, 1) is 1 (0x3f800000), the oracle has 0 (0x00000000)"},
    {"fused_loses_nan", 19, kFused, "element (4, 10) is 0 (0x00000000), the oracle has nan (0x7fc00000)"},
    {"fused_without_relu", 17, kFused, "the oracle has 0 (0x00000000)"},
    {"fused_in_bfloat16", 20, kFusedLow, "arith.addf computes in bfloat16"},
    {"fused_relu_first", 17, "fused_bias_relu float32(2, 3) float32(3,), block (8, 128)", "element (0, 0) is 1 (0x3f800000), the oracle has 0 (0x00000000)"},
    {"fused_falls_back", 22, "refuses mode tpu with inputs that are not on a TPU", "accepted fused_bias_relu float32(16, 256) float32(256,), block (8, 128), mode tpu"},
    {"pipeline_windows", 19, kPipeline, "pipeline_windows.cpp:23: input 0 is cut into blocks of (8, 128) by the pallas_call; in a pipeline the outer call holds whole arrays in HBM"},
    {"pipeline_in_vmem", 19, kPipeline, "pipeline_in_vmem.cpp:24: input 0 lies in vmem; in a pipeline the outer call holds whole arrays in HBM"},
    {"pipeline_reads_before_wait", 19, kPipeline, "race at pipeline_reads_before_wait.cpp:16: core 0 reads [0:8, 0:128] of the scoped memory 1 at pipeline_reads_before_wait.cpp:28 while DMA 2 started at pipeline_reads_before_wait.cpp:32 writes [0:8, 0:128] of it and was not awaited"},
    {"pipeline_too_few_slots", 19, kPipeline, "race at pipeline_too_few_slots.cpp:16: core 0 reads [0:8, 0:128] of the scoped memory 1 at pipeline_too_few_slots.cpp:28 while DMA 2 started at pipeline_too_few_slots.cpp:32 writes [0:8, 0:128] of it and was not awaited"},
    {"pipeline_one_output_slot", 19, kPipeline, "the kernel's buffers in VMEM take 20480 bytes, (2 x 2 + 2) slots of float32(8, 128) take 24576 bytes"},
    {"pipeline_ignores_buffers", 31, kThreeSlots, "the kernel's buffers in VMEM take 24576 bytes, (2 x 3 + 2) slots of float32(8, 128) take 32768 bytes"},
    {"pipeline_ignores_synchronous", 31, kSynchronous, "copies are on their way during 9 steps of work, synchronous copies were asked for"},
    {"pipeline_always_synchronous", 25, kPipeline, "no copy is ever on its way while the kernel works: its copies are synchronous"},
    {"pipeline_any_slots", 36, "refuses 0 input slots", "accepted pipelined_axpy float32(5, 11) float32(5, 11), block (2, 4), 0 input slots; it must throw std::invalid_argument or use pl::require"},
    {"fused_any_mode", 22, "refuses a mode that is neither interpret nor tpu", "accepted fused_bias_relu float32(16, 256) float32(256,), block (8, 128)"},
  };
  return all;
}

const std::vector<Refused>& AllRefused() {
  static const std::vector<Refused> all = {
    {"does_not_compile", ErrorCode::kBadInput, "does_not_compile.cpp:8:3: error: expected ',' or ';' before 'return'"},
    {"includes_passwd", ErrorCode::kBadInput, "includes_passwd.cpp:6:10: fatal error: /etc/passwd: Permission denied"},
    {"includes_oracle", ErrorCode::kBadInput, "includes_oracle.cpp:6:10: fatal error: kernel_audit/check/oracle.h: No such file or directory"},
    {"includes_oracle_source", ErrorCode::kBadInput, "check/oracle.cc: Permission denied"},
    {"embeds_passwd", ErrorCode::kBadInput, "file not found: /etc/passwd"},
    {"defines_main", ErrorCode::kBadInput, "multiple definition of `main'"},
    {"exits_in_constructor", ErrorCode::kFailed, "ended its process (exited with status 0) before its first kernel was traced"},
    {"forged_bytes", ErrorCode::kFailed, "wrote bytes of its own on the worker's descriptor 3"},
    {"forged_before_main", ErrorCode::kFailed, "wrote bytes of its own on the worker's descriptor 3"},
  };
  return all;
}

int StageOf(const std::string& name) { return name.starts_with("fused_") ? 2 : name.starts_with("pipeline_") ? 3 : 1; }

class Candidates {
 public:
  static fs::path Folder() { return fs::path(KA_SOURCE_DIR) / "tests" / "candidates"; }

  // The file with the place of this checkout filled in.
  static core::Result<CheckReport> Check(const std::string& name) {
    auto folder = worker::PrivateFolder::Make();
    if (!folder) return tl::unexpected(folder.error());
    std::string text = Read(Folder() / (name + ".cpp"));
    const std::string mark = "@SOURCE_DIR@";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark)) text.replace(at, mark.size(), KA_SOURCE_DIR);
    const fs::path file = folder->path() / (name + ".cpp");
    std::ofstream(file) << text;
    CheckOptions options;
    options.candidate = file;
    options.name = name + ".cpp";
    options.stages = {StageOf(name)};
    options.seed = kSeed;
    options.only_shape = options.stages[0] == 3 ? core::Shape{17, 257} : kShape;
    options.trace_time = std::chrono::seconds(std::stoi(KA_TRACE_SECONDS));
    return check::Check(options);
  }
};

template <typename T>
std::string NameOf(const testing::TestParamInfo<T>& info) { return info.param.name; }

// Whatever a candidate says, it stays on its line and tells nothing of this machine.
void ExpectTidy(const std::string& text) {
  EXPECT_LE(text.size(), 1400U);
  EXPECT_TRUE(std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; })) << text;
  EXPECT_THAT(text, Not(HasSubstr(fs::temp_directory_path().string())));
}

class JudgedTest : public testing::TestWithParam<Judged> {};

TEST_P(JudgedTest, IsRefusedForItsFault) {
  if (sandbox::LandlockAbi() == 0) GTEST_SKIP() << "no Landlock in this kernel";
  const Judged& expected = GetParam();
  const auto report = Candidates::Check(expected.name);
  ASSERT_TRUE(report.has_value()) << report.error().ToString();
  EXPECT_FALSE(report->passed());
  ASSERT_EQ(report->stages.size(), 1U);
  int passing = 0;
  bool found = false;
  std::string all;
  for (const CheckLine& line : report->stages[0].lines) {
    passing += line.passed ? 1 : 0;
    all += (line.passed ? "ok   " : "FAIL ") + line.name + ": " + line.detail + "\n";
    ExpectTidy(line.detail);
    found = found || (!line.passed && line.name == expected.line && line.detail.find(expected.words) != std::string::npos);
  }
  EXPECT_TRUE(found) << "no line '" << expected.line << "' fails with '" << expected.words << "' in\n" << all;
  EXPECT_EQ(passing, expected.passing) << all;
}

INSTANTIATE_TEST_SUITE_P(Candidates, JudgedTest, testing::ValuesIn(AllJudged()), NameOf<Judged>);

class RefusedTest : public testing::TestWithParam<Refused> {};

TEST_P(RefusedTest, IsRefusedAsAWhole) {
  if (sandbox::LandlockAbi() == 0) GTEST_SKIP() << "no Landlock in this kernel";
  const Refused& expected = GetParam();
  const auto report = Candidates::Check(expected.name);
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code, expected.code);
  EXPECT_THAT(report.error().message, AllOf(HasSubstr(expected.words), HasSubstr(expected.name + ".cpp")));
}

INSTANTIATE_TEST_SUITE_P(Candidates, RefusedTest, testing::ValuesIn(AllRefused()), NameOf<Refused>);

TEST(CandidatesTest, EachFileIsExpectedAndSaysWhatIsWrong) {
  std::set<std::string> expected, there;
  for (const Judged& judged : AllJudged()) expected.insert(judged.name);
  for (const Refused& refused : AllRefused()) expected.insert(refused.name);
  for (const auto& entry : fs::directory_iterator(Candidates::Folder())) {
    if (entry.path().extension() != ".cpp") continue;
    there.insert(entry.path().stem().string());
    const std::string text = Read(entry.path()), first = text.substr(0, text.find('\n'));
    EXPECT_TRUE(first.starts_with("// ") && first.ends_with(".") && first.size() > 15) << entry.path() << ": " << first;
  }
  EXPECT_EQ(expected, there);
}

TEST(CandidatesTest, NothingWasPlanted) {
  EXPECT_FALSE(fs::exists(fs::temp_directory_path() / "kernel-audit-planted"));
}

}  // namespace
}  // namespace kernel_audit::check
