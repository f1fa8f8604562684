// What happened in a run, in the order that each core did it: for tests' brute-force oracle and for timelines. Off unless asked for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel_audit/core/source_location.h"
#include "kernel_audit/sim/memory.h"

namespace kernel_audit::sim {

struct EventPart {
  int buffer = -1;     // numbered as they come; names in EventLog::buffers
  Region region;       // in the buffer
  std::size_t rank = 0;
};

struct Event {
  enum class Kind {
    kRead,      // the core reads `first`, or a window's copy does (`window`)
    kWrite,     // the core writes `first`
    kDmaStart,  // `dma` will read `first`, write `second`, then add `amount` bytes to `semaphore`
    kSignal,    // the core adds `amount` to `semaphore`
    kWait,      // the core took `amount` from `semaphore`
    kBlocked,   // the core waits for `amount` on `semaphore` and will never get it; its last event
    kDmaJoined, // the wait before this event is ordered after `dma`
    kScopeEnd,  // the memory of `first.buffer` ends
    kProgram,   // program `program` begins
  };
  Kind kind = Kind::kRead;
  int core = 0;
  EventPart first, second;
  int dma = 0;         // from 1, a core
  int semaphore = -1;  // numbered as they come
  std::int64_t amount = 0;
  std::int64_t program = 0;
  bool window = false;
  core::SourceLocation location;
};

class EventLog {
 public:
  // The numbers that stand for a buffer and for an element of a semaphore reference.
  EventPart PartOf(const View& view);
  int SemaphoreOf(const View& view);

  std::size_t most = SIZE_MAX;  // events; what happens after them is not written down

  std::vector<Event> events;
  std::vector<std::string> buffers;
  std::vector<Shape> shapes;               // of buffers
  std::vector<MemorySpace> spaces;         // of buffers
  std::vector<std::string> semaphores;     // "scratch 2 (1,)"
  std::vector<int> semaphore_buffers;      // the buffer that each is an element of

 private:
  std::vector<const Buffer*> known_;
  std::vector<std::pair<const Buffer*, std::int64_t>> known_semaphores_;
};

}  // namespace kernel_audit::sim
