#include "kernel_audit/target/machine.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <utility>

namespace kernel_audit::target {
namespace {

namespace fs = std::filesystem;

std::string FirstWord(const fs::path& file) {
  std::ifstream stream(file);
  std::string word;
  stream >> word;
  return word;
}

}  // namespace

std::vector<std::string> TpuChips(const fs::path& devices) {
  static constexpr std::pair<const char*, const char*> kChips[] = {{"0x0027", "v2 or v3"}, {"0x0056", "unnamed"}, {"0x005e", "v4"}, {"0x0062", "v5p"},
                                                                   {"0x0063", "v5e"},      {"0x006f", "v6e"},     {"0x0076", "7x"}};
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(devices, error), end; !error && entry != end; entry.increment(error)) {
    if (FirstWord(entry->path() / "vendor") != "0x1ae0") continue;
    const std::string device = FirstWord(entry->path() / "device");
    for (const auto& [number, name] : kChips) {
      if (device == number) found.push_back(entry->path().filename().string() + " (" + name + ")");
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

fs::path InstalledLibtpu() {
  if (const char* named = std::getenv("TPU_LIBRARY_PATH"); named != nullptr && *named != '\0') return named;
  const fs::path fetched = KA_DEPS_DIR "/libtpu/0.0.37/libtpu.so";
  std::error_code ignored;
  return fs::is_regular_file(fetched, ignored) ? fetched : fs::path();
}

void PrepareForLibtpu(bool has_chips) {
  if (has_chips) return;
  setenv("TPU_SKIP_MDS_QUERY", "1", 0);
  setenv("TPU_ACCELERATOR_TYPE", "v5litepod-4", 0);
  setenv("TPU_WORKER_HOSTNAMES", "localhost", 0);
  setenv("ALLOW_MULTIPLE_LIBTPU_LOAD", "true", 0);
}

}  // namespace kernel_audit::target
