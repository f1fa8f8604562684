// From one untrusted C++ file to an executable, compiled in the sandbox.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "kernel_audit/core/error.h"
#include "kernel_audit/worker/toolchain.h"

namespace kernel_audit::worker {

// A folder under the system's temporary folder that only this user can enter; removed with its owner.
class PrivateFolder {
 public:
  static core::Result<PrivateFolder> Make();
  PrivateFolder(PrivateFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PrivateFolder& operator=(PrivateFolder&& other) noexcept;
  ~PrivateFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit PrivateFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

// Lives in a private folder: source/FILE (a copy) and build/candidate.
struct BuiltCandidate {
  PrivateFolder folder;
  std::string file_name;            // as given, and as the module's locations spell it: "model.cpp"
  std::string source;               // the bytes that were compiled
  std::vector<std::string> layers;  // the guards under which the compiler ran
  Toolchain toolchain;

  std::filesystem::path source_folder() const { return folder.path() / "source"; }
  std::filesystem::path executable() const { return folder.path() / "build" / "candidate"; }
};

// Copies `source`, compiles the copy and links it with the worker. The compiler sees its system's headers, the kit's and this file, no other
// file of the project or the user. kBadInput: no readable regular file of at most 4 MiB with a plain name, or it does not compile; then the
// message has the compiler's first errors, with the candidate's file and line. kRefused: no sandbox.
core::Result<BuiltCandidate> BuildCandidate(const std::filesystem::path& source, const Toolchain& toolchain);

}  // namespace kernel_audit::worker
