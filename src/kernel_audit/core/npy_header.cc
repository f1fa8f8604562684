#include "kernel_audit/core/npy_header.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "kernel_audit/core/npy.h"

namespace kernel_audit::core {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct DescrRow {
  std::string_view descr;
  DType dtype;
};

// The first row of a type is the one that is written.
constexpr std::array<DescrRow, 14> kDescrs = {{
    {"|b1", DType::kBool},    {"|i1", DType::kInt8},     {"<i2", DType::kInt16},   {"<i4", DType::kInt32},   {"<i8", DType::kInt64},
    {"|u1", DType::kUInt8},   {"<u2", DType::kUInt16},   {"<u4", DType::kUInt32},  {"<u8", DType::kUInt64},  {"<f2", DType::kFloat16},
    {"<f4", DType::kFloat32}, {"<f8", DType::kFloat64},  {"<u2", DType::kBFloat16}, {"<i8", DType::kIndex},
}};

tl::unexpected<Error> Bad(const std::string& what) { return Fail(ErrorCode::kBadInput, "not a valid .npy file: " + what); }
tl::unexpected<Error> Unsupported(const std::string& what) { return Fail(ErrorCode::kUnsupported, "unsupported .npy file: " + what); }

// Untrusted text as a message may show it: short and printable.
std::string Quoted(std::string_view text) {
  std::string shown = "'";
  for (char c : text.substr(0, 24)) shown += c >= ' ' && c <= '~' ? c : '?';
  return shown + (text.size() > 24 ? "...'" : "'");
}

Result<DType> DTypeOf(std::string_view descr) {
  for (const DescrRow& row : kDescrs) {
    if (row.descr == descr) return row.dtype;
  }
  if (descr.starts_with('>')) return Unsupported("element type " + Quoted(descr) + " is big-endian; save it little-endian");
  if (descr.size() > 1 && descr[1] == 'O') return Unsupported("it holds pickled Python objects, which are never loaded");
  if (descr.size() > 1 && descr[1] == 'V') {
    return Unsupported("element type " + Quoted(descr) + " is opaque; save bfloat16 as array.view(numpy.uint16)");
  }
  return Unsupported("element type " + Quoted(descr) + " is not a bool, integer or float type");
}

// Reads the Python dictionary literal token by token; every Take* leaves the cursor where it was when it does not match.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool Take(std::string_view token) {
    SkipSpaces();
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }

  std::optional<std::string_view> TakeString() {
    SkipSpaces();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) return std::nullopt;
    const std::size_t end = text_.find(text_[0], 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view value = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return value;
  }

  std::optional<std::int64_t> TakeInteger() {
    SkipSpaces();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc()) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }

  bool AtEnd() {
    SkipSpaces();
    return text_.empty() || text_ == "\n";
  }

 private:
  void SkipSpaces() { text_.remove_prefix(std::min(text_.find_first_not_of(' '), text_.size())); }

  std::string_view text_;
};

Result<Shape> TakeShape(Cursor& cursor) {
  if (!cursor.Take("(")) return Bad("the shape is not a tuple");
  Shape shape;
  while (!cursor.Take(")")) {
    const std::optional<std::int64_t> extent = cursor.TakeInteger();
    if (!extent) return Bad("the shape holds something that is not a 64-bit integer");
    if (*extent < 0) return Bad("the shape holds the negative extent " + std::to_string(*extent));
    if (shape.size() == kMaxNpyRank) return Bad("the shape has more than " + std::to_string(kMaxNpyRank) + " dimensions");
    shape.push_back(*extent);
    if (!cursor.Take(",")) {
      if (shape.size() == 1) return Bad("the shape is not a tuple");
      if (!cursor.Take(")")) return Bad("the shape does not end");
      break;
    }
  }
  return shape;
}

struct Dictionary {
  std::optional<DType> dtype;
  std::optional<bool> fortran_order;
  std::optional<Shape> shape;
};

Result<void> TakeDescr(Cursor& cursor, Dictionary& dictionary) {
  if (cursor.Take("[")) return Unsupported("its elements are structures");
  const std::optional<std::string_view> descr = cursor.TakeString();
  if (!descr) return Bad("'descr' is not a string");
  const Result<DType> dtype = DTypeOf(*descr);
  if (!dtype) return tl::unexpected(dtype.error());
  dictionary.dtype = *dtype;
  return {};
}

Result<void> TakeFortranOrder(Cursor& cursor, Dictionary& dictionary) {
  const bool yes = cursor.Take("True");
  if (!yes && !cursor.Take("False")) return Bad("'fortran_order' is neither True nor False");
  dictionary.fortran_order = yes;
  return {};
}

