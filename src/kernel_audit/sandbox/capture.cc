#include "kernel_audit/sandbox/capture.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace kernel_audit::sandbox {
namespace {

constexpr int kLowestDescriptor = 16;
constexpr std::size_t kBuffer = 64 << 10;

}  // namespace

core::Result<Descriptor> MoveUp(Descriptor descriptor) {
  Descriptor moved(fcntl(descriptor.get(), F_DUPFD_CLOEXEC, kLowestDescriptor));
  if (!moved.valid()) return core::Fail(core::ErrorCode::kIo, std::string("no file descriptor left: ") + std::strerror(errno));
  return moved;
}

core::Result<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return core::Fail(core::ErrorCode::kIo, std::string("no pipe: ") + std::strerror(errno));
  Descriptor low_read(ends[0]), low_write(ends[1]);
  auto read_end = MoveUp(std::move(low_read));
  if (!read_end) return tl::unexpected(read_end.error());
  auto write_end = MoveUp(std::move(low_write));
  if (!write_end) return tl::unexpected(write_end.error());
  fcntl(read_end->get(), F_SETFL, O_NONBLOCK);
  return Pipe{std::move(*read_end), std::move(*write_end)};
}

void Capture::Keep(const char* data, std::size_t size) {
  const std::size_t kept = std::min(size, bound_ - std::min(bound_, into_.text.size()));
  into_.text.append(data, kept);
  into_.dropped += size - kept;
}

bool Capture::ReadOnce() {
  std::array<char, kBuffer> buffer;
  const ssize_t size = read(fd_, buffer.data(), buffer.size());
  if (size > 0) Keep(buffer.data(), static_cast<std::size_t>(size));
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) open_ = false;
  return size > 0;
}

void Capture::Read(bool to_the_end) {
  // A pipe holds a bounded number of bytes once its writers are gone; the bound here is for the case that they are not.
  constexpr int kMostReads = 64;
  for (int i = 0; open_ && ReadOnce() && to_the_end && i < kMostReads; ++i) {
  }
}

}  // namespace kernel_audit::sandbox
