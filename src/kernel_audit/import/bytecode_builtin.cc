// The builtin dialect's encoding of attributes and types: a code, then the parts that the code says.
#include <algorithm>
#include <bit>

#include "kernel_audit/import/bytecode_tables.h"
#include "kernel_audit/import/literal.h"

namespace kernel_audit::import {
namespace {

enum AttributeCode : std::uint64_t {
  kArray = 0,
  kDictionary = 1,
  kString = 2,
  kStringWithType = 3,
  kFlatSymbol = 4,
  kType = 6,
  kUnit = 7,
  kInteger = 8,
  kFloat = 9,
  kCallSite = 10,
  kFileLineColumn = 11,
  kFused = 12,
  kFusedWithMetadata = 13,
  kName = 14,
  kUnknownLocation = 15,
  kDenseArray = 17,
  kDense = 18,
  kFileLineColumnRange = 22,
};

enum TypeCode : std::uint64_t {
  kIntegerType = 0,
  kIndexType = 1,
  kFunctionType = 2,
  kBFloat16 = 3,
  kFloat16 = 4,
  kFloat32 = 5,
  kFloat64 = 6,
  kMemRef = 10,
  kMemRefWithSpace = 11,
  kTensor = 13,
  kVector = 19,
};

// An integer or a float's bits of a width that its type gives: a byte up to 8 bits, else a signed varint.
std::int64_t ReadFixed(ByteReader& reader, int width) {
  return width <= 8 ? static_cast<std::int64_t>(reader.Byte()) : reader.SignedVarInt();
}

core::Shape ReadShape(ByteReader& reader) {
  core::Shape shape(reader.Count());
  if (shape.size() > 16) reader.Fail("a type has more than 16 dimensions");
  for (std::int64_t& extent : shape) {
    if (!reader.ok()) return {};
    extent = reader.SignedVarInt();
    if (extent < 0 && extent != core::kDynamicExtent) reader.Fail("an extent is negative");
  }
  return shape;
}

std::string IntegerName(std::uint64_t width_and_sign) {
  const char* signs[] = {"i", "si", "ui", "?"};
  return signs[width_and_sign & 3] + std::to_string(width_and_sign >> 2);
}

// i1 elements lie a bit or a byte each, depending on the MLIR that wrote them; the number of bytes tells which. A splat is one byte.
bool UnpackBooleans(Bytes raw, std::size_t count, Attribute& attribute) {
  const auto bit = [&](std::size_t i) { return static_cast<std::uint8_t>(raw[i / 8] >> (i % 8) & 1); };
  attribute.splat = raw.size() == 1 && (count == 1 || raw[0] == 0 || raw[0] == 0xff || (count > 8 && raw[0] == 1));
  if (attribute.splat) {
    attribute.bytes = {bit(0)};
  } else if (raw.size() == (count + 7) / 8 && count > 8) {
    for (std::size_t i = 0; i < count; ++i) attribute.bytes.push_back(bit(i));
  } else if (raw.size() == count) {
    for (const std::uint8_t byte : raw) attribute.bytes.push_back(byte & 1);
  } else {
    return false;
  }
  return true;
}

}  // namespace

AttributePtr BytecodeTables::ReadAttributeNumber(ByteReader& reader) {
  const std::uint64_t number = reader.VarInt();
  return reader.ok() ? AttributeAt(number) : nullptr;
}

TypePtr BytecodeTables::ReadTypeNumber(ByteReader& reader) {
  const std::uint64_t number = reader.VarInt();
  return reader.ok() ? TypeAt(number) : nullptr;
}

std::string BytecodeTables::ReadStringAttribute(ByteReader& reader) {
  const AttributePtr attribute = ReadAttributeNumber(reader);
  if (attribute == nullptr) return {};
  if (attribute->kind != Attribute::Kind::kString) Fail("a name is not a string");
  return attribute->text;
}

core::SourceLocation BytecodeTables::ReadLocationNumber(ByteReader& reader) {
  const AttributePtr attribute = ReadAttributeNumber(reader);
  if (attribute == nullptr) return {};
  if (attribute->kind != Attribute::Kind::kLocation) Fail("a location is not a location");
  return attribute->location;
}

std::vector<TypePtr> BytecodeTables::ReadTypes(ByteReader& reader) {
  std::vector<TypePtr> types(reader.Count());
  for (TypePtr& type : types) {
    type = ReadTypeNumber(reader);
    if (type == nullptr) return {};
  }
  return types;
}

AttributePtr BytecodeTables::ReadBuiltinAttribute(ByteReader& reader) {
  auto attribute = std::make_shared<Attribute>();
  const std::uint64_t code = reader.VarInt();
  switch (code) {
    case kArray:
    case kDictionary:
    case kString:
    case kStringWithType:
    case kFlatSymbol:
    case kType: ReadContainer(reader, code, *attribute); break;
    case kUnit: break;
    case kInteger:
    case kFloat: ReadNumber(reader, code, *attribute); break;
    case kCallSite:
    case kFileLineColumn:
    case kFused:
    case kFusedWithMetadata:
    case kName:
    case kUnknownLocation:
    case kFileLineColumnRange: ReadLocation(reader, code, *attribute); break;
    case kDenseArray: ReadDenseArray(reader, *attribute); break;
    case kDense: ReadDense(reader, *attribute); break;
    default: Fail("it holds an attribute of a kind that is not supported: code " + std::to_string(code));
  }
  if (!reader.ok()) Fail("an attribute is damaged: " + reader.error());
  return ok() ? attribute : nullptr;
}

void BytecodeTables::ReadContainer(ByteReader& reader, std::uint64_t code, Attribute& attribute) {
  if (code == kArray) {
    attribute.kind = Attribute::Kind::kArray;
    attribute.elements.resize(reader.Count());
    for (AttributePtr& element : attribute.elements) {
      element = ReadAttributeNumber(reader);
      if (element == nullptr) return;
    }
  } else if (code == kDictionary) {
    attribute.kind = Attribute::Kind::kDictionary;
    const std::size_t count = reader.Count();
    if (count > 256) Fail("a dictionary has more than 256 entries");
    for (std::size_t i = 0; i < count && ok() && reader.ok(); ++i) {
      std::string name = ReadStringAttribute(reader);
      AttributePtr value = ReadAttributeNumber(reader);
      if (attribute.Find(name) != nullptr) Fail("attribute '" + name + "' occurs twice");
      attribute.entries.emplace_back(std::move(name), std::move(value));
    }
  } else if (code == kFlatSymbol) {
    attribute.kind = Attribute::Kind::kSymbol;
    attribute.text = ReadStringAttribute(reader);
  } else if (code == kType) {
    attribute.kind = Attribute::Kind::kType;
    attribute.type = ReadTypeNumber(reader);
  } else {
    attribute.kind = Attribute::Kind::kString;
    attribute.text = StringAt(reader.VarInt());
    if (code == kStringWithType) attribute.type = ReadTypeNumber(reader);
  }
}

void BytecodeTables::ReadNumber(ByteReader& reader, std::uint64_t code, Attribute& attribute) {
  attribute.type = ReadTypeNumber(reader);
  if (attribute.type == nullptr) return;
  if (code == kInteger) {
    const int width = attribute.type->bits();
    if (width < 1 || width > 64) return Fail("an integer's type is not an integer type of at most 64 bits");
    attribute.kind = Attribute::Kind::kInteger;
    const std::int64_t value = ReadFixed(reader, width);
    attribute.integer = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << (64 - width)) >> (64 - width);
    if (width == 1) attribute.integer &= 1;
  } else {
    attribute.kind = Attribute::Kind::kFloat;
    if (!attribute.type->dtype || !core::IsFloat(*attribute.type->dtype)) {
      return Fail("a number of type '" + attribute.type->text + "' is not supported");
    }
    AppendInteger(reader.SignedVarInt(), *attribute.type->dtype, attribute.bytes);
  }
}

