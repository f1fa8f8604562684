// Finds chains in decoded code. A chain replaces its first instruction and ends behind its last: no instruction moves.
#include <algorithm>
#include <map>
#include <set>

#include "kernel_audit/sim/chain.h"
#include "kernel_audit/sim/decode.h"

namespace kernel_audit::sim {
namespace {

using Kind = ChainMember::Kind;

// Below this many elements an instruction costs little more than being there.
constexpr std::size_t kFewElements = 512;
// Rows that run together hold about this many elements of the widest vector.
constexpr std::size_t kPieceElements = 2048;
constexpr std::size_t kFewestMembers = 3;
constexpr int kMostInstructions = 256;
constexpr std::size_t kAlignment = 64;

std::size_t LeadingExtents(const Shape& shape) {
  std::int64_t rows = 1;
  for (std::size_t d = 0; d + 1 < shape.size(); ++d) rows *= shape[d];
  return static_cast<std::size_t>(rows);
}

bool IsScalarLike(const Register& info) { return info.elements == 1; }

}  // namespace

// One chain in the making, from an instruction on.
class ChainBuilder {
 public:
  ChainBuilder(Decoder& decoder, const std::set<int>& splats) : decoder_(decoder), splats_(splats) {}

  // The instruction after the chain that begins at `first`; `first` itself where none begins. `limit`: it may go no further.
  int Build(int first, int limit) {
    payload_ = std::make_unique<ChainPayload>();
    if (!ChooseRows(first, limit)) return first;
    int next = first;
    while (next < limit && Take(decoder_.instruction(next))) ++next;
    const auto rows = std::count_if(payload_->members.begin(), payload_->members.end(), [](const ChainMember& m) { return m.kind > Kind::kWhole; });
    if (rows < static_cast<std::ptrdiff_t>(kFewestMembers)) return first;
    Finish(first, next);
    return next;
  }

 private:
  const Register& Info(int reg) const { return decoder_.program_->registers_[static_cast<std::size_t>(reg)]; }

  // The rows of the first vector of some size.
  bool ChooseRows(int first, int limit) {
    for (int at = first; at < limit; ++at) {
      const Instruction& instruction = decoder_.instruction(at);
      int widest = WidestRegister(instruction);
      if (widest < 0 || Info(widest).elements < kFewElements) continue;
      payload_->rows = LeadingExtents(Info(widest).type.shape);
      return payload_->rows > 1;
    }
    return false;
  }

  int WidestRegister(const Instruction& instruction) const {
    int widest = -1;
    const auto look = [&](int reg) {
      if (reg >= 0 && (widest < 0 || Info(reg).elements > Info(widest).elements)) widest = reg;
    };
    look(instruction.target);
    for (int source : instruction.sources) look(source);
    return widest;
  }

  bool HasRows(int reg) const {
    const Register& info = Info(reg);
    const Shape& shape = info.type.shape;
    if (shape.size() == 1) return info.elements == payload_->rows;
    return shape.size() > 1 && LeadingExtents(shape) == payload_->rows && info.elements > 0;
  }

  // How the register was made in this chain; kLoad for what was not.
  bool MadeByRows(int reg) const { return values_.count(reg) != 0 && made_.count(reg) != 0; }
  bool MadeWhole(int reg) const { return whole_.count(reg) != 0; }

  int ValueOf(int reg) {
    const auto [found, fresh] = values_.try_emplace(reg, static_cast<int>(payload_->values.size()));
    if (fresh) {
      ChainValue value;
      value.reg = reg;
      value.width = Info(reg).elements / payload_->rows;
      value.size = Info(reg).element_size;
      if (splats_.count(reg) != 0) value.home = ChainValue::Home::kSame;
      payload_->values.push_back(value);
    }
    return found->second;
  }

  bool Take(const Instruction& instruction) {
    switch (instruction.part) {
      case Part::kNone: return false;
      case Part::kLoad: return TakeAccess(instruction, Kind::kLoad);
      case Part::kStore: return TakeAccess(instruction, Kind::kStore);
      case Part::kBroadcast: return TakeBroadcast(instruction) || TakeWhole(instruction);
      case Part::kReduce: return TakeReduce(instruction) || TakeWhole(instruction);
      case Part::kReshape: return TakeRows(instruction, Kind::kReshape) || TakeWhole(instruction);
      default: return TakeRows(instruction, Kind::kRows) || TakeWhole(instruction);
    }
  }

  ChainMember& Add(Kind kind, const Instruction& instruction) {
    ChainMember& member = payload_->members.emplace_back();
    member.kind = kind;
    member.instruction = instruction;
    return member;
  }

  ChainMember& AddRows(Kind kind, const Instruction& instruction) {
    ChainMember& member = Add(kind, instruction);
    for (int s = 0; s < 3; ++s) {
      if (instruction.sources[s] >= 0) member.sources[s] = ValueOf(instruction.sources[s]);
    }
    if (instruction.target >= 0) {
      member.target = ValueOf(instruction.target);
      made_.insert(instruction.target);
    }
    return member;
  }

