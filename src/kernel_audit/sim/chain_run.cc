#include "kernel_audit/sim/chain.h"

#include <cstring>
#include <optional>
#include <span>

#include "kernel_audit/sim/ops/reduce.h"

namespace kernel_audit::sim {
namespace {

using Kind = ChainMember::Kind;
using Home = ChainValue::Home;

// Row r of a value, or of memory, is at `at + r * step`; a step of 0 is that of what holds only the rows of now.
struct Place {
  std::byte* at = nullptr;
  std::size_t step = 0;
};

// What a load or a store touches.
struct Touched {
  const ChainMember* member = nullptr;
  const View *part = nullptr, *there = nullptr;  // as the kernel sees it, and where it lies; null: nobody wants to know
  View part_made, there_made;
  Place place;
  bool dense = false;    // rows lie side by side
  bool shared = false;   // a store of this chain touches the same rows
};

// A thread's memory for chains: only one runs at a time.
struct Workspace {
  std::vector<std::byte> memory;
  std::vector<Place> places;
  std::vector<Touched> touched;
  std::vector<ElementState> states;
  Shape shape = Shape(2);

  std::byte* Reserve(std::size_t bytes) {
    constexpr std::size_t kAlignment = 64;
    if (memory.size() < bytes + kAlignment) memory.resize(bytes + kAlignment);
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    return memory.data() + (kAlignment - address % kAlignment) % kAlignment;
  }
};

// Where the first row of a view begins and how far it is to the next; nothing where rows are no runs at equal distances.
std::optional<Place> RowsOf(const View& view, std::size_t rows, std::size_t width) {
  if (!view.plain()) return std::nullopt;
  std::int64_t run = 1, count = 1, step = -1;
  std::size_t d = view.rank;
  while (d > 0 && run < static_cast<std::int64_t>(width)) {
    --d;
    if (view.shape[d] == 1) continue;
    if (view.stride[d] != run) return std::nullopt;
    run *= view.shape[d];
  }
  while (d > 0) {
    --d;
    if (view.shape[d] == 1) continue;
    if (step < 0) step = view.stride[d];
    if (view.stride[d] != step * count) return std::nullopt;
    count *= view.shape[d];
  }
  if (run != static_cast<std::int64_t>(width) || count != static_cast<std::int64_t>(rows)) return std::nullopt;
  return Place{view.at(view.offset), static_cast<std::size_t>(step < 0 ? run : step) * view.buffer->element_size};
}

class ChainRun {
 public:
  ChainRun(Machine& machine, const ChainPayload& chain, Workspace& work) : m_(machine), chain_(chain), work_(work) {}

  // False: it must run one instruction after another.
  bool Prepare() {
    if (m_.dmas().moves_at_any_time()) return false;
    for (const ChainMember& member : chain_.members) {
      if (member.kind == Kind::kEarly) m_.Execute(member.instruction);
    }
    return AllValid() && FindTouched() && FindShared() && ChoosePieces();
  }

  void Run() {
    Note();
    PlaceValues();
    for (const ChainMember& member : chain_.members) RepeatOnce(member);
    for (std::size_t row = 0; row < chain_.rows; row += piece_) RunPiece(row, std::min(piece_, chain_.rows - row));
    Conclude();
  }

  void OneByOne() {
    for (const ChainMember& member : chain_.members) {
      m_.Execute(member.instruction);
      if (m_.stopped()) return;
    }
  }

 private:
  const ChainValue& Value(int index) const { return chain_.values[static_cast<std::size_t>(index)]; }
  Place& PlaceOf(int index) { return work_.places[static_cast<std::size_t>(index)]; }
  Touched& TouchedBy(const ChainMember& member) { return work_.touched[static_cast<std::size_t>(member.access)]; }
  static std::size_t RowBytes(const ChainValue& value) { return value.width * value.size; }
  static int Stored(const ChainMember& member) { return member.kind == Kind::kLoad ? member.target : member.sources[0]; }

