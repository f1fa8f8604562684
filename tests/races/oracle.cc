#include "races/oracle.h"

#include <algorithm>
#include <map>
#include <utility>

namespace kernel_audit::testing {
namespace {

using sim::Event;
using sim::EventPart;
using Kind = Event::Kind;

// Nodes, edges, and after Close the transitive closure as a bit matrix.
class Graph {
 public:
  int AddNode() {
    next_.emplace_back();
    return static_cast<int>(next_.size()) - 1;
  }
  void AddEdge(int from, int to) { next_[static_cast<std::size_t>(from)].push_back(to); }

  void Close() {
    const std::size_t nodes = next_.size();
    words_ = (nodes + 63) / 64;
    reach_.assign(nodes * words_, 0);
    for (int node : FromLastToFirst()) {
      for (int to : next_[static_cast<std::size_t>(node)]) {
        Row(node)[static_cast<std::size_t>(to) / 64] |= std::uint64_t{1} << (to % 64);
        for (std::size_t w = 0; w < words_; ++w) Row(node)[w] |= Row(to)[w];
      }
    }
  }
  bool Reaches(int from, int to) const {
    return (reach_[static_cast<std::size_t>(from) * words_ + static_cast<std::size_t>(to) / 64] >> (to % 64) & 1) != 0;
  }

 private:
  std::uint64_t* Row(int node) { return &reach_[static_cast<std::size_t>(node) * words_]; }

