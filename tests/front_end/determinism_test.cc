// A module's bytes depend on the source alone: not on the compiler, its optimisation, or the run.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "front_end/kernels.h"

namespace front_end_tests {
namespace {

std::string RunOutput(const std::string& command) {
  std::string text;
  std::FILE* pipe = popen(command.c_str(), "r");
  char buffer[4096];
  while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, size);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

bool Has(const std::string& compiler) { return std::system(("command -v " + compiler + " >/dev/null").c_str()) == 0; }

// What the programs print when `compiler` made them. The front end itself is this build's, and so are the sources' names: the paths the
// compiler was given.
std::string Modules(const std::string& compiler, const std::string& optimisation) {
  const std::string folder = KA_BINARY_DIR "/determinism/" + compiler + optimisation;
  std::filesystem::create_directories(folder);
  const std::string tests = KA_SOURCE_DIR "/tests";
  const std::string program = folder + "/print_modules";
  const std::string command = compiler + " -std=c++20 " + optimisation + " -w -I" KA_SOURCE_DIR "/src -I" KA_SOURCE_DIR " -I" +
                              tests + " " + tests + "/front_end/kernels.cc " + tests + "/front_end/print_modules_main.cc " KA_ARCHIVES
                              " -lfmt -lcrypto -o " + program;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return RunOutput(program);
}

std::string ModulesHere() {
  std::string text;
  for (const Program& program : AllPrograms()) text += ModuleOf(program);
  return text;
}

class Determinism : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Determinism, EveryCompilerGivesTheSameBytes) {
  const auto [compiler, optimisation] = GetParam();
  if (KA_IS_SANITIZED) GTEST_SKIP() << "sanitized archives fit the compiler that made them only";
  if (!Has(compiler)) GTEST_SKIP() << compiler << " is not installed";
  EXPECT_TRUE(Modules(compiler, optimisation) == ModulesHere());
}

INSTANTIATE_TEST_SUITE_P(Compilers, Determinism,
                         testing::Values(std::pair("g++", "-O0"), std::pair("g++", "-O2"), std::pair("clang++", "-O0"), std::pair("clang++", "-O2")),
                         [](const auto& info) { return std::string(info.param.first[0] == 'g' ? "gcc" : "clang") + info.param.second[2]; });

TEST(DeterminismOfRuns, FromTraceToTraceNothingChanges) { EXPECT_EQ(ModulesHere(), ModulesHere()); }

}  // namespace
}  // namespace front_end_tests
