#include "kernel_audit/sim/bitcast_view.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace kernel_audit::sim {
namespace {

std::int64_t Rows(const View& view) { return view.piece_dim < view.rank ? view.shape[view.piece_dim] : 1; }

std::int64_t RowAt(const View& view, std::int64_t row) { return view.piece_row + (view.piece_dim < view.rank ? row * view.stride[view.piece_dim] : 0); }

// Calls f(elements of a plain part, dense; elements of the view that they make, or are made of) for each.
template <typename F>
void ForEachElement(const View& view, std::int64_t part, F&& f) {
  const std::int64_t rows = view.pieces > 1 ? Rows(view) : 1;
  std::int64_t inner = 1;
  for (std::size_t d = view.piece_dim + 1; d < view.rank; ++d) inner *= view.shape[d];
  const std::int64_t count = view.elements() / rows;
  for (std::int64_t e = 0; e < count; ++e) {
    f(static_cast<std::size_t>(e), static_cast<std::size_t>(rows == 1 ? e : (e / inner * rows + part) * inner + e % inner));
  }
}

// Where the bytes of plain part `part` lie in an element of the view (wider), or those of the view's in an element of the buffer (narrower).
struct Bytes {
  std::size_t in_view, in_buffer, size;
};
Bytes BytesOf(const View& view, std::int64_t part) {
  const std::size_t size = std::min(view.element_size(), view.buffer->element_size);
  if (view.pieces > 1) return {0, static_cast<std::size_t>(RowAt(view, part) % view.pieces) * size, size};
  return {static_cast<std::size_t>(part) * size, 0, size};
}

std::vector<std::byte> Dense(const View& one) {
  std::vector<std::byte> dense(static_cast<std::size_t>(one.bytes()));
  Read(one, dense.data());
  return dense;
}

}  // namespace

View View::Widen(std::int64_t ratio) const {
  View view = *this;
  if (ratio == 1) return view;
  const std::size_t row = rank - 2;
  view.parts = ratio;
  view.part_stride = stride[row];
  view.stride[row] *= ratio;
  view.shape[row] /= ratio;
  return view;
}

View View::Narrow(std::int64_t ratio) const {
  View view = *this;
  if (ratio == 1) return view;
  view.piece_dim = rank - 2;
  view.pieces = ratio;
  view.piece_stride = stride[view.piece_dim];
  view.stride[view.piece_dim] = 1;
  view.shape[view.piece_dim] *= ratio;
  return view;
}

std::int64_t NumPlainParts(const View& view) { return view.pieces > 1 ? Rows(view) : view.parts; }

View PlainPart(const View& view, std::int64_t part) {
  View one = view;
  one.parts = one.pieces = 1;
  if (view.pieces == 1) {
    one.offset += part * view.part_stride;
    return one;
  }
  one.offset += RowAt(view, part) / view.pieces * view.piece_stride;
  if (view.piece_dim < view.rank) one.shape[view.piece_dim] = 1;
  one.piece_dim = kMaxRank;
  one.piece_row = one.piece_stride = 0;
  return one;
}

View WithWholeElements(const View& view) {
  const std::int64_t rows = Rows(view);
  View whole = PlainPart(view, 0);
  if (view.piece_dim >= view.rank) return whole;
  whole.stride[view.piece_dim] = view.piece_stride;
  whole.shape[view.piece_dim] = rows == 0 ? 0 : RowAt(view, rows - 1) / view.pieces - view.piece_row / view.pieces + 1;
  return whole;
}

void ReadBitcast(const View& view, std::byte* block) {
  const std::size_t size = view.element_size(), whole = view.buffer->element_size;
  for (std::int64_t part = 0; part < NumPlainParts(view); ++part) {
    const std::vector<std::byte> dense = Dense(PlainPart(view, part));
    const Bytes bytes = BytesOf(view, part);
    ForEachElement(view, part, [&](std::size_t plain, std::size_t mine) {
      std::memcpy(block + mine * size + bytes.in_view, dense.data() + plain * whole + bytes.in_buffer, bytes.size);
    });
  }
}

void WriteBitcast(const View& view, const std::byte* block) {
  const std::size_t size = view.element_size(), whole = view.buffer->element_size;
  for (std::int64_t part = 0; part < NumPlainParts(view); ++part) {
    const View one = PlainPart(view, part);
    std::vector<std::byte> dense = Dense(one);
    const Bytes bytes = BytesOf(view, part);
    ForEachElement(view, part, [&](std::size_t plain, std::size_t mine) {
      std::memcpy(dense.data() + plain * whole + bytes.in_buffer, block + mine * size + bytes.in_view, bytes.size);
    });
    Write(one, dense.data());
  }
}

bool ReadBitcastStates(const View& view, ElementState* states) {
  std::fill_n(states, view.elements(), kValid);
  bool any = false;
  for (std::int64_t part = 0; part < NumPlainParts(view); ++part) {
    const View one = PlainPart(view, part);
    std::vector<ElementState> plain_states(static_cast<std::size_t>(one.elements()));
    if (!ReadStates(one, plain_states.data())) continue;
    any = true;
    ForEachElement(view, part, [&](std::size_t plain, std::size_t mine) { states[mine] = std::max(states[mine], plain_states[plain]); });
  }
  return any;
}

void WriteBitcastStates(const View& view, const ElementState* states) {
  for (std::int64_t part = 0; part < NumPlainParts(view); ++part) {
    const View one = PlainPart(view, part);
    if (states == nullptr) {
      WriteStates(one, nullptr);
      continue;
    }
    std::vector<ElementState> plain_states(static_cast<std::size_t>(one.elements()));
    ForEachElement(view, part, [&](std::size_t plain, std::size_t mine) { plain_states[plain] = states[mine]; });
    WriteStates(one, plain_states.data());
  }
}

}  // namespace kernel_audit::sim