  bool AllValid() {
    if (!m_.observe()) return true;
    return std::all_of(chain_.outside.begin(), chain_.outside.end(), [&](int reg) { return m_.states(reg) == nullptr; });
  }

  bool FindTouched() {
    work_.touched.resize(static_cast<std::size_t>(chain_.accesses));
    for (const ChainMember& member : chain_.members) {
      if (member.access >= 0 && !Find(member, TouchedBy(member))) return false;
      if (member.kind == Kind::kWhole && member.instruction.part == Part::kLoad && !WholeIsValid(member)) return false;
    }
    return true;
  }

  // The view that a load or a store means, if it lies inside: the reference's own or `made`.
  const View* Inside(const Instruction& instruction, View& made) {
    const auto& access = static_cast<const AccessPayload&>(*instruction.payload);
    const View& view = m_.reference(access.reference);
    Box box;
    box.steps = access.steps.data();
    bool all = true;
    for (std::size_t d = 0; d < view.rank; ++d) {
      if (m_.observe() && m_.states(access.starts[d]) != nullptr) return nullptr;
      const std::int64_t start = m_.Integer(access.starts[d]), extent = (access.sizes[d] - 1) * access.steps[d] + 1;
      if (start < 0 || start > view.shape[d] - extent) return nullptr;
      all = all && access.sizes[d] == view.shape[d];
      box.start[d] = start;
      box.size[d] = access.sizes[d];
    }
    if (all) return &view;
    made = box.Of(view);
    return &made;
  }

  bool ReadsValid(const View& part) {
    if (!m_.observe() || part.buffer->shadow.all_valid()) return true;
    work_.states.resize(static_cast<std::size_t>(part.elements()));
    return !ReadStates(part, work_.states.data());
  }

  bool WholeIsValid(const ChainMember& member) {
    View made;
    const View* part = Inside(member.instruction, made);
    return part != nullptr && ReadsValid(*part);
  }

  bool Find(const ChainMember& member, Touched& touched) {
    touched.member = &member;
    touched.shared = false;
    touched.part = Inside(member.instruction, touched.part_made);
    if (touched.part == nullptr) return false;
    const bool store = member.kind == Kind::kStore;
    touched.there = nullptr;
    if (member.instruction.unused) return true;
    if (!store && !ReadsValid(*touched.part)) return false;
    if (!Locate(touched, store)) return false;
    const ChainValue& value = Value(Stored(member));
    const auto place = RowsOf(*touched.there, chain_.rows, value.width);
    if (!place) return false;
    touched.place = *place;
    touched.dense = place->step == RowBytes(value);
    return true;
  }

  static bool Locate(Touched& touched, bool store) {
    const View& part = *touched.part;
    const Buffer& buffer = *part.buffer;
    touched.there = &part;
    if (buffer.content == Buffer::Content::kOwn) return true;
    const bool all = static_cast<std::size_t>(part.elements()) == buffer.elements;
    const bool there = store ? buffer.may_write && (all || buffer.content == Buffer::Content::kInArray) : buffer.content == Buffer::Content::kInArray;
    if (!there) return false;
    touched.there = &buffer.array_part;
    if (all && !part.reshaped && part.parts == 1) return true;
    const auto view = InArray(part);
    if (!view) return false;
    touched.there_made = *view;
    touched.there = &touched.there_made;
    return true;
  }

  // A store and another access of the same memory must not meet in different rows.
  bool FindShared() {
    for (Touched& store : work_.touched) {
      if (store.member->kind != Kind::kStore) continue;
      for (Touched& other : work_.touched) {
        if (&other == &store || other.there == nullptr || other.there->buffer != store.there->buffer) continue;
        if (!Overlap(*store.there, *other.there)) continue;
        if (!SameRows(store, other)) return false;
        store.shared = other.shared = true;
      }
      for (const ChainMember& member : chain_.members) {
        if (member.kind != Kind::kWhole || member.instruction.part != Part::kLoad) continue;
        const auto& access = static_cast<const AccessPayload&>(*member.instruction.payload);
        if (m_.reference(access.reference).buffer == store.part->buffer) return false;
      }
    }
    return true;
  }

