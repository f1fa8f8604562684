// Pictures of which program owns which element of a matrix: text for the terminal, SVG for people who would rather look.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel_audit/core/shape.h"

namespace kernel_audit::report {

struct OwnershipPicture {
  std::string title;
  core::Shape logical, padded, block;  // two extents each
  core::Shape grid;
  core::Shape blocks;                  // along each dimension
  std::vector<std::int32_t> owner;     // one a block, row-major; -1: nobody

  std::int32_t OwnerOf(std::int64_t row, std::int64_t column) const;
};

// One character an element: the program's number in base 36, `.` for padding, `!` for an element that nobody owns; a gap between blocks.
// Large matrices are shown by blocks instead.
std::string OwnershipText(const OwnershipPicture& picture);

// A self-contained SVG document: one rectangle a block with its program's grid point, padding hatched, the logical edge drawn, and the
// same in words for screen readers.
std::string OwnershipSvg(const OwnershipPicture& picture);

}  // namespace kernel_audit::report
