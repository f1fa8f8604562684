#include "kernel_audit/check/host_rules.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cctype>
#include <string>

namespace kernel_audit::check {
namespace {

using core::ErrorCode;

constexpr std::string_view kCall = "custom_call @tpu_custom_call(";
constexpr std::array<std::string_view, 4> kAllowed = {"constant", "pad", "reshape", "slice"};

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// No quote, dot or at sign: nothing that could name one more operation or a function.
bool IsPlain(std::string_view text, std::string_view also = "") {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return IsWord(c) || std::string_view(" %#:,<>()[]=-").find(c) != std::string_view::npos || also.find(c) != std::string_view::npos;
  });
}

bool Take(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

template <typename Predicate>
std::string_view TakeWhile(std::string_view& text, Predicate&& predicate) {
  const auto end = std::find_if_not(text.begin(), text.end(), predicate);
  const std::string_view taken = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(taken.size());
  return taken;
}

// Takes ` loc("FILE":LINE:COLUMN)` off the end of a line. False when it holds anything else.
bool TakeLocation(std::string_view& line, core::SourceLocation& location) {
  constexpr std::string_view kMark = " loc(\"";
  const std::size_t at = line.rfind(kMark);
  if (at == std::string_view::npos) return true;
  std::string_view rest = line.substr(at + kMark.size());
  location.file = TakeWhile(rest, [](char c) { return c != '"' && c != '\\'; });
  if (!Take(rest, "\":")) return false;
  const std::string_view number = TakeWhile(rest, IsDigit);
  std::from_chars(number.data(), number.data() + number.size(), location.line);
  if (!Take(rest, ":") || TakeWhile(rest, IsDigit).empty() || rest != ")") return false;
  line = line.substr(0, at);
  return true;
}

class HostReader {
 public:
  HostReader(std::string_view text, const HostLimits& limits) : text_(text), limits_(limits) {}

  core::Result<void> Run() {
    std::string_view line = Next();
    if (!Take(line, "module @") || !IsPlain(line, "{")) return Strange();
    line = Next();
    if (!Take(line, "  func.func public @main(") || !IsPlain(line, "{")) return Strange();
    if (auto ok = CheckSizes(line, {}); !ok) return ok;
    for (line = Next(); !line.starts_with("    return"); line = Next()) {
      if (++operations_ > limits_.operations) return Fail("the module has more than " + std::to_string(limits_.operations) + " operations between its kernels");
      if (auto ok = CheckOperation(line); !ok) return ok;
    }
    if (!IsPlain(line) || Next() != "  }" || Next() != "}" || !text_.empty()) return Strange();
    return {};
  }

 private:
  static core::Result<void> Fail(std::string message, core::SourceLocation location = {}) {
    return core::Fail(ErrorCode::kFailed, std::move(message), std::move(location));
  }
  core::Result<void> Strange() const {
    return Fail("line " + std::to_string(line_) + " of the module is nothing that the front end writes: a module must come from pl:: calls alone");
  }

  std::string_view Next() {
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    const std::string_view line = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    ++line_;
    return line;
  }

  core::Result<void> CheckOperation(std::string_view line) {
    core::SourceLocation location;
    if (!TakeLocation(line, location) || !Take(line, "    %") || TakeWhile(line, IsDigit).empty()) return Strange();
    if (Take(line, ":") && TakeWhile(line, IsDigit).empty()) return Strange();
    if (!Take(line, " = stablehlo.")) return Strange();
    const bool call = Take(line, kCall);
    const std::string_view name = call ? kCall : TakeWhile(line, IsWord);
    if (!IsPlain(line, call ? "{}" : "")) return Strange();
    const bool also = std::find(limits_.also.begin(), limits_.also.end(), name) != limits_.also.end();
    if (!call && !also && std::find(kAllowed.begin(), kAllowed.end(), name) == kAllowed.end()) {
      if (!limits_.also.empty()) return Fail("stablehlo." + std::string(name) + " has no part in this computation", location);
      return Fail("stablehlo." + std::string(name) + " outside the kernel: there only padding, reshaping and cropping are allowed, the kernel does the work", location);
    }
    return CheckSizes(line, location);
  }

  // Every "tensor<5x11xf32>" of the line.
  core::Result<void> CheckSizes(std::string_view line, const core::SourceLocation& location) const {
    for (std::size_t at = line.find("tensor<"); at != std::string_view::npos; at = line.find("tensor<")) {
      line.remove_prefix(at + 7);
      std::string_view type = line.substr(0, std::min(line.find('>'), line.size()));
      const std::string whole(type);
      double elements = 1;
      while (!type.empty() && IsDigit(type[0])) {
        std::int64_t extent = 0;
        const std::string_view digits = TakeWhile(type, IsDigit);
        const bool read = std::from_chars(digits.data(), digits.data() + digits.size(), extent).ec == std::errc();
        elements *= read ? static_cast<double>(extent) : 1e18;
        if (!Take(type, "x")) return Strange();
      }
      if (elements > static_cast<double>(limits_.elements)) {
        return Fail("an array of " + whole + " outside the kernel has more than the " + std::to_string(limits_.elements) + " elements allowed there", location);
      }
    }
    return {};
  }

  std::string_view text_;
  const HostLimits& limits_;
  int line_ = 0;
  int operations_ = 0;
};

}  // namespace

core::Result<void> CheckHostProgram(std::string_view host_text, const HostLimits& limits) { return HostReader(host_text, limits).Run(); }

}  // namespace kernel_audit::check
