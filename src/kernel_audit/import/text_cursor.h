// A place in MLIR text that moves forward token by token. The first failure sticks: after it every Accept says no and `ok()` is false.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernel_audit/core/error.h"

namespace kernel_audit::import {

class TextCursor {
 public:
  // `what` begins every message: "module", "kernel 'axpy'".
  TextCursor(std::string_view text, std::string what) : text_(text), what_(std::move(what)) {}

  bool ok() const { return !error_; }
  const core::Error& error() const { return *error_; }
  // Records a failure here, at this line of the text. Returns false.
  bool Fail(core::ErrorCode code, const std::string& message);
  bool Fail(const std::string& message) { return Fail(core::ErrorCode::kBadInput, message); }
  // Takes over the failure of a cursor on another text.
  void Adopt(const core::Error& error);

  std::string_view text() const { return text_; }
  std::size_t position() const { return position_; }
  void set_position(std::size_t position) { position_ = position; }
  const std::string& what() const { return what_; }
  std::string_view Since(std::size_t begin) const { return text_.substr(begin, position_ - begin); }

  // White space and // comments.
  void SkipSpace();
  bool AtEnd();
  // The next character after white space; 0 at the end.
  char Peek();
  // The next character as it stands, white space too; 0 at the end.
  char PeekRaw() const { return position_ < text_.size() ? text_[position_] : '\0'; }

  // Moves over `token`, if it is next. A word is only taken whole: "at" is not the start of "attributes".
  bool Accept(std::string_view token);
  bool AcceptRaw(char c);
  bool Expect(std::string_view token);

  // Letters, digits, `_`, `$`, `.`; empty when there is none.
  std::string_view Word();
  // Digits, at most 18, straight at the cursor.
  std::optional<std::int64_t> Digits();
  // A string literal, its escapes (\n, \t, \\, \" and two hex digits) replaced.
  std::string String();
  // Moves over a string literal without reading it.
  void SkipString();
  // From an opening bracket to the one that closes it, both included; brackets inside strings don't count, nor does the > of ->.
  std::string_view Balanced();

 private:
  std::string_view text_;
  std::string what_;
  std::size_t position_ = 0;
  std::optional<core::Error> error_;
};

bool IsWordCharacter(char c);

}  // namespace kernel_audit::import
