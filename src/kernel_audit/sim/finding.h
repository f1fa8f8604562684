// What the simulator found wrong with a program. Findings are data: a run that makes one has succeeded.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "kernel_audit/core/shape.h"
#include "kernel_audit/core/source_location.h"

namespace kernel_audit::sim {

using core::Shape;

enum class FindingKind { kRace, kDeadlock, kLeak, kOutOfBounds, kUninitialized, kOwnership, kCapacity };

// "out_of_bounds", as JSON and the terminal spell it.
const char* Name(FindingKind kind);

// The sum as text; the largest number where it is larger. A program may compute any number as an index.
std::string EndText(std::int64_t start, std::int64_t size);
// "[8, 16)" for 8 elements from 8 on.
std::string RangeText(std::int64_t start, std::int64_t size);

// What one agent did to elements of the finding's buffer.
struct FindingAccess {
  std::string agent;  // "core 0", "DMA 3 started at model.cpp:12"
  bool write = false;
  core::SourceLocation location;
  std::string region;  // "[0:8, 0:128]"
  Shape grid_point;
};

struct Finding {
  FindingKind kind = FindingKind::kOutOfBounds;
  std::string message;                  // one line: what happened to which elements of what
  std::string buffer;                   // "input 0", "output 1", "scratch 0"
  core::SourceLocation location;        // where it matters
  core::SourceLocation other_location;  // the other access, or where the value came from; unknown where there is none
  Shape grid_point;               // of the program; empty without a grid
  std::vector<FindingAccess> accesses;  // of a race: two, else the one that went wrong; empty where nothing was read or written
  std::int64_t occurrences = 1;         // how often the same thing happened at the same place
};

// Findings of one run. One entry a kind, buffer and place; of a race, a pair of places, reading and writing told apart. The first occurrence is
// shown with its regions and grid point, later ones (in other programs, on other regions) are counted.
class FindingLog {
 public:
  // The entry's number.
  std::size_t Add(Finding finding);
  // Counts another occurrence of an entry.
  void Repeat(std::size_t entry) { ++findings_[entry].occurrences; }
  const std::vector<Finding>& findings() const { return findings_; }
  bool empty() const { return findings_.empty(); }

 private:
  using Key = std::tuple<FindingKind, std::string, std::string, int, std::string, int, int>;
  std::map<Key, std::size_t> index_;
  std::vector<Finding> findings_;
};

}  // namespace kernel_audit::sim
