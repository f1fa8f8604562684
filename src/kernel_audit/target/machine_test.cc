#include "kernel_audit/target/machine.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernel_audit::target {
namespace {

namespace fs = std::filesystem;

TEST(TpuChips, AreToldByVendorAndDevice) {
  const fs::path folder = fs::temp_directory_path() / ("ka_pci_" + std::to_string(getpid()));
  const auto add = [&](const std::string& name, const char* vendor, const char* device) {
    fs::create_directories(folder / name);
    std::ofstream(folder / name / "vendor") << vendor << "\n";
    std::ofstream(folder / name / "device") << device << "\n";
  };
  add("0000:00:05.0", "0x1ae0", "0x0063");
  add("0000:00:04.0", "0x1ae0", "0x006f");
  add("0000:00:06.0", "0x1ae0", "0x0042");  // the vendor's network card
  add("0000:00:07.0", "0x8086", "0x0063");
  fs::create_directories(folder / "0000:00:08.0");
  EXPECT_THAT(TpuChips(folder), ::testing::ElementsAre("0000:00:04.0 (v6e)", "0000:00:05.0 (v5e)"));
  fs::remove_all(folder);
  EXPECT_THAT(TpuChips(folder), ::testing::IsEmpty());
}

TEST(PrepareForLibtpu, LeavesWhatIsSetAndMachinesThatHaveChips) {
  for (const char* name : {"TPU_SKIP_MDS_QUERY", "TPU_WORKER_HOSTNAMES"}) unsetenv(name);
  setenv("TPU_ACCELERATOR_TYPE", "v6e-8", 1);
  PrepareForLibtpu(true);
  EXPECT_EQ(std::getenv("TPU_SKIP_MDS_QUERY"), nullptr);
  EXPECT_EQ(std::getenv("TPU_WORKER_HOSTNAMES"), nullptr);
  PrepareForLibtpu(false);
  EXPECT_STREQ(std::getenv("TPU_SKIP_MDS_QUERY"), "1");
  EXPECT_STREQ(std::getenv("TPU_ACCELERATOR_TYPE"), "v6e-8");
}

}  // namespace
}  // namespace kernel_audit::target