  bool AllHaveRows(const Instruction& instruction) const {
    return std::all_of(std::begin(instruction.sources), std::end(instruction.sources), [&](int s) { return s < 0 || HasRows(s); });
  }

  bool TakeRows(const Instruction& instruction, Kind kind) {
    if (!HasRows(instruction.target) || !AllHaveRows(instruction)) return false;
    AddRows(kind, instruction);
    return true;
  }

  bool TakeReduce(const Instruction& instruction) {
    const Shape& from = Info(instruction.sources[0]).type.shape;
    const auto& dims = instruction.op->attributes.dims;
    const bool last = dims.size() == 1 && dims[0] + 1 == static_cast<std::int64_t>(from.size()) && from.size() > 1;
    if (!last || !HasRows(instruction.sources[0]) || Info(instruction.target).elements != payload_->rows) return false;
    AddRows(Kind::kReduce, instruction);
    return true;
  }

  bool TakeBroadcast(const Instruction& instruction) {
    const Register &from = Info(instruction.sources[0]), &to = Info(instruction.target);
    if (!HasRows(instruction.target)) return false;
    const Shape& shape = from.type.shape;
    const std::size_t width = to.elements / payload_->rows;
    const bool row = !shape.empty() && LeadingExtents(shape) == 1 && from.elements == width;
    const bool column = HasRows(instruction.sources[0]) && shape.size() == to.type.shape.size() && shape.back() == 1;
    if (IsScalarLike(from) || row) {
      if (MadeByRows(instruction.sources[0])) return false;
      ChainMember& member = Add(IsScalarLike(from) ? Kind::kRepeatOne : Kind::kRepeatRow, instruction);
      member.target = ValueOf(instruction.target);
      made_.insert(instruction.target);
      return true;
    }
    if (!column) return false;
    AddRows(Kind::kRepeatColumn, instruction);
    return true;
  }

  // Runs as it is, before any row: it must not need one.
  bool TakeWhole(const Instruction& instruction) {
    bool early = IsScalarLike(Info(instruction.target));
    for (int source : instruction.sources) {
      if (source < 0) continue;
      if (MadeByRows(source)) return false;
      early = early && !MadeWhole(source);
    }
    Add(early ? Kind::kEarly : Kind::kWhole, instruction);
    if (!early) whole_.insert(instruction.target);
    return true;
  }

  bool TakeAccess(const Instruction& instruction, Kind kind) {
    const auto& access = static_cast<const AccessPayload&>(*instruction.payload);
    for (int start : access.starts) {
      if (MadeByRows(start) || MadeWhole(start)) return false;
    }
    if (IsScalarLike(Info(access.value)) || access.steps[Info(access.value).type.shape.size() - 1] != 1) return false;
    if (!HasRows(access.value)) {
      if (kind == Kind::kStore || stores_) return false;
      Add(Kind::kWhole, instruction);
      whole_.insert(access.value);
      return true;
    }
    ChainMember& member = Add(kind, instruction);
    member.access = payload_->accesses++;
    (kind == Kind::kLoad ? member.target : member.sources[0]) = ValueOf(access.value);
    if (kind == Kind::kLoad) made_.insert(access.value);
    stores_ = stores_ || kind == Kind::kStore;
    return true;
  }

  // Nobody outside the chain reads the register.
  bool IsInner(int reg, int first, int end) const {
    const auto& life = decoder_.lifetimes_[static_cast<std::size_t>(reg)];
    return made_.count(reg) != 0 && life.first >= first && life.last < end;
  }

  void Finish(int first, int end) {
    std::size_t widest = 1;
    for (ChainValue& value : payload_->values) {
      widest = std::max(widest, value.width);
      if (IsInner(value.reg, first, end)) value.home = ChainValue::Home::kPiece;
    }
    payload_->piece_rows = std::clamp<std::size_t>(kPieceElements / widest, 1, payload_->rows);
    payload_->end = end;
    KeepRegisters(first, end);
    PlacePieces();
    FindDirectStores();
    Replace(first);
  }

  // Instructions of a chain run at the same time: what lives in registers then must not share memory.
  void KeepRegisters(int first, int end) {
    std::set<int> targets, used;
    for (const ChainMember& member : payload_->members) {
      const Instruction& instruction = member.instruction;
      used.insert(std::begin(instruction.sources), std::end(instruction.sources));
      if (instruction.target >= 0) targets.insert(instruction.target);
      if (instruction.part != Part::kLoad && instruction.part != Part::kStore) continue;
      const auto& access = static_cast<const AccessPayload&>(*instruction.payload);
      used.insert(access.starts.begin(), access.starts.end());
      used.insert(access.value);
    }
    used.erase(-1);
    for (int reg : used) {
      if (targets.count(reg) == 0) payload_->outside.push_back(reg);
    }
    for (const ChainMember& member : payload_->members) {
      if (member.kind == Kind::kEarly) payload_->outside.push_back(member.instruction.target);
    }
    used.insert(targets.begin(), targets.end());
    for (int reg : used) {
      if (IsInner(reg, first, end)) continue;
      auto& life = decoder_.lifetimes_[static_cast<std::size_t>(reg)];
      life.first = std::min(life.first, first);
      life.last = std::max(life.last, end - 1);
    }
  }

