// Simulated memory: buffers, views of them, and the shadow that knows which elements hold a value.
#pragma once

#include <array>
#include <optional>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel_audit/ir/op.h"
#include "kernel_audit/sim/ops/structure.h"

namespace kernel_audit::sim {

using core::DType;
using core::Shape;
using ir::MemorySpace;

using ops::kMaxRank;

// The state of an element: written; never written; or, from kFirstOrigin on, computed from an element that was never written
// (the number tells which read, see Machine::origins).
using ElementState = std::uint8_t;
inline constexpr ElementState kValid = 0;
inline constexpr ElementState kUnwritten = 1;
inline constexpr ElementState kFirstOrigin = 2;

// One state an element; no storage while all elements are in the same state.
class Shadow {
 public:
  void Reset(std::size_t elements, ElementState state);
  bool uniform() const { return states_.empty() || uniform_; }
  bool all_valid() const { return uniform() && state_ == kValid; }
  ElementState at(std::size_t element) const { return uniform() ? state_ : states_[element]; }
  // The states as an array, for changing. Afterwards they may differ.
  ElementState* Mixed();
  // All elements are in this state from here on.
  void SetAll(ElementState state);

 private:
  std::size_t elements_ = 0;
  bool uniform_ = true;
  ElementState state_ = kValid;
  std::vector<ElementState> states_;
};

// A signal by a core, where cores signal one another.
struct CoreSignal {
  int core;
  std::int64_t amount;
  std::vector<std::uint32_t> clock;  // what the signaller had done and seen, a number a core
};

// One element of a semaphore reference.
struct Semaphore {
  std::int64_t value = 0;     // now
  std::int64_t arrived = 0;   // all that was signalled or is on its way
  std::int64_t consumed = 0;  // by waits
  std::int64_t unjoined = 0;  // of `arrived`, from DMAs that no wait had joined when the semaphore ended
  const ir::Op* signalled_by = nullptr;  // the last signal or start of a DMA
  std::vector<CoreSignal> signals = {};   // that no wait has ordered
};

struct Buffer;

// The index of a buffer's element, from its position.
Shape ElementIndex(const Buffer& buffer, std::int64_t element);

// The bytes of an undefined element, 8 at most.
std::array<std::byte, 8> UndefinedElement(DType dtype);

// A box of a buffer's elements, possibly with some dimensions dropped. Strides are in elements; dimension i of the view is dimension
// dim[i] of the buffer, unless `reshaped`.
//
// Memory that is seen as a wider element type: an element of the view is `parts` elements of the buffer, `part_stride` apart, the first in its
// low bits. As a narrower one: row r of the view, counted from row `piece_row` of what was bitcast and stride[piece_dim] of its rows apart,
// is bits [r % pieces, r % pieces + 1) * width of the buffer's elements at offset + r / pieces * piece_stride.
struct View {
  Buffer* buffer = nullptr;
  std::int64_t offset = 0;
  std::size_t rank = 0;
  std::array<std::int64_t, kMaxRank> shape{};
  std::array<std::int64_t, kMaxRank> stride{};
  std::array<std::size_t, kMaxRank> dim{};
  std::int64_t parts = 1, part_stride = 0;
  std::int64_t pieces = 1, piece_row = 0, piece_stride = 0;
  std::size_t piece_dim = kMaxRank;  // kMaxRank: all is in row `piece_row`
  bool reshaped = false;

