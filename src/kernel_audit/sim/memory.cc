#include "kernel_audit/sim/memory.h"

#include <algorithm>
#include <cstring>
#include <numeric>

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
  View view;
  view.buffer = &buffer;
  view.rank = buffer.shape.size();
  const Shape strides = core::RowMajorStrides(buffer.shape);
  std::copy(buffer.shape.begin(), buffer.shape.end(), view.shape.begin());
  std::copy(strides.begin(), strides.end(), view.stride.begin());
  std::iota(view.dim.begin(), view.dim.end(), std::size_t{0});
  return view;
}

View View::Squeeze(const Shape& squeezed) const {
  View view = *this;
  view.rank = 0;
  for (std::size_t d = 0; d < rank; ++d) {
    // A dimension of extent 1 is dropped where the wanted shape goes on with another extent or has no room for it.
    const bool kept = view.rank < squeezed.size() && shape[d] == squeezed[view.rank] && (shape[d] != 1 || rank - d == squeezed.size() - view.rank);
    if (!kept) continue;
    view.shape[view.rank] = shape[d];
    view.stride[view.rank] = stride[d];
    view.dim[view.rank++] = dim[d];
  }
  return view;
}

Region RegionOf(const View& view) {
  Region region;
  std::int64_t rest = view.offset;
  for (std::size_t d = view.buffer->shape.size(); d-- > 0;) {
    region.start[d] = rest % view.buffer->shape[d];
    region.size[d] = 1;
    rest /= view.buffer->shape[d];
  }
  for (std::size_t d = 0; d < view.rank; ++d) region.size[view.dim[d]] = view.shape[d];
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
    view.offset += starts[d] * stride[d];
    view.shape[d] = sizes[d];
  }
  return view;
}

void Read(const View& view, std::byte* block) {
  const std::size_t size = view.buffer->element_size;
  view.ForEachRun([&](std::int64_t element, std::int64_t run) {
    const std::size_t bytes = static_cast<std::size_t>(run) * size;
    std::memcpy(block, view.at(element), bytes);
    block += bytes;
  });
}

void Write(const View& view, const std::byte* block) {
  const std::size_t size = view.buffer->element_size;
  view.ForEachRun([&](std::int64_t element, std::int64_t run) {
    const std::size_t bytes = static_cast<std::size_t>(run) * size;
    std::memcpy(view.at(element), block, bytes);
    block += bytes;
  });
}

void Copy(const View& to, const View& from) {
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
  if (shadow.all_valid()) return false;
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
  if (states == nullptr && shadow.all_valid()) return;
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
