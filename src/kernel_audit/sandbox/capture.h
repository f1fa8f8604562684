// Reads several pipes into bounded texts while a process runs.
#pragma once

#include <cstddef>

#include "kernel_audit/core/error.h"
#include "kernel_audit/sandbox/descriptor.h"
#include "kernel_audit/sandbox/sandbox.h"

namespace kernel_audit::sandbox {

// Both ends close on exec, the reading end does not block, and both lie above the descriptors a program sees. kIo when there is none left.
struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};
core::Result<Pipe> MakePipe();

// Any descriptor, moved above those that a program sees. kIo when there is none left.
core::Result<Descriptor> MoveUp(Descriptor descriptor);

class Capture {
 public:
  Capture(int fd, std::size_t bound, Captured& into) : fd_(fd), bound_(bound), into_(into) {}

  int fd() const { return open_ ? fd_ : -1; }
  bool overflowed() const { return into_.dropped > 0; }
  // Takes what is there now, one buffer at most unless `to_the_end`.
  void Read(bool to_the_end = false);

 private:
  bool ReadOnce();
  void Keep(const char* data, std::size_t size);

  int fd_;
  std::size_t bound_;
  Captured& into_;
  bool open_ = true;
};

}  // namespace kernel_audit::sandbox