Result<void> TakeEntry(Cursor& cursor, Dictionary& dictionary) {
  const std::optional<std::string_view> key = cursor.TakeString();
  if (!key) return Bad("the header's dictionary does not end or has a key that is not a string");
  if (!cursor.Take(":")) return Bad("no ':' after the key " + Quoted(*key));
  if (*key == "descr" && !dictionary.dtype) return TakeDescr(cursor, dictionary);
  if (*key == "fortran_order" && !dictionary.fortran_order) return TakeFortranOrder(cursor, dictionary);
  if (*key == "shape" && !dictionary.shape) {
    Result<Shape> shape = TakeShape(cursor);
    if (!shape) return tl::unexpected(shape.error());
    dictionary.shape = std::move(*shape);
    return {};
  }
  return Bad("the key " + Quoted(*key) + " is unknown or there twice");
}

Result<Dictionary> ParseDictionary(std::string_view text) {
  Cursor cursor(text);
  Dictionary dictionary;
  if (!cursor.Take("{")) return Bad("the header is not a dictionary");
  while (!cursor.Take("}")) {
    if (Result<void> entry = TakeEntry(cursor, dictionary); !entry) return tl::unexpected(entry.error());
    if (cursor.Take(",")) continue;
    if (!cursor.Take("}")) return Bad("the header's dictionary does not end");
    break;
  }
  if (!cursor.AtEnd()) return Bad("the header goes on after its dictionary");
  if (!dictionary.dtype || !dictionary.fortran_order || !dictionary.shape) return Bad("the header lacks 'descr', 'fortran_order' or 'shape'");
  return dictionary;
}

Result<NpyLayout> LayoutOf(Dictionary dictionary, std::size_t data_offset) {
  const std::int64_t count = CheckedNumElements(*dictionary.shape);
  if (count < 0 || static_cast<std::uint64_t>(count) > kMaxNpyDataBytes / ByteSize(*dictionary.dtype)) {
    return Bad("the shape " + ToString(*dictionary.shape) + " is larger than " + std::to_string(kMaxNpyDataBytes) + " bytes");
  }
  return NpyLayout{{*dictionary.dtype, std::move(*dictionary.shape)}, *dictionary.fortran_order, data_offset};
}

}  // namespace

Result<NpyLayout> ParseNpyLayout(std::span<const std::byte> prefix) {
  const std::string_view text(reinterpret_cast<const char*>(prefix.data()), prefix.size());
  if (text.empty()) return Bad("it is empty");
  if (!text.starts_with(kMagic)) return Bad(text.starts_with("PK") ? "it is an .npz archive; unpack it first" : "it does not begin with NumPy's mark");
  if (text.size() < 10) return Bad("it ends inside its header");
  const int version = static_cast<unsigned char>(text[6]);
  if (version < 1 || version > 3 || text[7] != 0) return Unsupported("its version is not 1.0, 2.0 or 3.0");
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t start = 8 + length_bytes;
  if (text.size() < start) return Bad("it ends inside its header");
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= std::size_t{static_cast<unsigned char>(text[8 + i])} << (8 * i);
  if (length > kMaxNpyHeaderBytes) return Bad("its header is longer than " + std::to_string(kMaxNpyHeaderBytes) + " bytes");
  if (text.size() - start < length) return Bad("it ends inside its header");
  Result<Dictionary> dictionary = ParseDictionary(text.substr(start, length));
  if (!dictionary) return tl::unexpected(dictionary.error());
  return LayoutOf(std::move(*dictionary), start + length);
}

Result<std::string> NpyHeader(const ArrayType& type) {
  std::string_view descr;
  for (const DescrRow& row : kDescrs) {
    if (row.dtype == type.dtype) descr = row.descr;
  }
  if (descr.empty()) return Fail(ErrorCode::kUnsupported, "a .npy file cannot hold " + std::string(Name(type.dtype)) + " elements");
  std::string dictionary = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': " + ToString(type.shape) + ", }";
  constexpr std::size_t kBefore = 10, kAlignment = 64;
  dictionary.append(kAlignment - (kBefore + dictionary.size() + 1) % kAlignment, ' ');
  dictionary += '\n';
  if (dictionary.size() > 0xffff) return Fail(ErrorCode::kUnsupported, "the shape has too many dimensions for a .npy file");
  std::string header(kMagic);
  header += {'\x01', '\x00', static_cast<char>(dictionary.size() & 0xff), static_cast<char>(dictionary.size() >> 8)};
  return header + dictionary;
}

}  // namespace kernel_audit::core
