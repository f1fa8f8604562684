// JSON: untrusted text in, canonical text out.
// Canonical means: one line without spaces; objects sorted by key, keys in ASCII; only integers, strings, booleans, arrays and objects;
// everything beyond ASCII in a string as \uXXXX. Equal documents have equal bytes. Python's
// json.dumps(document, sort_keys=True, separators=(",", ":")) writes the same.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "kernel_audit/core/error.h"

namespace kernel_audit::core {

using Json = nlohmann::json;

// The canonical text. Throws InternalError on a floating-point number, null, binary value or a key beyond ASCII: the caller built a
// document that this project does not write. A string that is not UTF-8 (a file's name may be) gets U+FFFD where it is not.
std::string CanonicalJson(const Json& document);

struct JsonLimits {
  std::size_t bytes = std::size_t{64} << 20;
  std::size_t depth = 64;  // arrays and objects inside each other
};

// Any JSON document, from untrusted bytes. kBadInput, with the byte's position, for what is not JSON, exceeds a limit, or names a key
// of an object twice.
Result<Json> ParseJson(std::string_view text, const JsonLimits& limits = {});

// A document that is canonical to the byte (one newline may follow); kBadInput otherwise.
Result<Json> ParseCanonicalJson(std::string_view text, const JsonLimits& limits = {});

// A float's exact value as a string: "0x1.8p+1", "-0x0p+0", "inf", "-inf", "nan". A float32 is written as the double it equals.
std::string HexFloat(double value);

// The value HexFloat wrote as `text`; kBadInput for every other text.
Result<double> ParseHexFloat(std::string_view text);

}  // namespace kernel_audit::core
