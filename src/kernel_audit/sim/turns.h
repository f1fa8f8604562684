// Cores that signal one another, each in a thread, one of them running at a time. A core gives its turn away where it waits for a regular
// semaphore and gets it back when all others wait too (or have ended) and its semaphore holds enough, so that what could have arrived by
// then has arrived wherever it does not itself depend on this wait.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <random>
#include <vector>

#include "kernel_audit/sim/dma.h"

namespace kernel_audit::sim {

class Turns {
 public:
  Turns(int cores, Schedule schedule) : schedule_(schedule), random_(schedule.seed), seats_(static_cast<std::size_t>(cores)) {}

  // Waits for the core's first turn.
  void Begin(int core);
  // Gives the turn away. True: `ready` holds and it is this core's turn again. False: no core can go on; it is this core's turn to say so.
  // `ready` is called in other threads, while all cores wait.
  bool Park(int core, std::function<bool()> ready);
  // The core has ended.
  void End(int core);

 private:
  enum class State { kNew, kParked, kRunning, kEnded };
  struct Seat {
    State state = State::kNew;
    std::function<bool()> ready;
    bool blocked = false;
  };

  Seat& seat(int core) { return seats_[static_cast<std::size_t>(core)]; }
  void Choose();
  void GiveTurn(std::size_t seat, bool blocked);

  std::mutex mutex_;
  std::condition_variable changed_;
  Schedule schedule_;
  std::mt19937_64 random_;
  std::vector<Seat> seats_;
  std::size_t last_ = 0;
  bool begun_ = false;
};

}  // namespace kernel_audit::sim