  // Pieces share memory where one is done before the next is made, so that few caches' worth are in use.
  void PlacePieces() {
    const auto count = payload_->values.size();
    std::vector<int> last(count, -1), root(count);
    for (std::size_t v = 0; v < count; ++v) root[v] = static_cast<int>(v);
    for (std::size_t m = 0; m < payload_->members.size(); ++m) {
      const ChainMember& member = payload_->members[m];
      if (member.kind == Kind::kReshape && payload_->values[static_cast<std::size_t>(member.target)].home == ChainValue::Home::kPiece) {
        root[static_cast<std::size_t>(member.target)] = root[static_cast<std::size_t>(member.sources[0])];
      }
      for (int value : {member.sources[0], member.sources[1], member.sources[2], member.target}) {
        if (value >= 0) last[static_cast<std::size_t>(root[static_cast<std::size_t>(value)])] = static_cast<int>(m);
      }
    }
    std::multimap<std::size_t, std::size_t> free;  // bytes, offset
    for (std::size_t m = 0; m < payload_->members.size(); ++m) {
      const ChainMember& member = payload_->members[m];
      const int target = member.target;
      if (target >= 0 && root[static_cast<std::size_t>(target)] == target) PlacePiece(payload_->values[static_cast<std::size_t>(target)], free);
      for (std::size_t v = 0; v < count; ++v) {
        const ChainValue& value = payload_->values[v];
        // What is made once for all rows stays.
        if (last[v] == static_cast<int>(m) && value.home == ChainValue::Home::kPiece && !MadeOnce(static_cast<int>(v))) free.emplace(PieceBytes(value), value.offset);
      }
    }
  }

  bool MadeOnce(int value) const {
    return std::any_of(payload_->members.begin(), payload_->members.end(), [&](const ChainMember& member) {
      return member.target == value && (member.kind == Kind::kRepeatOne || member.kind == Kind::kRepeatRow);
    });
  }

  std::size_t PieceBytes(const ChainValue& value) const {
    return (payload_->piece_rows * value.width * value.size + kAlignment - 1) / kAlignment * kAlignment;
  }

  void PlacePiece(ChainValue& value, std::multimap<std::size_t, std::size_t>& free) {
    if (value.home != ChainValue::Home::kPiece) return;
    const std::size_t bytes = PieceBytes(value);
    const auto fits = free.find(bytes);
    if (fits != free.end() && !MadeOnce(static_cast<int>(&value - payload_->values.data()))) {
      value.offset = fits->second;
      free.erase(fits);
      return;
    }
    value.offset = payload_->memory;
    payload_->memory += bytes;
  }

  // What is made only to be stored can be made where it is stored.
  void FindDirectStores() {
    std::vector<int> uses(payload_->values.size(), 0);
    for (const ChainMember& member : payload_->members) {
      for (int source : member.sources) {
        if (source >= 0) ++uses[static_cast<std::size_t>(source)];
      }
    }
    for (const ChainMember& store : payload_->members) {
      if (store.kind != Kind::kStore) continue;
      const auto value = static_cast<std::size_t>(store.sources[0]);
      if (uses[value] != 1 || payload_->values[value].home != ChainValue::Home::kPiece) continue;
      for (ChainMember& maker : payload_->members) {
        const bool computes = maker.kind == Kind::kRows || maker.kind == Kind::kReduce || maker.kind == Kind::kRepeatColumn;
        if (maker.target == store.sources[0] && computes) maker.stored_by = store.access;
      }
    }
  }

  void Replace(int first) {
    Instruction& instruction = decoder_.instruction(first);
    Instruction chain;
    chain.op = instruction.op;
    chain.run = RunChain;
    std::size_t work = 0;
    for (const ChainMember& member : payload_->members) work += member.instruction.elements + kInstructionWork;
    chain.elements = work - kInstructionWork;
    chain.payload = &decoder_.Keep(std::move(payload_));
    instruction = chain;
  }

  Decoder& decoder_;
  const std::set<int>& splats_;
  std::unique_ptr<ChainPayload> payload_;
  std::map<int, int> values_;  // register, value
  std::set<int> made_, whole_;  // registers that members make: by rows, as they are
  bool stores_ = false;
};

void Decoder::FormChains() {
  std::set<int> splats, starts;
  for (const auto& [reg, constant] : program_->constants_) {
    if (constant.splat) splats.insert(reg);
  }
  starts.insert(program_->body_.entry);
  for (const Function& map : program_->index_maps_) starts.insert(map.entry);
  for (const Instruction& each : program_->code_) starts.insert(each.jump);
  const int end = next_instruction();
  for (int at = 0; at < end;) {
    const auto boundary = starts.upper_bound(at);
    const int limit = std::min({end, at + kMostInstructions, boundary == starts.end() ? end : *boundary});
    const int next = ChainBuilder(*this, splats).Build(at, limit);
    at = std::max(next, at + 1);
  }
}

}  // namespace kernel_audit::sim
