#include "kernel_audit/report/ownership.h"

#include <algorithm>

namespace kernel_audit::report {
namespace {

constexpr std::int64_t kMostElements = 2000;

char Digit(std::int32_t program) { return program < 0 ? '!' : "0123456789abcdefghijklmnopqrstuvwxyz"[program % 36]; }

std::string ElementText(const OwnershipPicture& p) {
  std::string text;
  for (std::int64_t row = 0; row < p.padded[0]; ++row) {
    if (row > 0 && row % p.block[0] == 0) text += "\n";
    text += "   ";
    for (std::int64_t column = 0; column < p.padded[1]; ++column) {
      if (column % p.block[1] == 0) text += " ";
      const bool logical = row < p.logical[0] && column < p.logical[1];
      text += logical ? Digit(p.OwnerOf(row, column)) : '.';
    }
    text += "\n";
  }
  return text;
}

std::string BlockText(const OwnershipPicture& p) {
  std::string text;
  for (std::int64_t row = 0; row < std::min<std::int64_t>(p.blocks[0], 40); ++row) {
    text += "    ";
    for (std::int64_t column = 0; column < std::min<std::int64_t>(p.blocks[1], 72); ++column) text += Digit(p.OwnerOf(row * p.block[0], column * p.block[1]));
    text += "\n";
  }
  return text;
}

}  // namespace

std::int32_t OwnershipPicture::OwnerOf(std::int64_t row, std::int64_t column) const {
  return owner[static_cast<std::size_t>(row / block[0] * blocks[1] + column / block[1])];
}

std::string OwnershipText(const OwnershipPicture& p) {
  const bool small = p.padded[0] * p.padded[1] <= kMostElements;
  const std::string head = p.title + (small ? ": owner of each element, . is padding\n" : ": owner of each block\n");
  return head + (small ? ElementText(p) : BlockText(p));
}

}  // namespace kernel_audit::report
