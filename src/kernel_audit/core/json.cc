#include "kernel_audit/core/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace kernel_audit::core {
namespace {

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// What keeps a document from having a canonical text.
std::optional<std::string> Objection(const Json& document) {
  if (document.is_number_float()) return "it holds a floating-point number";
  if (document.is_null()) return "it holds null";
  if (document.is_binary() || document.is_discarded()) return "it holds a value that JSON has no word for";
  if (!document.is_structured()) return std::nullopt;
  for (auto item = document.begin(); item != document.end(); ++item) {
    if (document.is_object() && !IsAscii(item.key())) return "it has a key beyond ASCII";
    if (auto objection = Objection(*item)) return objection;
  }
  return std::nullopt;
}

std::string Dump(const Json& document) { return document.dump(-1, ' ', true, Json::error_handler_t::replace); }

// Builds the document while it counts depth and compares keys, which the library's own builder does not.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(std::size_t depth) : depth_(depth) {}

  Json& root() { return root_; }
  const std::string& trouble() const { return trouble_; }

  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(number_integer_t value) override { return Add(value); }
  bool number_unsigned(number_unsigned_t value) override { return Add(value); }
  bool number_float(number_float_t value, const string_t&) override { return Add(value); }
  bool string(string_t& value) override { return Add(std::move(value)); }
  bool binary(binary_t&) override { return Stop("a binary value"); }
  bool start_object(std::size_t) override { return Open(Json::object()); }
  bool start_array(std::size_t) override { return Open(Json::array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }

  bool key(string_t& value) override {
    if (open_.back()->contains(value)) return Stop("the key " + Dump(value.substr(0, 40)) + " is there twice");
    key_ = std::move(value);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    return Stop("it is not JSON at byte " + std::to_string(position));
  }

 private:
  Json* Place(Json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    Json& parent = *open_.back();
    if (parent.is_object()) return &(parent[key_] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }

  bool Add(Json value) {
    Place(std::move(value));
    return true;
  }

  bool Open(Json value) {
    if (open_.size() == depth_) return Stop("it is nested deeper than " + std::to_string(depth_));
    open_.push_back(Place(std::move(value)));
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  bool Stop(std::string trouble) {
    trouble_ = std::move(trouble);
    return false;
  }

  std::size_t depth_;
  Json root_;
  std::vector<Json*> open_;  // from the root inwards; a container does not grow while one inside it is open
  std::string key_;
  std::string trouble_;
};

}  // namespace

std::string CanonicalJson(const Json& document) {
  if (auto objection = Objection(document)) throw InternalError("no canonical JSON for a document: " + *objection);
  return Dump(document);
}

Result<Json> ParseJson(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    return Fail(ErrorCode::kBadInput, "bad JSON: it has " + std::to_string(text.size()) + " bytes; the limit is " + std::to_string(limits.bytes));
  }
  Builder builder(limits.depth);
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) return Fail(ErrorCode::kBadInput, "bad JSON: " + builder.trouble());
  return std::move(builder.root());
}

Result<Json> ParseCanonicalJson(std::string_view text, const JsonLimits& limits) {
  Result<Json> document = ParseJson(text, limits);
  if (!document) return document;
  if (auto objection = Objection(*document)) return Fail(ErrorCode::kBadInput, "not canonical JSON: " + *objection);
  const std::string canonical = Dump(*document);
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text == canonical) return document;
  const auto got = std::mismatch(text.begin(), text.end(), canonical.begin(), canonical.end()).first;
  return Fail(ErrorCode::kBadInput, "not canonical JSON: it differs from the canonical text at byte " + std::to_string(got - text.begin()));
}

std::string HexFloat(double value) {
  if (std::isnan(value)) return "nan";
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + "inf";
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), std::fabs(value), std::chars_format::hex).ptr;
  return sign + "0x" + std::string(digits.data(), end);
}

Result<double> ParseHexFloat(std::string_view text) {
  const bool negative = text.starts_with('-');
  std::string_view digits = text.substr(negative ? 1 : 0);
  if (digits.starts_with("0x")) digits.remove_prefix(2);
  double value = std::numeric_limits<double>::quiet_NaN();
  std::from_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::hex);
  if (negative) value = -value;
  if (text.size() > 32 || HexFloat(value) != text) return Fail(ErrorCode::kBadInput, "not an exact float such as 0x1.8p+1");
  return value;
}

}  // namespace kernel_audit::core
