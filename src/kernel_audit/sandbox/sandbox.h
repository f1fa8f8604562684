// Runs an untrusted program in confinement and tells how it ended.
//
// Guards that must hold, or nothing is run: Landlock for files (Linux 5.13 or newer), a seccomp filter for system calls, resource limits,
// no new privileges, no capabilities. Guards that are taken where the kernel gives them: user, process, network and IPC namespaces.
// The existence of a file outside can be seen (stat); its contents and a folder's list cannot.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kernel_audit/core/error.h"

namespace kernel_audit::sandbox {

struct Command {
  std::vector<std::string> argv;                // argv[0]: absolute path of the program
  std::vector<std::string> environment;         // "NAME=value"; the program sees these and no others
  std::filesystem::path working_directory;      // empty: "/"
  std::vector<std::filesystem::path> readable;  // files and folders to read and execute below; one that does not exist grants nothing
  std::filesystem::path writable;               // a folder to create, write, read and remove files below; empty: none
  bool may_start_processes = false;             // false: one process (threads are allowed), which cannot execute another program
  bool has_result = false;                      // true: descriptor 3 is a pipe that ends in Outcome::result
};

struct Limits {
  std::chrono::milliseconds wall{10'000};           // from the start to the end of the whole process tree
  std::uint64_t cpu_seconds = 10;                   // a process
  std::uint64_t memory_bytes = 2ULL << 30;          // address space, a process
  std::uint64_t file_bytes = 64ULL << 20;           // a file
  std::uint64_t open_files = 256;                   // a process
  std::uint64_t processes = 256;                    // threads and processes; holds for ordinary users in a user namespace
  std::size_t text_bytes = 256 << 10;               // kept of standard output and of standard error each; the rest is counted
  std::size_t result_bytes = std::size_t{64} << 20;  // of descriptor 3; more ends the program
};

// What this kernel offers.
struct Features {
  int landlock_abi = 0;     // 0: none
  bool namespaces = true;   // false: don't try
};
Features ProbeFeatures();

enum class Ending { kExited, kSignalled };

enum class Limit { kNone, kWallClock, kCpuTime, kMemory, kFileSize, kResultSize };

struct Captured {
  std::string text;
  std::uint64_t dropped = 0;  // bytes beyond the bound
};

struct Outcome {
  Ending ending = Ending::kExited;
  int status = 0;              // the exit status or the signal's number, as `ending` says
  Limit limit = Limit::kNone;  // the limit that ended it; kMemory is told from the last words on standard error or from a kill not ours
  Captured out;
  Captured err;
  Captured result;
  std::vector<std::string> layers;      // the guards that held: "landlock 5", "seccomp", "process namespace"...
  std::uint64_t peak_memory_bytes = 0;  // resident; the caller's own size counts until the program starts, so an upper bound
  double wall_seconds = 0;              // for limits only, never a measurement

  bool succeeded() const { return ending == Ending::kExited && status == 0 && limit == Limit::kNone; }
};

// What became of the program, to follow a subject: "crashed with SIGSEGV", "exited with status 3", "ran longer than its 2 s".
std::string Describe(const Outcome& outcome, const Limits& limits);

// Runs the command to its end. kRefused: a guard that must hold does not. kBadInput: the program or its folder cannot be used. kIo: the
// system has no process or descriptor left. How the program itself ended is an Outcome, never an Error. Safe to call from several threads.
core::Result<Outcome> Run(const Command& command, const Limits& limits, const Features& features = ProbeFeatures());

}  // namespace kernel_audit::sandbox
