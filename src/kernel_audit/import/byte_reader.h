// Reads MLIR bytecode's elements from a span. The first failure sticks: after it every read gives zero or nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kernel_audit::import {

using Bytes = std::span<const std::uint8_t>;

class ByteReader {
 public:
  explicit ByteReader(Bytes bytes) : bytes_(bytes) {}

  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  void Fail(std::string message);

  bool AtEnd() const { return position_ == bytes_.size(); }
  std::size_t remaining() const { return bytes_.size() - position_; }

  std::uint8_t Byte();
  // A prefix varint: the number of trailing zeros of the first byte says how many bytes follow.
  std::uint64_t VarInt();
  std::int64_t SignedVarInt();
  // A varint whose lowest bit is a flag.
  std::uint64_t VarIntWithFlag(bool& flag);
  // A varint that counts things of at least one byte each, all of them still to be read: bounded by what remains.
  std::size_t Count();
  Bytes Take(std::uint64_t size);
  // Up to a zero byte, which is taken too.
  std::string_view CString();
  // Skips padding up to a multiple of `alignment`, counted from the start of the span.
  void Align(std::uint64_t alignment);

 private:
  Bytes bytes_;
  std::size_t position_ = 0;
  std::string error_;
};

}  // namespace kernel_audit::import
