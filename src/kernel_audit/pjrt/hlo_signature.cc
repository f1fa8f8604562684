#include "kernel_audit/pjrt/hlo_signature.h"

#include <cstdint>
#include <string>
#include <utility>

#include "kernel_audit/pjrt/element_type.h"

namespace kernel_audit::pjrt {
namespace {

// Field numbers.
constexpr std::uint64_t kWithConfigModule = 1, kModuleProgramShape = 4, kProgramShapeParameter = 1;
constexpr std::uint64_t kShapeElementType = 2, kShapeDimension = 3;

struct Field {
  std::uint64_t number = 0;
  std::uint64_t varint = 0;
  std::string_view bytes;
  bool is_bytes = false;
};

// Walks the fields of one protocol-buffer message. Never reads past its bytes.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  // False at the end and at the first byte that makes no sense.
  bool Next(Field& field) {
    if (rest_.empty()) return false;
    std::uint64_t tag = 0;
    field = {};
    valid_ = Varint(tag) && Value(field, tag & 7);
    field.number = tag >> 3;
    return valid_;
  }
  bool valid() const { return valid_; }
  bool empty() const { return rest_.empty(); }

  bool Varint(std::uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<std::uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }

 private:
  bool Value(Field& field, std::uint64_t wire_type) {
    if (wire_type == 0) return Varint(field.varint);
    if (wire_type == 1) return Take(field.bytes, 8);
    if (wire_type == 5) return Take(field.bytes, 4);
    std::uint64_t size = 0;
    field.is_bytes = true;
    return wire_type == 2 && Varint(size) && Take(field.bytes, size);
  }
  bool Take(std::string_view& bytes, std::uint64_t size) {
    if (size > rest_.size()) return false;
    bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }

  std::string_view rest_;
  bool valid_ = true;
};

core::Error Malformed() { return {core::ErrorCode::kPlugin, "the plugin's optimised program is not a readable HLO module", {}}; }

core::Result<std::string_view> FindMessage(std::string_view bytes, std::uint64_t number) {
  Reader reader(bytes);
  Field field;
  while (reader.Next(field)) {
    if (field.number == number && field.is_bytes) return field.bytes;
  }
  return tl::unexpected(Malformed());
}

// Repeated integers come packed or one by one.
bool AppendDimensions(const Field& field, core::Shape& shape) {
  if (!field.is_bytes) {
    shape.push_back(static_cast<std::int64_t>(field.varint));
    return true;
  }
  Reader packed(field.bytes);
  while (!packed.empty()) {
    std::uint64_t extent = 0;
    if (!packed.Varint(extent)) return false;
    shape.push_back(static_cast<std::int64_t>(extent));
  }
  return true;
}

core::Result<std::optional<core::ArrayType>> ParseShape(std::string_view bytes) {
  std::int64_t element_type = 0;
  core::Shape shape;
  Reader reader(bytes);
  Field field;
  while (reader.Next(field)) {
    if (field.number == kShapeElementType) element_type = static_cast<std::int64_t>(field.varint);
    if (field.number == kShapeDimension && !AppendDimensions(field, shape)) return tl::unexpected(Malformed());
  }
  if (!reader.valid() || core::CheckedNumElements(shape) < 0) return tl::unexpected(Malformed());
  if (auto dtype = FromPrimitiveType(element_type)) return core::ArrayType{*dtype, std::move(shape)};
  return std::nullopt;
}

core::Result<ParameterTypes> ParseProgramShape(std::string_view bytes) {
  ParameterTypes types;
  Reader reader(bytes);
  Field field;
  while (reader.Next(field)) {
    if (field.number != kProgramShapeParameter || !field.is_bytes) continue;
    auto type = ParseShape(field.bytes);
    if (!type) return tl::unexpected(std::move(type.error()));
    types.push_back(std::move(*type));
  }
  if (!reader.valid()) return tl::unexpected(Malformed());
  return types;
}

}  // namespace

core::Result<ParameterTypes> ParseParameterTypes(std::string_view bytes, std::string_view format) {
  if (format != "hlo" && format != "hlo_with_config") {
    return core::Fail(core::ErrorCode::kPlugin, "the plugin's optimised program has an unknown format, " + std::string(format));
  }
  core::Result<std::string_view> module = bytes;
  if (format == "hlo_with_config") module = FindMessage(bytes, kWithConfigModule);
  return module.and_then([](std::string_view found) { return FindMessage(found, kModuleProgramShape); }).and_then(ParseProgramShape);
}

}  // namespace kernel_audit::pjrt