  // Dense and row-major, without a buffer.
  static View Dense(const Shape& shape);
  static View Whole(Buffer& buffer);
  std::int64_t elements() const;
  // The box `sizes` at `starts`, which must lie inside.
  View Sub(const std::int64_t* starts, const std::int64_t* sizes) const;
  // The same, every steps[d]-th element along dimension d.
  View Strided(const std::int64_t* starts, const std::int64_t* sizes, const std::int64_t* steps) const;
  // The same elements, in row-major order, under another shape; nothing where no strides give that.
  std::optional<View> Reshape(const Shape& shape) const;
  // `ratio` elements along the second-last dimension as one.
  View Widen(std::int64_t ratio) const;
  // Every element as `ratio` along the second-last dimension. Not of a view that is bitcast already.
  View Narrow(std::int64_t ratio) const;
  // Elements of the buffer are those of the view.
  bool plain() const { return parts == 1 && pieces == 1; }
  std::size_t element_size() const;
  std::int64_t bytes() const { return elements() * static_cast<std::int64_t>(element_size()); }
  // Without the dimensions (all of extent 1) that are not in `shape`.
  View Squeeze(const Shape& squeezed) const;
  // The buffer's element that an element of the view, counted in row-major order, lies in or begins with.
  std::int64_t ElementAt(std::int64_t index) const;
  // The offset and length of each run of elements that lie side by side, in row-major order.
  template <typename F>
  void ForEachRun(F&& f) const;
  std::byte* at(std::int64_t element) const;
};

struct Buffer {
  std::string name;  // "input 0", "window of output 1", "scratch 0"
  MemorySpace space = MemorySpace::kAny;
  DType dtype = DType::kFloat32;
  Shape shape;
  std::size_t element_size = 0;
  std::size_t elements = 0;
  std::byte* data = nullptr;
  Shadow shadow;
  bool past_edge = false;             // elements without a value are those past the edge of the array that a window shows
  const ir::Op* stored_by = nullptr;  // the last store of elements without a value
  int in_flight = 0;                  // sources and targets of DMAs that were not awaited
  std::vector<Semaphore> semaphores;  // one an element, where the dtype is a semaphore's
  std::vector<std::byte> storage;  // behind `data` when the buffer owns it

  // Where a window's elements are while they need not be in `data`: in the part of the array that it shows.
  enum class Content {
    kOwn,        // in `data`
    kUndefined,  // nowhere: all are undefined, and the array's part is to be written to
    kInArray,
  };
  Content content = Content::kOwn;
  View array_part;        // of the window's shape
  bool may_write = false;  // to array_part

  // A buffer on memory that belongs to somebody else.
  static Buffer On(std::string name, MemorySpace space, const core::Shape& shape, DType dtype, std::byte* data);
  // A buffer with memory of its own. Its content is `FillUndefined`'s.
  static Buffer Own(std::string name, MemorySpace space, const core::Shape& shape, DType dtype);
  // Elements that no program can rely on: NaN for floats, the largest integer, true.
  void FillUndefined();
  // The elements are array_part's from here on, or will be.
  void Show(const View& part, Content what, bool writing);
  // Brings them into `data`, where they stay.
  void Settle();
};

inline std::size_t View::element_size() const { return buffer->element_size * static_cast<std::size_t>(parts) / static_cast<std::size_t>(pieces); }
inline std::byte* View::at(std::int64_t element) const { return buffer->data + static_cast<std::size_t>(element) * buffer->element_size; }

// The same elements of the array that the view's buffer shows a part of; nothing where strides don't tell them.
std::optional<View> InArray(const View& view);
// Where the view's elements are to be read or written now: in `view` itself or, for a window, in its array.
View ToRead(const View& view);
View ToWrite(const View& view);

// A box in the buffer's own coordinates: the smallest that holds the view.
struct Region {
  std::array<std::int64_t, kMaxRank> start{}, size{};
};
Region RegionOf(const View& view);
bool Overlap(const Region& a, const Region& b, std::size_t rank);
// True when both are of one buffer and share an element.
bool Overlap(const View& a, const View& b);
// "[0:8, 128:256]".
std::string RegionText(const View& view);

// Elements of the view to and from a dense row-major block.
void Read(const View& view, std::byte* block);
void Write(const View& view, const std::byte* block);
// Elements of one view to another of the same shape and dtype.
void Copy(const View& to, const View& from);

// The states of the view's elements to a dense block; false (and nothing written) when all are valid.
bool ReadStates(const View& view, ElementState* states);
// States from a dense block; null: all valid.
void WriteStates(const View& view, const ElementState* states);

template <typename F>
void View::ForEachRun(F&& f) const {
  // Trailing dimensions that lie densely form one run.
  std::size_t outer = rank;
  std::int64_t run = 1;
  while (outer > 0 && (stride[outer - 1] == run || shape[outer - 1] == 1)) run *= shape[--outer];
  std::array<std::int64_t, kMaxRank> index{};
  std::int64_t at = offset;
  for (;;) {
    f(at, run);
    std::size_t d = outer;
    while (d > 0) {
      --d;
      at += stride[d];
      if (++index[d] < shape[d]) break;
      at -= stride[d] * shape[d];
      index[d] = 0;
      if (d == 0) return;
    }
    if (outer == 0) return;
  }
}

}  // namespace kernel_audit::sim
