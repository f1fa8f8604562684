#include "kernel_audit/import/text_cursor.h"

#include <algorithm>
#include <cctype>

namespace kernel_audit::import {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

char Closing(char c) {
  switch (c) {
    case '(': return ')';
    case '[': return ']';
    case '{': return '}';
    case '<': return '>';
    default: return '\0';
  }
}

}  // namespace

bool IsWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.'; }

bool TextCursor::Fail(core::ErrorCode code, const std::string& message) {
  if (error_) return false;
  const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(position_), '\n');
  error_ = core::Error{code, what_ + ", line " + std::to_string(line) + ": " + message, {}};
  position_ = text_.size();
  return false;
}

void TextCursor::Adopt(const core::Error& error) {
  if (!error_) error_ = error;
  position_ = text_.size();
}

void TextCursor::SkipSpace() {
  while (position_ < text_.size()) {
    if (IsSpace(text_[position_])) {
      ++position_;
    } else if (text_.substr(position_, 2) == "//") {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else {
      return;
    }
  }
}

bool TextCursor::AtEnd() {
  SkipSpace();
  return position_ == text_.size();
}

char TextCursor::Peek() {
  SkipSpace();
  return PeekRaw();
}

bool TextCursor::Accept(std::string_view token) {
  if (!ok()) return false;
  SkipSpace();
  if (text_.substr(position_, token.size()) != token) return false;
  const std::size_t end = position_ + token.size();
  if (IsWordCharacter(token.back()) && end < text_.size() && IsWordCharacter(text_[end])) return false;
  position_ = end;
  return true;
}

bool TextCursor::AcceptRaw(char c) {
  if (!ok() || PeekRaw() != c || c == '\0') return false;
  ++position_;
  return true;
}

bool TextCursor::Expect(std::string_view token) {
  if (Accept(token)) return true;
  return Fail("expected '" + std::string(token) + "'");
}

std::string_view TextCursor::Word() {
  SkipSpace();
  const std::size_t begin = position_;
  while (position_ < text_.size() && IsWordCharacter(text_[position_])) ++position_;
  return Since(begin);
}

std::optional<std::int64_t> TextCursor::Digits() {
  std::int64_t value = 0;
  const std::size_t begin = position_;
  while (position_ < text_.size() && text_[position_] >= '0' && text_[position_] <= '9') {
    if (position_ - begin == 18) return std::nullopt;
    value = value * 10 + (text_[position_++] - '0');
  }
  return position_ == begin ? std::nullopt : std::optional(value);
}

std::string TextCursor::String() {
  std::string value;
  SkipSpace();
  if (!Expect("\"")) return value;
  while (position_ < text_.size()) {
    const char c = text_[position_++];
    if (c == '"') return value;
    if (c == '\n') break;
    if (c != '\\') {
      value += c;
      continue;
    }
    const char next = PeekRaw();
    const int high = HexDigit(next), low = position_ + 1 < text_.size() ? HexDigit(text_[position_ + 1]) : -1;
    if (next == '\\' || next == '"') {
      value += next;
      position_ += 1;
    } else if (high >= 0 && low >= 0) {
      value += static_cast<char>(high * 16 + low);
      position_ += 2;
    } else if (next == 'n' || next == 't') {
      value += next == 'n' ? '\n' : '\t';
      position_ += 1;
    } else {
      Fail("a string has an escape that MLIR does not know");
      return value;
    }
  }
  Fail("a string does not end");
  return value;
}

void TextCursor::SkipString() {
  if (!AcceptRaw('"')) return;
  while (position_ < text_.size()) {
    const char c = text_[position_++];
    if (c == '"') return;
    if (c == '\\' && position_ < text_.size()) ++position_;
    if (c == '\n') break;
  }
  Fail("a string does not end");
}

std::string_view TextCursor::Balanced() {
  SkipSpace();
  const std::size_t begin = position_;
  std::string open;
  do {
    const char c = Peek();
    if (!ok() || c == '\0') break;
    if (c == '"') {
      SkipString();
      continue;
    }
    ++position_;
    if (c == '-' && PeekRaw() == '>') {
      ++position_;
    } else if (const char closing = Closing(c); closing != '\0') {
      open += closing;
    } else if (!open.empty() && c == open.back()) {
      open.pop_back();
      if (open.empty()) return Since(begin);
    } else if (c == ')' || c == ']' || c == '}') {
      break;
    }
  } while (!open.empty());
  Fail("a bracket is never closed");
  return {};
}

}  // namespace kernel_audit::import
