// Where libtpu is, and what it must find in its environment.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernel_audit/core/error.h"

namespace kernel_audit::target {

// The version that JAX 0.9.2 asks for.
inline constexpr const char* kDefaultLibtpu = "0.0.37";

struct Libtpu {
  std::filesystem::path library;
  std::string version;  // "0.0.37"; "a file" where a file was named
  std::string sha256;   // of the library
};

// Where fetched versions lie, each in a folder of its name: KERNEL_AUDIT_LIBTPU_FOLDER, else .deps/libtpu.
std::filesystem::path LibtpuFolder();
std::filesystem::path FetchedLibtpu(const std::string& version);

// `which`: a version, or a library's path (it has a '/'). A version that is not there yet is fetched from PyPI, which is said on standard error,
// unless `may_fetch` is false. kBadInput: no such file, or a version that is not pinned; kIo: it could not be fetched.
core::Result<Libtpu> FindLibtpu(const std::string& which, bool may_fetch = true);

// "NAME=value" for a process that loads it: no question to a metadata server over the network, no lock against other processes. What is set on
// this machine for a TPU that it has stays.
std::vector<std::string> LibtpuEnvironment();

}  // namespace kernel_audit::target
