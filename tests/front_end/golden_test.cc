// The whole text of traced programs against tests/data/mosaic/. KA_WRITE_GOLDEN=1 writes the files anew: read the difference before you keep it.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "front_end/kernels.h"
#include "front_end/module_text.h"

namespace front_end_tests {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::set<std::string> FilesNamedIn(const std::string& text) {
  static const std::string kMark = "loc(\"";
  std::set<std::string> files;
  for (std::size_t at = text.find(kMark); at != std::string::npos; at = text.find(kMark, at + 1)) {
    const std::size_t start = at + kMark.size();
    files.insert(text.substr(start, text.find('"', start) - start));
  }
  return files;
}

// A file is named as seen from the working directory; from the build folder no source is below it.
class InBuildFolder : public testing::Environment {
  void SetUp() override { std::filesystem::current_path(KA_BINARY_DIR); }
};
const auto* const kEnvironment = testing::AddGlobalTestEnvironment(new InBuildFolder);

class Golden : public testing::TestWithParam<Program> {};

TEST_P(Golden, TheTextIsTheFiles) {
  const std::string path = KA_SOURCE_DIR "/tests/data/mosaic/" + GetParam().name + ".txt";
  const std::string text = Readable(ModuleOf(GetParam()));
  for (const std::string& file : FilesNamedIn(text)) EXPECT_FALSE(std::filesystem::exists(KA_SOURCE_DIR "/src/kernel_audit/trace/" + file)) << file;
  if (std::getenv("KA_WRITE_GOLDEN") != nullptr) std::ofstream(path) << text;
  EXPECT_EQ(text, ReadFile(path));
}

INSTANTIATE_TEST_SUITE_P(Programs, Golden, testing::ValuesIn(AllPrograms()), [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace front_end_tests
