#include "kernel_audit/evidence/claim.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "kernel_audit/core/printable.h"

namespace kernel_audit::evidence {
namespace {

using core::ErrorCode;
using core::Fail;
using core::Json;

// Words of a key, parted by underscores, that only a measurement may use.
constexpr std::array<std::string_view, 18> kTimeWords = {"ns", "us", "ms", "s", "sec", "second", "seconds", "time", "times", "timing", "timings", "duration",
                                                         "latency", "date", "timestamp", "throughput", "flops", "speed"};

bool NamesTime(std::string_view key) {
  while (!key.empty()) {
    const std::size_t end = std::min(key.find('_'), key.size());
    if (std::find(kTimeWords.begin(), kTimeWords.end(), key.substr(0, end)) != kTimeWords.end()) return true;
    key.remove_prefix(std::min(end + 1, key.size()));
  }
  return false;
}

}  // namespace

std::string SchemaName(Tier tier) { return "kernel-audit/" + std::string(Name(tier)) + "/1"; }

std::string TimeField(const Json& document) {
  if (!document.is_structured()) return "";
  for (const auto& [key, value] : document.items()) {
    if (document.is_object() && NamesTime(key)) return key;
    if (std::string inside = TimeField(value); !inside.empty()) return inside;
  }
  return "";
}

namespace detail {

Json MakeDocument(Tier tier, Json body) {
  if (!body.is_object() || body.contains("tier") || body.contains("schema")) throw core::InternalError("a claim's body is an object without tier and schema");
  if (const std::string key = TimeField(body); tier != Tier::kExecuted && !key.empty()) {
    throw core::InternalError("a document of the tier " + std::string(Name(tier)) + " has no time, and \"" + key + "\" names one");
  }
  body["tier"] = Name(tier);
  body["schema"] = SchemaName(tier);
  return body;
}

}  // namespace detail

core::Result<Json> ReadDocument(Tier tier, const std::string& text) {
  auto document = core::ParseCanonicalJson(text);
  if (!document) return document;
  if (!document->is_object()) return Fail(ErrorCode::kBadInput, "is no JSON object");
  for (const auto& [key, wanted] : {std::pair<const char*, std::string>("tier", Name(tier)), std::pair<const char*, std::string>("schema", SchemaName(tier))}) {
    const auto found = document->find(key);
    if (found == document->end() || !found->is_string()) return Fail(ErrorCode::kBadInput, "has no \"" + std::string(key) + "\"");
    if (found->get<std::string>() != wanted) {
      return Fail(ErrorCode::kBadInput, "stands where a document of the tier " + std::string(Name(tier)) + " belongs, and its \"" + key + "\" is " +
                                            core::Printable(found->get<std::string>(), 60));
    }
  }
  if (const std::string field = TimeField(*document); tier != Tier::kExecuted && !field.empty()) {
    return Fail(ErrorCode::kBadInput, "is of the tier " + std::string(Name(tier)) + ", which has no time, and \"" + core::Printable(field, 60) + "\" names one");
  }
  return document;
}

}  // namespace kernel_audit::evidence