void BytecodeTables::ReadLocation(ByteReader& reader, std::uint64_t code, Attribute& attribute) {
  attribute.kind = Attribute::Kind::kLocation;
  core::SourceLocation& location = attribute.location;
  if (code == kName) {
    ReadAttributeNumber(reader);
    location = ReadLocationNumber(reader);
  } else if (code == kCallSite) {
    location = ReadLocationNumber(reader);
    core::SourceLocation caller = ReadLocationNumber(reader);
    if (!location.known()) location = std::move(caller);
  } else if (code == kFused || code == kFusedWithMetadata) {
    const std::size_t count = reader.Count();
    for (std::size_t i = 0; i < count && ok(); ++i) {
      core::SourceLocation part = ReadLocationNumber(reader);
      if (!location.known()) location = std::move(part);
    }
    if (code == kFusedWithMetadata) ReadAttributeNumber(reader);
  } else if (code != kUnknownLocation) {
    location.file = ReadStringAttribute(reader);
    const std::size_t numbers = code == kFileLineColumn ? 2 : reader.Count();
    for (std::size_t i = 0; i < numbers && reader.ok(); ++i) {
      const std::uint64_t number = reader.VarInt();
      if (i == 0) location.line = static_cast<int>(std::min<std::uint64_t>(number, INT32_MAX));
    }
  }
}

