#include "kernel_audit/sim/memory.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "kernel_audit/sim/bitcast_view.h"
#include "kernel_audit/sim/ops/elementwise.h"

namespace kernel_audit::sim {

void Shadow::Reset(std::size_t elements, ElementState state) {
  elements_ = elements;
  SetAll(state);
}

void Shadow::SetAll(ElementState state) {
  uniform_ = true;
  state_ = state;
}

ElementState* Shadow::Mixed() {
  if (uniform()) {
    states_.assign(elements_, state_);
    uniform_ = false;
  }
  return states_.data();
}

Buffer Buffer::On(std::string name, MemorySpace space, const core::Shape& shape, DType dtype, std::byte* data) {
  Buffer buffer;
  buffer.name = std::move(name);
  buffer.space = space;
  buffer.dtype = dtype;
  buffer.shape = shape;
  buffer.element_size = core::ByteSize(dtype);
  buffer.elements = static_cast<std::size_t>(core::NumElements(shape));
  buffer.data = data;
  if (core::IsSemaphore(dtype)) buffer.semaphores.resize(buffer.elements);
  return buffer;
}

Buffer Buffer::Own(std::string name, MemorySpace space, const core::Shape& shape, DType dtype) {
  Buffer buffer = On(std::move(name), space, shape, dtype, nullptr);
  buffer.storage.resize(buffer.elements * buffer.element_size);
  buffer.data = buffer.storage.data();
  buffer.FillUndefined();
  return buffer;
}

void Buffer::FillUndefined() {
  if (core::IsSemaphore(dtype)) {
    std::memset(data, 0, elements * element_size);
  } else {
    ops::Fill(data, UndefinedElement(dtype).data(), element_size, elements);
  }
}

void Buffer::Show(const View& part, Content what, bool writing) {
  array_part = part;
  content = what;
  may_write = writing;
}

void Buffer::Settle() {
  if (content == Content::kOwn) return;  // and nothing is written: an array may be other threads' too
  const Content before = content;
  content = Content::kOwn;
  if (before == Content::kUndefined) FillUndefined();
  if (before == Content::kInArray) Copy(View::Whole(*this), array_part);
}

std::array<std::byte, 8> UndefinedElement(DType dtype) {
  std::uint64_t bits = ~std::uint64_t{0} >> 1;
  switch (dtype) {
    case DType::kFloat32: bits = 0x7fc00000u; break;
    case DType::kBFloat16: bits = 0x7fc0u; break;
    case DType::kFloat16: bits = 0x7e00u; break;
    case DType::kFloat64: bits = 0x7ff8000000000000u; break;
    case DType::kBool: bits = 1; break;
    default: bits = ~std::uint64_t{0} >> (65 - 8 * core::ByteSize(dtype)); break;
  }
  std::array<std::byte, 8> bytes;
  std::memcpy(bytes.data(), &bits, sizeof bits);
  return bytes;
}

View View::Whole(Buffer& buffer) {
  View view = Dense(buffer.shape);
  view.buffer = &buffer;
  return view;
}

View View::Dense(const Shape& dense) {
  View view;
  view.rank = dense.size();
  const Shape strides = core::RowMajorStrides(dense);
  std::copy(dense.begin(), dense.end(), view.shape.begin());
  std::copy(strides.begin(), strides.end(), view.stride.begin());
  std::iota(view.dim.begin(), view.dim.end(), std::size_t{0});
  return view;
}

View View::Strided(const std::int64_t* starts, const std::int64_t* sizes, const std::int64_t* steps) const {
  View view = Sub(starts, sizes);
  for (std::size_t d = 0; d < rank; ++d) view.stride[d] *= steps[d];
  return view;
}

// Walks both shapes from the innermost dimension on. A wanted dimension takes all of what is left of one of ours or a part of it, or several
// of ours whose strides go on as those of one dimension would.
std::optional<View> View::Reshape(const Shape& wanted) const {
  View view = *this;
  view.rank = wanted.size();
  view.reshaped = true;
  if (pieces > 1) return std::nullopt;
  std::size_t ours = rank;
  std::int64_t left = 1, step = 1;  // of our dimension `ours`: elements not yet taken, and their stride
  const auto next = [&] {
    while (left == 1 && ours > 0) {
      left = shape[--ours];
      step = stride[ours];
    }
  };
  for (std::size_t d = wanted.size(); d-- > 0;) {
    view.shape[d] = wanted[d];
    next();
    view.stride[d] = step;
    std::int64_t need = wanted[d], at = step;
    while (need > 1) {
      next();
      const std::int64_t taken = std::min(need, left);
      if (step != at || taken == 0 || need % taken != 0 || left % taken != 0) return std::nullopt;
      need /= taken;
      left /= taken;
      step *= taken;
      at *= taken;
    }
  }
  return view;
}

View View::Squeeze(const Shape& squeezed) const {
  View view = *this;
  view.rank = 0;
  view.piece_dim = kMaxRank;
  for (std::size_t d = 0; d < rank; ++d) {
    // Of the dimensions of extent 1, the first that the wanted shape has room for are kept; a dynamic extent waits for another one.
    const bool may_drop = shape[d] == 1 && rank - d > squeezed.size() - view.rank;
    const bool kept = view.rank < squeezed.size() && (!may_drop || squeezed[view.rank] == 1);
    if (!kept) continue;
    if (d == piece_dim) view.piece_dim = view.rank;
    view.shape[view.rank] = shape[d];
    view.stride[view.rank] = stride[d];
    view.dim[view.rank++] = dim[d];
  }
  return view;
}

Region RegionOf(const View& view) {
  if (view.pieces > 1) return RegionOf(WithWholeElements(view));
  Region region;
  const std::size_t rank = view.buffer->shape.size();
  std::int64_t first = view.offset, last = view.offset + (view.parts - 1) * view.part_stride;
  for (std::size_t d = 0; d < view.rank; ++d) last += std::max<std::int64_t>(0, view.shape[d] - 1) * view.stride[d];
  std::array<std::int64_t, kMaxRank> end{};
  for (std::size_t d = rank; d-- > 0;) {
    const std::int64_t extent = std::max<std::int64_t>(1, view.buffer->shape[d]);
    region.start[d] = first % extent;
    end[d] = last % extent;
    first /= extent;
    last /= extent;
  }
  // What a reshaped view holds may go on from row to row: behind the first dimension in which it does, whole dimensions.
  bool whole = false;
  for (std::size_t d = 0; d < rank; ++d) {
    if (whole) {
      region.start[d] = 0;
      end[d] = view.buffer->shape[d] - 1;
    }
    region.size[d] = end[d] - region.start[d] + 1;
    whole = whole || (view.reshaped && region.size[d] > 1);
  }
  for (std::size_t d = 0; !view.reshaped && d < view.rank; ++d) {
    if (view.shape[d] == 0) region.size[view.dim[d]] = 0;
  }
  return region;
}

bool Overlap(const Region& a, const Region& b, std::size_t rank) {
  for (std::size_t d = 0; d < rank; ++d) {
    if (a.start[d] >= b.start[d] + b.size[d] || b.start[d] >= a.start[d] + a.size[d]) return false;
  }
  return true;
}

bool Overlap(const View& a, const View& b) {
  return a.buffer == b.buffer && Overlap(RegionOf(a), RegionOf(b), a.buffer->shape.size());
}

std::string RegionText(const View& view) {
  const Region region = RegionOf(view);
  std::string text;
  for (std::size_t d = 0; d < view.buffer->shape.size(); ++d) {
    text += (d > 0 ? ", " : "") + std::to_string(region.start[d]) + ":" + std::to_string(region.start[d] + region.size[d]);
  }
  return "[" + text + "]";
}

Shape ElementIndex(const Buffer& buffer, std::int64_t element) {
  Shape index(buffer.shape.size());
  for (std::size_t d = index.size(); d-- > 0;) {
    index[d] = element % buffer.shape[d];
    element /= buffer.shape[d];
  }
  return index;
}

std::int64_t View::elements() const {
  std::int64_t count = 1;
  for (std::size_t d = 0; d < rank; ++d) count *= shape[d];
  return count;
}

View View::Sub(const std::int64_t* starts, const std::int64_t* sizes) const {
  View view = *this;
  for (std::size_t d = 0; d < rank; ++d) {
    (d == piece_dim ? view.piece_row : view.offset) += starts[d] * stride[d];
    view.shape[d] = sizes[d];
  }
  return view;
}

std::int64_t View::ElementAt(std::int64_t index) const {
  std::int64_t at = offset, row = piece_row;
  for (std::size_t d = rank; d-- > 0;) {
    (d == piece_dim ? row : at) += index % shape[d] * stride[d];
    index /= shape[d];
  }
  return at + row / pieces * piece_stride;
}

std::optional<View> InArray(const View& view) {
  const Buffer& window = *view.buffer;
  if (view.reshaped || !view.plain() || window.elements == 0) return std::nullopt;
  const View& part = window.array_part;
  View there = view;
  there.buffer = part.buffer;
  there.offset = part.offset;
  std::array<std::int64_t, kMaxRank> strides{};
  std::int64_t elements = 1;
  for (std::size_t d = window.shape.size(); d-- > 0;) {
    strides[d] = elements;
    there.offset += view.offset / elements % window.shape[d] * part.stride[d];
    elements *= window.shape[d];
  }
  for (std::size_t d = 0; d < view.rank; ++d) there.stride[d] = view.stride[d] / strides[view.dim[d]] * part.stride[view.dim[d]];
  return there;
}

View ToRead(const View& view) {
  Buffer& buffer = *view.buffer;
  if (buffer.content == Buffer::Content::kUndefined) buffer.Settle();
  if (buffer.content == Buffer::Content::kOwn) return view;
  if (const auto there = InArray(view)) return *there;
  buffer.Settle();
  return view;
}

View ToWrite(const View& view) {
  Buffer& buffer = *view.buffer;
  const bool all = static_cast<std::size_t>(view.elements()) == buffer.elements;
  if (buffer.may_write && (buffer.content == Buffer::Content::kInArray || (buffer.content == Buffer::Content::kUndefined && all))) {
    if (const auto there = InArray(view)) {
      buffer.content = Buffer::Content::kInArray;
      return *there;
    }
  }
  buffer.Settle();
  return view;
}

void Read(const View& view, std::byte* block) {
  if (view.elements() == 0) return;
  if (view.buffer->content != Buffer::Content::kOwn) {
    const View there = ToRead(view);
    if (there.buffer != view.buffer) return Read(there, block);
  }
  if (!view.plain()) return ReadBitcast(view, block);
  const std::size_t size = view.buffer->element_size;
  view.ForEachRun([&](std::int64_t element, std::int64_t run) {
    const std::size_t bytes = static_cast<std::size_t>(run) * size;
    std::memcpy(block, view.at(element), bytes);
    block += bytes;
  });
}

void Write(const View& view, const std::byte* block) {
  if (view.elements() == 0) return;
  if (view.buffer->content != Buffer::Content::kOwn) {
    const View there = ToWrite(view);
    if (there.buffer != view.buffer) return Write(there, block);
  }
  if (!view.plain()) return WriteBitcast(view, block);
  const std::size_t size = view.buffer->element_size;
  view.ForEachRun([&](std::int64_t element, std::int64_t run) {
    const std::size_t bytes = static_cast<std::size_t>(run) * size;
    std::memcpy(view.at(element), block, bytes);
    block += bytes;
  });
}

void Copy(const View& to, const View& from) {
  if (to.elements() != 0 && (to.buffer->content != Buffer::Content::kOwn || from.buffer->content != Buffer::Content::kOwn)) {
    const View source = ToRead(from), target = ToWrite(to);
    return Copy(target, source);
  }
  const bool inner_apart = to.rank > 0 && (to.stride[to.rank - 1] != 1 || from.stride[from.rank - 1] != 1) && to.shape[to.rank - 1] > 1;
  if (!to.plain() || !from.plain() || inner_apart || to.elements() == 0) {
    std::vector<std::byte> block(static_cast<std::size_t>(from.bytes()));
    Read(from, block.data());
    return Write(to, block.data());
  }
  const std::size_t size = to.buffer->element_size;
  // The innermost dimension is the unit of copying; outer ones are walked in both views at once.
  const std::size_t inner = to.rank == 0 ? 1 : static_cast<std::size_t>(to.shape[to.rank - 1]);
  const std::size_t outer = to.rank == 0 ? 0 : to.rank - 1;
  std::array<std::int64_t, kMaxRank> index{};
  std::int64_t target = to.offset, source = from.offset;
  for (;;) {
    std::memcpy(to.at(target), from.at(source), inner * size);
    std::size_t d = outer;
    for (; d > 0; --d) {
      target += to.stride[d - 1];
      source += from.stride[d - 1];
      if (++index[d - 1] < to.shape[d - 1]) break;
      target -= to.stride[d - 1] * to.shape[d - 1];
      source -= from.stride[d - 1] * to.shape[d - 1];
      index[d - 1] = 0;
    }
    if (d == 0) return;
  }
}

bool ReadStates(const View& view, ElementState* states) {
  Shadow& shadow = view.buffer->shadow;
  if (shadow.all_valid() || view.elements() == 0) return false;
  if (!view.plain()) return ReadBitcastStates(view, states);
  if (shadow.uniform()) {
    std::memset(states, shadow.at(0), static_cast<std::size_t>(view.elements()));
    return true;
  }
  const ElementState* all = shadow.Mixed();
  ElementState seen = 0;
  view.ForEachRun([&](std::int64_t element, std::int64_t run) {
    const ElementState* from = all + element;
    for (std::int64_t i = 0; i < run; ++i) {
      states[i] = from[i];
      seen |= from[i];
    }
    states += run;
  });
  return seen != 0;
}

void WriteStates(const View& view, const ElementState* states) {
  Shadow& shadow = view.buffer->shadow;
  if ((states == nullptr && shadow.all_valid()) || view.elements() == 0) return;
  if (!view.plain()) return WriteBitcastStates(view, states);
  if (states == nullptr && static_cast<std::size_t>(view.elements()) == view.buffer->elements) return shadow.SetAll(kValid);
  ElementState* all = shadow.Mixed();
  view.ForEachRun([&](std::int64_t element, std::int64_t run) {
    if (states == nullptr) {
      std::memset(all + element, kValid, static_cast<std::size_t>(run));
    } else {
      std::memcpy(all + element, states, static_cast<std::size_t>(run));
      states += run;
    }
  });
}

}  // namespace kernel_audit::sim
