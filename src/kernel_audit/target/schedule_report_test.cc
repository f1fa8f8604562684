#include "kernel_audit/target/schedule_report.h"

#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>

namespace kernel_audit::target {
namespace {

namespace fs = std::filesystem;

class ScheduleReport : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "kernel-audit-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  void Write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }

  fs::path folder_;
};

std::string Analysis(const std::string& instruction, int bundles, int empty, const std::string& target = "tpu_custom_call") {
  return "Schedule analysis:\n\ttotal scheduled bundles:    " + std::to_string(bundles) + "\n\tempty scheduled bundles:    " + std::to_string(empty) +
         "\n\t  55.00 scheduled bundles (100.00%): %" + instruction + " = f32[8,128] custom-call(%a), custom_call_target=\"" + target +
         "\", metadata={source_file=\"my.cpp\" source_line=12 source_end_line=12}\n";
}

TEST_F(ScheduleReport, KernelsInTheirOrderWithTheirUnits) {
  Write("20-name.2-69-schedule-analysis_final_bundles.txt", Analysis("name.2", 7, 0));
  Write("10-name.1-69-schedule-analysis_final_bundles.txt", Analysis("name.1", 57, 2));
  Write("10-name.1-68-final_hlo-static-per-bundle-utilization.txt", "== CAPACITY:\nMXU, VLOAD:FILL, SALU\n 4 3 2\n== UTILIZATION:\n0 1 2\n1 0 2\n");
  const std::vector<KernelSchedule> kernels = ReadSchedules(folder_);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].instruction, "name.1");
  EXPECT_EQ(kernels[0].bundles, 57);
  EXPECT_EQ(kernels[0].empty_bundles, 2);
  EXPECT_EQ(kernels[0].location, (core::SourceLocation{"my.cpp", 12}));
  ASSERT_EQ(kernels[0].units.size(), 3u);
  EXPECT_EQ(kernels[0].units[1].unit, "VLOAD:FILL");
  EXPECT_EQ(kernels[0].units[1].used, 1);
  EXPECT_EQ(kernels[0].units[2].used, 4);
  EXPECT_EQ(kernels[0].units[2].capacity, 2);
  EXPECT_EQ(kernels[1].instruction, "name.2");
}

TEST_F(ScheduleReport, OrderIsTheModulesAndNotTheTimeOfCompilation) {
  for (const char* file : {"10-name.10", "30-name.9", "20-name.11"}) Write(file + std::string("-69-schedule-analysis_final_bundles.txt"), Analysis(file + 3, 7, 0));
  std::vector<std::string> order;
  for (const KernelSchedule& kernel : ReadSchedules(folder_)) order.push_back(kernel.instruction);
  EXPECT_EQ(order, (std::vector<std::string>{"name.9", "name.10", "name.11"}));
}

TEST_F(ScheduleReport, LinesInTheFinalInstructions) {
  Write("10-name.1-69-schedule-analysis_final_bundles.txt", Analysis("name.1", 4, 1));
  Write("10-name.1-70-final_bundles.txt",
        "= control target key start\n\n"
        "     0   :  { %s1_s0 = inlined_call_operand.vmem [shape: bf16[24,384]{1,0}, index: 0] /* operand 0 */  ;;  %s2 = sadd.s32 1, 2 /* loc(\"my.cpp\":9:0) */ }\n"
        "   0x1 LB: > { %v3 = vadd.f32 %v1, %v2 /* copy for cssa :: loc(\"my.cpp\":9:0) :: loc(\"my.cpp\":9:0) */  ;;  %v4 = vld /* loc(\"my.cpp\":9:0) */  ;;  %v5 = vst "
        "/* loc(callsite(\"body\"(\"other.py\":41:35 to :59) at \"my.cpp\":3:0)) */ } /* Start region 7 */\n"
        "   0x2   : > { %s6 = smov 0 /* loc(unknown) */ }\n"
        "   0x3   :  {}\n"
        "   0x4   :  { %s7 = smov /* loc(\"cut");
  const std::vector<KernelSchedule> kernels = ReadSchedules(folder_);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].instructions, 6);
  ASSERT_EQ(kernels[0].lines.size(), 2u);
  EXPECT_EQ(kernels[0].lines[0].place, (core::SourceLocation{"my.cpp", 9}));
  EXPECT_EQ(kernels[0].lines[0].instructions, 3);
  EXPECT_EQ(kernels[0].lines[0].bundles, 2);
  EXPECT_EQ(kernels[0].lines[1].place, (core::SourceLocation{"other.py", 41}));
  EXPECT_EQ(kernels[0].lines[1].instructions, 1);
}

TEST_F(ScheduleReport, WhatIsNoKernelOrDamagedIsLeftOut) {
  Write("1-pad.0-64-schedule-analysis_final_bundles.txt", Analysis("pad.0", 5, 0, "another"));
  Write("2-TLP-70-schedule-analysis_final_bundles.txt", Analysis("name.1", 100, 0));
  Write("3-x-1-schedule-analysis_final_bundles.txt", "");
  Write("-schedule-analysis_final_bundles.txt", Analysis("", 1, 1));
  Write("4-n-1-schedule-analysis_final_bundles.txt", Analysis("n", 5, 0).substr(0, 60));
  EXPECT_TRUE(ReadSchedules(folder_).empty());
  EXPECT_TRUE(ReadSchedules(folder_ / "nowhere").empty());
}

}  // namespace
}  // namespace kernel_audit::target
