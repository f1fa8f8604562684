#include "kernel_audit/sim/turns.h"

#include <algorithm>

namespace kernel_audit::sim {

void Turns::GiveTurn(std::size_t seat, bool blocked) {
  last_ = seat;
  seats_[seat].state = State::kRunning;
  seats_[seat].blocked = blocked;
  changed_.notify_all();
}

// Who has not run yet comes first; then, in turn or at random, who can go on; then who must report that it can't.
void Turns::Choose() {
  for (std::size_t s = 0; s < seats_.size(); ++s) {
    if (seats_[s].state == State::kNew) return GiveTurn(s, false);
  }
  std::vector<std::size_t> ready, waiting;
  for (std::size_t step = 1; step <= seats_.size(); ++step) {
    const std::size_t s = (last_ + step) % seats_.size();
    if (seats_[s].state != State::kParked) continue;
    waiting.push_back(s);
    if (seats_[s].ready()) ready.push_back(s);
  }
  if (ready.empty()) {
    if (!waiting.empty()) GiveTurn(*std::min_element(waiting.begin(), waiting.end()), true);
    return;
  }
  if (schedule_.kind == Schedule::Kind::kLate) return GiveTurn(ready.back(), false);
  GiveTurn(ready[schedule_.kind == Schedule::Kind::kRandom ? random_() % ready.size() : 0], false);
}

void Turns::Begin(int core) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!begun_) {
    begun_ = true;
    Choose();
  }
  changed_.wait(lock, [&] { return seat(core).state == State::kRunning; });
}

bool Turns::Park(int core, std::function<bool()> ready) {
  std::unique_lock<std::mutex> lock(mutex_);
  seat(core).state = State::kParked;
  seat(core).ready = std::move(ready);
  Choose();
  changed_.wait(lock, [&] { return seat(core).state == State::kRunning; });
  return !seat(core).blocked;
}

void Turns::End(int core) {
  const std::lock_guard<std::mutex> lock(mutex_);
  seat(core).state = State::kEnded;
  Choose();
}

}  // namespace kernel_audit::sim
