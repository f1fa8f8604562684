// The slow judge: from what a run wrote down, the whole happens-before graph, closed by brute force, and from it every racing pair, leak
// and deadlock. It shares no code with the simulator's DMA engine and follows the rules of docs/races.md word by word.
#pragma once

#include <string>
#include <vector>

#include "kernel_audit/sim/event.h"

namespace kernel_audit::testing {

struct OracleAccess {
  int core = 0;
  int dma = 0;  // 0: the core itself
  bool write = false;
  core::SourceLocation location;
  std::string region;  // "[0:8, 128:256]"
  std::int64_t program = 0;
};

// Two accesses that nothing orders. `later` comes later in the log: it belongs to the later core, or started later.
struct OracleRace {
  std::string buffer;
  OracleAccess later, earlier;
};

struct OracleLeak {
  bool is_semaphore = false;  // or a DMA
  std::string buffer;         // the semaphores', or the DMA's target
  core::SourceLocation location;  // of the last signal or start on the semaphore, or of the DMA's start
};

struct OracleDeadlock {
  std::string buffer;
  core::SourceLocation location;
};

struct OracleVerdict {
  std::vector<OracleRace> races;
  std::vector<OracleLeak> leaks;
  std::vector<OracleDeadlock> deadlocks;
  std::vector<std::string> contradictions;  // what the log says happened and the rules say can't have
};

OracleVerdict Judge(const sim::EventLog& log);

}  // namespace kernel_audit::testing
