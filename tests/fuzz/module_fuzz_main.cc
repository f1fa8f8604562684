// libFuzzer's entry. Preset `fuzz`; `module_fuzz --write-corpus DIR` makes the corpus of golden bodies and ends.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "module_fuzz.h"

namespace {

void WriteCorpus(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const auto& calls = kernel_audit::fuzz::GoldenCalls();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    std::ofstream file(folder / std::to_string(i), std::ios::binary);
    file << static_cast<char>(i) << calls[i].body;
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc == 3 && std::string_view((*argv)[1]) == "--write-corpus") {
    WriteCorpus((*argv)[2]);
    std::exit(0);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kernel_audit::fuzz::TryBody(data, size);
  return 0;
}