  bool SameRows(const Touched& a, const Touched& b) const {
    if (a.place.step != b.place.step) return false;
    const std::byte* first = std::min(a.place.at, b.place.at);
    const std::byte* end = std::max(a.place.at + RowBytes(Value(Stored(*a.member))), b.place.at + RowBytes(Value(Stored(*b.member))));
    return static_cast<std::size_t>(end - first) <= a.place.step;
  }

  // Several rows at a time only where they lie side by side everywhere.
  bool ChoosePieces() {
    piece_ = chain_.piece_rows;
    std::size_t widest = 0;
    for (const Touched& touched : work_.touched) {
      if (touched.there == nullptr) continue;
      if (!touched.dense) piece_ = 1;
      widest = std::max(widest, Value(Stored(*touched.member)).width);
    }
    constexpr std::size_t kNarrow = 32;
    return piece_ > 1 || chain_.piece_rows == 1 || widest >= kNarrow;
  }

  // Accesses are noted, and whole instructions run, in the order of the program.
  void Note() {
    for (const ChainMember& member : chain_.members) {
      if (member.kind == Kind::kWhole) m_.Execute(member.instruction);
      if (member.access < 0) continue;
      Touched& touched = TouchedBy(member);
      const bool store = member.kind == Kind::kStore;
      Buffer& buffer = *touched.part->buffer;
      if (store && buffer.content == Buffer::Content::kUndefined) buffer.content = Buffer::Content::kInArray;
      if (m_.observe()) m_.NoteAccess(*touched.part, store, member.instruction.op);
    }
  }

  void PlaceValues() {
    std::byte* memory = work_.Reserve(chain_.memory);
    work_.places.resize(chain_.values.size());
    for (std::size_t v = 0; v < chain_.values.size(); ++v) {
      const ChainValue& value = chain_.values[v];
      work_.places[v] = value.home == Home::kPiece ? Place{memory + value.offset, 0} : Place{m_.data(value.reg), value.home == Home::kSame ? 0 : RowBytes(value)};
    }
    for (const ChainMember& member : chain_.members) {
      const bool inner = member.target >= 0 && Value(member.target).home == Home::kPiece;
      if (member.kind == Kind::kReshape && inner) PlaceOf(member.target) = PlaceOf(member.sources[0]);
      if (member.kind == Kind::kLoad && inner && TouchedBy(member).there != nullptr && !TouchedBy(member).shared) PlaceOf(member.target) = TouchedBy(member).place;
      if (member.stored_by < 0) continue;
      const Touched& store = work_.touched[static_cast<std::size_t>(member.stored_by)];
      if (!store.shared) PlaceOf(member.target) = store.place;
    }
  }

  // Where each row is the same, one piece is made for all of them.
  void RepeatOnce(const ChainMember& member) {
    if (member.kind != Kind::kRepeatOne && member.kind != Kind::kRepeatRow) return;
    const bool inner = Value(member.target).home == Home::kPiece;
    if (member.kind == Kind::kRepeatRow && inner && piece_ == 1) {
      PlaceOf(member.target) = {m_.data(member.instruction.sources[0]), 0};
      return;
    }
    Repeat(member, PlaceOf(member.target).at, inner ? piece_ : chain_.rows);
  }

  void Repeat(const ChainMember& member, std::byte* to, std::size_t rows) {
    const ChainValue& value = Value(member.target);
    const std::byte* from = m_.data(member.instruction.sources[0]);
    if (member.kind == Kind::kRepeatOne) return ops::Fill(to, from, value.size, rows * value.width);
    for (std::size_t r = 0; r < rows; ++r) std::memcpy(to + r * RowBytes(value), from, RowBytes(value));
  }

  std::byte* At(int value, std::size_t row) { return PlaceOf(value).at + row * PlaceOf(value).step; }

