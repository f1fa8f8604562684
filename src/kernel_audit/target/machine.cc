#include "kernel_audit/target/machine.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "kernel_audit/target/libtpu.h"

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
  const fs::path fetched = FetchedLibtpu(kDefaultLibtpu);
  std::error_code ignored;
  return fs::is_regular_file(fetched, ignored) ? fetched : fs::path();
}

void PrepareForLibtpu(bool has_chips) {
  if (has_chips) return;
  for (const std::string& entry : LibtpuEnvironment()) {
    const std::size_t equals = entry.find('=');
    setenv(entry.substr(0, equals).c_str(), entry.c_str() + equals + 1, 0);
  }
}

}  // namespace kernel_audit::target
