#include "kernel_audit/import/byte_reader.h"

#include <bit>
#include <cstring>

namespace kernel_audit::import {

void ByteReader::Fail(std::string message) {
  if (error_.empty()) error_ = std::move(message);
  position_ = bytes_.size();
}

std::uint8_t ByteReader::Byte() {
  if (AtEnd()) {
    Fail("it ends too early");
    return 0;
  }
  return bytes_[position_++];
}

std::uint64_t ByteReader::VarInt() {
  const std::uint8_t first = Byte();
  const int following = first == 0 ? 8 : std::countr_zero(first);
  std::uint64_t value = first;
  if (following == 8) value = 0;
  for (int i = 0; i < following; ++i) {
    const std::uint64_t byte = ok() ? Byte() : 0;
    value |= byte << (following == 8 ? 8 * i : 8 * (i + 1));
  }
  return following == 8 ? value : value >> (following + 1);
}

std::int64_t ByteReader::SignedVarInt() {
  const std::uint64_t value = VarInt();
  return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

std::uint64_t ByteReader::VarIntWithFlag(bool& flag) {
  const std::uint64_t value = VarInt();
  flag = (value & 1) != 0;
  return value >> 1;
}

std::size_t ByteReader::Count() {
  const std::uint64_t count = VarInt();
  if (count <= remaining()) return static_cast<std::size_t>(count);
  Fail("it counts more things than it holds");
  return 0;
}

Bytes ByteReader::Take(std::uint64_t size) {
  if (size > remaining()) {
    Fail("it ends too early");
    return {};
  }
  const Bytes taken = bytes_.subspan(position_, static_cast<std::size_t>(size));
  position_ += static_cast<std::size_t>(size);
  return taken;
}

std::string_view ByteReader::CString() {
  const Bytes rest = bytes_.subspan(position_);
  const void* end = rest.empty() ? nullptr : std::memchr(rest.data(), 0, rest.size());
  if (end == nullptr) {
    Fail("a string does not end");
    return {};
  }
  const auto size = static_cast<std::size_t>(static_cast<const std::uint8_t*>(end) - rest.data());
  position_ += size + 1;
  return {reinterpret_cast<const char*>(rest.data()), size};
}

void ByteReader::Align(std::uint64_t alignment) {
  if (alignment == 0 || !std::has_single_bit(alignment)) return Fail("an alignment is not a power of two");
  while (ok() && position_ % alignment != 0) Byte();
}

}  // namespace kernel_audit::import