  void RunPiece(std::size_t row, std::size_t rows) {
    for (const ChainMember& member : chain_.members) {
      switch (member.kind) {
        case Kind::kRows: RunRows(member, row, rows); break;
        case Kind::kRepeatColumn: RepeatColumn(member, row, rows); break;
        case Kind::kReshape: Move(member, row, rows); break;
        case Kind::kReduce: Reduce(member, row, rows); break;
        case Kind::kLoad:
        case Kind::kStore: Access(member, row, rows); break;
        default: break;
      }
    }
  }

  void RunRows(const ChainMember& member, std::size_t row, std::size_t rows) {
    const Instruction& i = member.instruction;
    const std::size_t n = rows * Value(member.target).width;
    std::byte *to = At(member.target, row), *a = At(member.sources[0], row);
    if (i.part == Part::kUnary) return i.unary(to, a, n);
    std::byte* b = At(member.sources[1], row);
    if (i.part == Part::kBinary) return i.binary(to, a, b, n);
    i.select(to, reinterpret_cast<const std::uint8_t*>(a), b, At(member.sources[2], row), n);
  }

  void RepeatColumn(const ChainMember& member, std::size_t row, std::size_t rows) {
    const ChainValue &to = Value(member.target), &from = Value(member.sources[0]);
    std::byte *target = At(member.target, row), *source = At(member.sources[0], row);
    for (std::size_t r = 0; r < rows; ++r) ops::Fill(target + r * RowBytes(to), source + r * from.size, to.size, to.width);
  }

  // A reshape that is read outside; otherwise the result is where the operand is.
  void Move(const ChainMember& member, std::size_t row, std::size_t rows) {
    if (Value(member.target).home == Home::kPiece) return;
    std::memcpy(At(member.target, row), At(member.sources[0], row), rows * RowBytes(Value(member.target)));
  }

  void Reduce(const ChainMember& member, std::size_t row, std::size_t rows) {
    static constexpr std::int64_t kLast[] = {1};
    const Instruction& i = member.instruction;
    const DType dtype = m_.program().registers()[static_cast<std::size_t>(i.sources[0])].type.dtype;
    work_.shape[0] = static_cast<std::int64_t>(rows);
    work_.shape[1] = static_cast<std::int64_t>(Value(member.sources[0]).width);
    ops::Reduce(i.op->attributes.reduction, dtype, At(member.target, row), At(member.sources[0], row), work_.shape, kLast, At(member.sources[1], row));
  }

  void Access(const ChainMember& member, std::size_t row, std::size_t rows) {
    const Touched& touched = TouchedBy(member);
    if (touched.there == nullptr) return;
    const int value = Stored(member);
    const std::size_t bytes = RowBytes(Value(value));
    std::byte *memory = touched.place.at + row * touched.place.step, *own = At(value, row);
    if (memory == own) return;
    std::byte* to = member.kind == Kind::kLoad ? own : memory;
    const std::byte* from = member.kind == Kind::kLoad ? memory : own;
    std::memcpy(to, from, rows * bytes);  // more than one row only where they lie side by side
  }

  void Conclude() {
    for (const ChainMember& member : chain_.members) {
      if (member.kind > Kind::kWhole && member.target >= 0 && Value(member.target).home != Home::kPiece) m_.SetValid(Value(member.target).reg);
      if (m_.observe() && member.kind == Kind::kStore) WriteStates(*TouchedBy(member).part, nullptr);
    }
  }

  Machine& m_;
  const ChainPayload& chain_;
  Workspace& work_;
  std::size_t piece_ = 1;
};

}  // namespace

void RunChain(Machine& machine, const Instruction& instruction) {
  thread_local Workspace work;
  const auto& chain = static_cast<const ChainPayload&>(*instruction.payload);
  machine.Jump(chain.end);
  ChainRun run(machine, chain, work);
  if (run.Prepare()) {
    run.Run();
  } else {
    run.OneByOne();
  }
}

}  // namespace kernel_audit::sim