void BytecodeTables::ReadDenseArray(ByteReader& reader, Attribute& attribute) {
  attribute.kind = Attribute::Kind::kDenseArray;
  const TypePtr element = ReadTypeNumber(reader);
  const std::uint64_t count = reader.VarInt();
  const Bytes raw = reader.Take(reader.VarInt());
  if (element == nullptr || !reader.ok()) return;
  const int width = element->bits();
  const std::size_t size = width == 1 ? 1 : static_cast<std::size_t>(width) / 8;
  if ((width != 1 && width != 8 && width != 16 && width != 32 && width != 64) || raw.size() % size != 0 || raw.size() / size != count) {
    return Fail("an array is not made of integers, or not of as many as it says");
  }
  for (std::size_t i = 0; i < raw.size(); i += size) {
    std::uint64_t value = 0;
    for (std::size_t b = 0; b < size; ++b) value |= static_cast<std::uint64_t>(raw[i + b]) << (8 * b);
    const std::size_t unused = 64 - 8 * size;
    attribute.integers.push_back(static_cast<std::int64_t>(value << unused) >> unused);
  }
}

void BytecodeTables::ReadDense(ByteReader& reader, Attribute& attribute) {
  attribute.kind = Attribute::Kind::kDense;
  attribute.type = ReadTypeNumber(reader);
  const Bytes raw = reader.Take(reader.VarInt());
  if (attribute.type == nullptr || !reader.ok()) return;
  const MlirType& type = *attribute.type;
  const std::int64_t count = core::CheckedNumElements(type.shape);
  if (type.element == nullptr || !type.element->dtype || count < 0) return Fail("a dense constant has a type that is not supported");
  const std::size_t size = core::ByteSize(*type.element->dtype), elements = static_cast<std::size_t>(count);
  if (*type.element->dtype == core::DType::kBool) {
    if (!UnpackBooleans(raw, elements, attribute)) Fail("a dense constant does not have the elements of its type");
    return;
  }
  attribute.splat = raw.size() == size && elements != 0;
  if (!attribute.splat && (raw.size() % size != 0 || raw.size() / size != elements)) {
    return Fail("a dense constant does not have the elements of its type");
  }
  attribute.bytes.assign(raw.begin(), raw.end());
}

TypePtr BytecodeTables::ReadBuiltinType(ByteReader& reader) {
  const std::uint64_t code = reader.VarInt();
  auto type = std::make_shared<MlirType>();
  switch (code) {
    case kIntegerType: type = std::make_shared<MlirType>(*ScalarType(IntegerName(reader.VarInt()))); break;
    case kIndexType: type = std::make_shared<MlirType>(*ScalarType("index")); break;
    case kBFloat16: type = std::make_shared<MlirType>(*ScalarType("bf16")); break;
    case kFloat16: type = std::make_shared<MlirType>(*ScalarType("f16")); break;
    case kFloat32: type = std::make_shared<MlirType>(*ScalarType("f32")); break;
    case kFloat64: type = std::make_shared<MlirType>(*ScalarType("f64")); break;
    case kFunctionType:
      type->kind = MlirType::Kind::kFunction;
      type->inputs = ReadTypes(reader);
      type->results = ReadTypes(reader);
      break;
    case kMemRef:
    case kMemRefWithSpace:
      type->kind = MlirType::Kind::kMemRef;
      if (code == kMemRefWithSpace) type->space = ReadAttributeNumber(reader);
      type->shape = ReadShape(reader);
      type->element = ReadTypeNumber(reader);
      type->layout = ReadAttributeNumber(reader);
      break;
    case kTensor:
    case kVector:
      type->kind = code == kTensor ? MlirType::Kind::kTensor : MlirType::Kind::kVector;
      type->shape = ReadShape(reader);
      type->element = ReadTypeNumber(reader);
      break;
    default: Fail("it holds a type of a kind that is not supported: code " + std::to_string(code));
  }
  if (!reader.ok()) Fail("a type is damaged: " + reader.error());
  return ok() ? type : nullptr;
}

}  // namespace kernel_audit::import