  std::vector<int> FromLastToFirst() const {
    std::vector<int> incoming(next_.size()), order;
    for (const auto& edges : next_) {
      for (int to : edges) ++incoming[static_cast<std::size_t>(to)];
    }
    for (std::size_t n = 0; n < next_.size(); ++n) {
      if (incoming[n] == 0) order.push_back(static_cast<int>(n));
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (int to : next_[static_cast<std::size_t>(order[i])]) {
        if (--incoming[static_cast<std::size_t>(to)] == 0) order.push_back(to);
      }
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

  std::vector<std::vector<int>> next_;
  std::vector<std::uint64_t> reach_;
  std::size_t words_ = 0;
};

// A buffer or semaphore between two ends of its scope.
using Life = std::pair<int, int>;

struct Access {
  OracleAccess shown;
  int node;
  Life memory;
  EventPart part;
};

struct Signal {
  int node;
  std::int64_t amount;
  int dma;  // index into dmas, or -1
};

struct Wait {
  int node;
  std::int64_t amount;
  bool blocked;
};

struct SemaphoreLife {
  int buffer = -1;
  int core = 0;
  std::vector<Signal> signals;
  std::vector<Wait> waits;
  core::SourceLocation signalled_at;
  int end = -1;  // node; -1: the core's end
};

struct Dma {
  const Event* start;
  int number, core, done;
  Life source, target, semaphore;
};

class Oracle {
 public:
  explicit Oracle(const sim::EventLog& log) : log_(log) {}

  OracleVerdict Run() {
    Build();
    OrderWaits();
    FindRaces();
    FindLeaks();
    CompareJoins();
    return std::move(verdict_);
  }

 private:
  std::string Name(int buffer) const { return log_.buffers[static_cast<std::size_t>(buffer)]; }

  Life Now(int buffer) { return {buffer, lives_[buffer]}; }
  Life SemaphoreNow(int semaphore) { return {semaphore, lives_[log_.semaphore_buffers[static_cast<std::size_t>(semaphore)]]}; }

  SemaphoreLife& SemaphoreOf(const Event& event) {
    SemaphoreLife& life = semaphores_[SemaphoreNow(event.semaphore)];
    life.buffer = log_.semaphore_buffers[static_cast<std::size_t>(event.semaphore)];
    life.core = event.core;
    return life;
  }

  static std::string RegionText(const EventPart& part) {
    std::string text;
    for (std::size_t d = 0; d < part.rank; ++d) {
      text += (d > 0 ? ", " : "") + std::to_string(part.region.start[d]) + ":" + std::to_string(part.region.start[d] + part.region.size[d]);
    }
    return "[" + text + "]";
  }

  void AddAccess(const Event& event, int dma, bool write, const EventPart& part, int node) {
    accesses_.push_back({{event.core, dma, write, event.location, RegionText(part), event.program}, node, Now(part.buffer), part});
  }

  // Program order, and the two phases of each DMA.
  void Build() {
    std::map<int, int> last;  // of each core
    for (const Event& event : log_.events) {
      const int node = graph_.AddNode();
      if (last.count(event.core) > 0) graph_.AddEdge(last[event.core], node);
      last[event.core] = node;
      AddEvent(event, node);
    }
    ends_ = last;
  }

  void AddEvent(const Event& event, int node) {
    switch (event.kind) {
      case Kind::kRead: return AddAccess(event, 0, false, event.first, node);
      case Kind::kWrite: return AddAccess(event, 0, true, event.first, node);
      case Kind::kDmaStart: return AddDma(event, node);
      case Kind::kSignal:
        SemaphoreOf(event).signals.push_back({node, event.amount, -1});
        SemaphoreOf(event).signalled_at = event.location;
        return;
      case Kind::kWait: SemaphoreOf(event).waits.push_back({node, event.amount, false}); return;
      case Kind::kBlocked:
        SemaphoreOf(event).waits.push_back({node, event.amount, true});
        blocked_.push_back(event.core);
        verdict_.deadlocks.push_back({Name(SemaphoreOf(event).buffer), event.location});
        return;
      case Kind::kDmaJoined: joined_[{event.core, event.dma}] = node; return;
      case Kind::kScopeEnd: return EndScope(event, node);
      case Kind::kProgram: return;
    }
  }

  void AddDma(const Event& event, int node) {
    const int read = graph_.AddNode(), write = graph_.AddNode(), done = graph_.AddNode();
    graph_.AddEdge(node, read);
    graph_.AddEdge(read, write);
    graph_.AddEdge(write, done);
    AddAccess(event, event.dma, false, event.first, read);
    AddAccess(event, event.dma, true, event.second, write);
    SemaphoreOf(event).signals.push_back({done, event.amount, static_cast<int>(dmas_.size())});
    SemaphoreOf(event).signalled_at = event.location;
    dmas_.push_back({&event, event.dma, event.core, done, Now(event.first.buffer), Now(event.second.buffer), SemaphoreNow(event.semaphore)});
  }

  void EndScope(const Event& event, int node) {
    const int buffer = event.first.buffer;
    memory_ends_[Now(buffer)] = node;
    for (auto& [life, semaphore] : semaphores_) {
      if (semaphore.buffer == buffer && life.second == lives_[buffer]) semaphore.end = node;
    }
    ++lives_[buffer];
  }

  // A wait that brings the consumption to V comes after a signal exactly when all others that could have arrived by then sum to less
  // than V. What comes after the wait could not have arrived; as edges are added, more does.
  void OrderWaits() {
    std::size_t before = 0;
    do {
      before = edges_.size();
      graph_.Close();
      for (const auto& [_, semaphore] : semaphores_) OrderWaitsOf(semaphore);
    } while (edges_.size() > before);
    for (const auto& [_, semaphore] : semaphores_) CheckWaits(semaphore);
  }

  std::int64_t CouldHaveArrived(const SemaphoreLife& semaphore, int wait) const {
    std::int64_t sum = 0;
    for (const Signal& signal : semaphore.signals) sum += graph_.Reaches(wait, signal.node) ? 0 : signal.amount;
    return sum;
  }

  void OrderWaitsOf(const SemaphoreLife& semaphore) {
    std::int64_t consumed = 0;
    for (const Wait& wait : semaphore.waits) {
      if (wait.blocked) continue;
      consumed += wait.amount;
      const std::int64_t all = CouldHaveArrived(semaphore, wait.node);
      for (const Signal& signal : semaphore.signals) {
        if (graph_.Reaches(wait.node, signal.node) || all - signal.amount >= consumed) continue;
        if (edges_.emplace(std::pair(signal.node, wait.node), true).second) graph_.AddEdge(signal.node, wait.node);
      }
    }
  }

  void CheckWaits(const SemaphoreLife& semaphore) {
    std::int64_t consumed = 0;
    for (const Wait& wait : semaphore.waits) {
      const bool enough = CouldHaveArrived(semaphore, wait.node) >= consumed + wait.amount;
      if (enough == wait.blocked) verdict_.contradictions.push_back(std::string("a wait on ") + Name(semaphore.buffer) + (enough ? " blocked" : " ended"));
      if (!wait.blocked) consumed += wait.amount;
    }
  }

  static bool Share(const EventPart& a, const EventPart& b) {
    for (std::size_t d = 0; d < a.rank; ++d) {
      const std::int64_t first = std::max(a.region.start[d], b.region.start[d]);
      const std::int64_t end = std::min(a.region.start[d] + a.region.size[d], b.region.start[d] + b.region.size[d]);
      if (first >= end) return false;
    }
    return true;
  }

  void FindRaces() {
    for (std::size_t j = 0; j < accesses_.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        const Access &a = accesses_[i], &b = accesses_[j];
        if (a.memory != b.memory || (!a.shown.write && !b.shown.write) || !Share(a.part, b.part)) continue;
        if (graph_.Reaches(a.node, b.node) || graph_.Reaches(b.node, a.node)) continue;
        verdict_.races.push_back({Name(a.memory.first), b.shown, a.shown});
      }
    }
  }

  // A DMA must be joined before any memory or semaphore of its own ends, and before its core does.
  void FindLeaks() {
    for (const Dma& dma : dmas_) {
      const bool late = EndsBeforeJoin(dma, dma.source) || EndsBeforeJoin(dma, dma.target) || !JoinedWithin(dma, semaphores_.at(dma.semaphore));
      if (late) verdict_.leaks.push_back({false, Name(dma.target.first), dma.start->location});
    }
    for (const auto& [_, semaphore] : semaphores_) FindLeftOver(semaphore);
  }

  bool Blocked(int core) const { return std::find(blocked_.begin(), blocked_.end(), core) != blocked_.end(); }

  bool EndsBeforeJoin(const Dma& dma, const Life& memory) const {
    const auto end = memory_ends_.find(memory);
    return end != memory_ends_.end() && !graph_.Reaches(dma.done, end->second);
  }

  // What a deadlock cuts off is not held against anyone.
  bool JoinedWithin(const Dma& dma, const SemaphoreLife& semaphore) const {
    if (semaphore.end < 0 && Blocked(dma.core)) return true;
    return HasWaitAfter(dma, semaphore);
  }

  bool HasWaitAfter(const Dma& dma, const SemaphoreLife& semaphore) const {
    return std::any_of(semaphore.waits.begin(), semaphore.waits.end(), [&](const Wait& wait) { return !wait.blocked && graph_.Reaches(dma.done, wait.node); });
  }

  void FindLeftOver(const SemaphoreLife& semaphore) {
    if (semaphore.end < 0 && Blocked(semaphore.core)) return;
    std::int64_t value = 0, explained = 0;
    for (const Wait& wait : semaphore.waits) value -= wait.amount;
    for (const Signal& signal : semaphore.signals) {
      value += signal.amount;
      if (signal.dma >= 0 && !HasWaitAfter(dmas_[static_cast<std::size_t>(signal.dma)], semaphore)) explained += signal.amount;
    }
    if (value < 0 || value > explained) verdict_.leaks.push_back({true, Name(semaphore.buffer), semaphore.signalled_at});
  }

  // The log's own word on which wait joined which DMA.
  void CompareJoins() {
    for (const Dma& dma : dmas_) {
      const SemaphoreLife& semaphore = semaphores_.at(dma.semaphore);
      int first = -1;
      for (const Wait& wait : semaphore.waits) {
        if (first < 0 && !wait.blocked && edges_.count({dma.done, wait.node}) > 0) first = wait.node;
      }
      const auto joined = joined_.find({dma.core, dma.number});
      const bool same = joined == joined_.end() ? first < 0 : first >= 0 && joined->second > first && graph_.Reaches(first, joined->second);
      if (!same) verdict_.contradictions.push_back("DMA " + std::to_string(dma.number) + " was joined elsewhere");
    }
  }

  const sim::EventLog& log_;
  Graph graph_;
  std::map<int, int> lives_;  // of each buffer: how often its scope ended
  std::map<Life, SemaphoreLife> semaphores_;
  std::map<Life, int> memory_ends_;
  std::vector<Access> accesses_;
  std::vector<Dma> dmas_;
  std::map<std::pair<int, int>, bool> edges_;
  std::map<std::pair<int, int>, int> joined_;
  std::map<int, int> ends_;
  std::vector<int> blocked_;
  OracleVerdict verdict_;
};

}  // namespace

OracleVerdict Judge(const sim::EventLog& log) { return Oracle(log).Run(); }

}  // namespace kernel_audit::testing
