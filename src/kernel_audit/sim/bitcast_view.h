// Views of memory as another element type, in terms of plain ones.
#pragma once

#include <cstddef>

#include "kernel_audit/sim/memory.h"

namespace kernel_audit::sim {

// Part number `part` of the elements of a view of a wider type, or row number `part` of one of a narrower type with its elements whole.
View PlainPart(const View& view, std::int64_t part);
std::int64_t NumPlainParts(const View& view);
// The box of the buffer's elements that a view of a narrower type has a piece of.
View WithWholeElements(const View& view);

// As Read, Write, ReadStates, WriteStates in memory.h, for views that are not plain. An element of which a piece was written counts as written.
void ReadBitcast(const View& view, std::byte* block);
void WriteBitcast(const View& view, const std::byte* block);
bool ReadBitcastStates(const View& view, ElementState* states);
void WriteBitcastStates(const View& view, const ElementState* states);

}  // namespace kernel_audit::sim
