#include "kernel_audit/trace/source_lines.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>

namespace kernel_audit::trace {
namespace {

struct Token {
  std::string text;  // an identifier, or one character of punctuation; "0" for literals
  int line;
};

// C++ as far as statement boundaries need it: comments and literals are skipped, so that no bracket inside them counts.
class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> Run() {
    while (at_ < source_.size()) Step();
    return std::move(tokens_);
  }

  int lines() const { return line_; }

 private:
  char Peek(std::size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }

  void Advance() {
    if (source_[at_++] == '\n') ++line_;
  }

  void Step() {
    const char c = Peek();
    if (c == '#' && at_line_start_) return SkipDirective();
    if (c == '\n') at_line_start_ = true;
    if (std::isspace(static_cast<unsigned char>(c))) return Advance();
    at_line_start_ = false;
    if (c == '/' && Peek(1) == '/') return SkipLine();
    if (c == '/' && Peek(1) == '*') return SkipBlockComment();
    if (c == '"') return StringLiteral();
    if (c == '\'') return Quoted('\'');
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') return Word();
    tokens_.push_back({std::string(1, c), line_});
    Advance();
  }

  void SkipLine() {
    while (at_ < source_.size() && Peek() != '\n') Advance();
  }

  void SkipDirective() {
    while (at_ < source_.size() && Peek() != '\n') {
      if (Peek() == '\\' && Peek(1) == '\n') Advance();
      Advance();
    }
  }

  void SkipBlockComment() {
    Advance();
    Advance();
    while (at_ < source_.size() && !(Peek() == '*' && Peek(1) == '/')) Advance();
    for (int i = 0; i < 2 && at_ < source_.size(); ++i) Advance();
  }

  void StringLiteral() {
    const bool raw = !tokens_.empty() && tokens_.back().line == line_ && at_ > 0 && source_[at_ - 1] == 'R';
    if (!raw) return Quoted('"');
    const std::size_t open = source_.find('(', at_);
    if (open == std::string_view::npos) return SkipTo(source_.size());
    const std::string close = ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t end = source_.find(close, open);
    SkipTo(end == std::string_view::npos ? source_.size() : end + close.size());
  }

  void SkipTo(std::size_t end) {
    while (at_ < end) Advance();
  }

  void Quoted(char quote) {
    tokens_.push_back({"0", line_});
    Advance();
    while (at_ < source_.size() && Peek() != quote && Peek() != '\n') {
      if (Peek() == '\\') Advance();
      if (at_ < source_.size()) Advance();
    }
    if (at_ < source_.size() && Peek() == quote) Advance();
  }

  // Identifiers, keywords and numbers; a digit separator ' belongs to the number.
  void Word() {
    const bool number = std::isdigit(static_cast<unsigned char>(Peek())) != 0;
    std::string text;
    while (std::isalnum(static_cast<unsigned char>(Peek())) || Peek() == '_' || (number && (Peek() == '\'' || Peek() == '.'))) {
      text += Peek();
      Advance();
    }
    tokens_.push_back({number ? "0" : text, line_});
  }

  std::string_view source_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool at_line_start_ = true;
  std::vector<Token> tokens_;
};

// One open bracket. Only a block opens a new list of statements.
struct Frame {
  bool block;
  int statement_line = 0;  // 0: between statements
  int depth = 0;           // brackets open within the statement
  bool definition = false; // the statement began with namespace, class, struct, ...
  bool arrow = false;      // "->" was seen since the last ")"
};

class StatementFinder {
 public:
  explicit StatementFinder(int lines) : first_(static_cast<std::size_t>(lines) + 1) {
    for (std::size_t i = 0; i < first_.size(); ++i) first_[i] = static_cast<int>(i);
    frames_.push_back({.block = true});
  }

  std::vector<int> Run(const std::vector<Token>& tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      previous_ = i > 0 ? tokens[i - 1].text : ";";
      next_ = i + 1 < tokens.size() ? tokens[i + 1].text : ";";
      Take(tokens[i]);
    }
    return std::move(first_);
  }

 private:
  Frame& top() { return frames_.back(); }

  void Take(const Token& token) {
    if (token.text == "}" && frames_.size() > 1 && top().depth == 0) return CloseBlock(token);
    Begin(token);
    if (token.text == "{") return Open(token);
    if (token.text == "(" || token.text == "[") ++top().depth;
    if ((token.text == ")" || token.text == "]" || token.text == "}") && top().depth > 0) --top().depth;
    if (token.text == ")") top().arrow = false;
    if (token.text == ">" && previous_ == "-") top().arrow = true;
    if (token.text == ";" && top().depth == 0) End();
  }

  void Begin(const Token& token) {
    if (top().statement_line == 0) {
      top().statement_line = token.line;
      top().definition = token.text == "namespace" || token.text == "class" || token.text == "struct" || token.text == "union" ||
                         token.text == "enum" || token.text == "extern";
    }
    int& first = first_[static_cast<std::size_t>(token.line)];
    first = std::min(first, top().statement_line);
  }

  void End() { top() = {.block = true}; }

  // A brace after ")" or "]" or one of these words opens a body; after anything else it opens a list of values.
  bool OpensBlock() const {
    static const std::vector<std::string> kWords = {")", "]", "else", "do", "try", "mutable", "noexcept", "const", "override", ";", "{", "}"};
    const Frame& frame = frames_.back();
    return frame.arrow || (frame.definition && frame.depth == 0) ||
           std::find(kWords.begin(), kWords.end(), previous_) != kWords.end();
  }

  void Open(const Token&) {
    if (!OpensBlock()) {
      ++top().depth;
      return;
    }
    top().arrow = false;
    frames_.push_back({.block = true});
  }

  // After a body the statement around it goes on if it lies in brackets or something continues it.
  void CloseBlock(const Token& token) {
    frames_.pop_back();
    Begin(token);
    const bool goes_on = top().depth > 0 || next_ == ";" || next_ == "," || next_ == ")" || next_ == "(" || next_ == "." || next_ == "else";
    if (!goes_on) End();
  }

  std::vector<int> first_;
  std::vector<Frame> frames_;
  std::string previous_, next_;
};

std::string RelativeName(const std::string& file) {
  const std::filesystem::path path(file);
  if (path.is_relative()) return path.lexically_normal().string();
  std::error_code ignored;
  const std::filesystem::path below = path.lexically_relative(std::filesystem::current_path(ignored));
  return below.empty() || below.begin()->string() == ".." ? path.filename().string() : below.string();
}

struct File {
  std::string name;
  std::vector<int> lines;
};

File ReadFile(const std::string& path) {
  std::ifstream stream(path);
  std::stringstream text;
  if (stream) text << stream.rdbuf();
  return {RelativeName(path), StatementLines(text.str())};
}

}  // namespace

std::vector<int> StatementLines(std::string_view source) {
  Lexer lexer(source);
  const std::vector<Token> tokens = lexer.Run();
  return StatementFinder(lexer.lines()).Run(tokens);
}

core::SourceLocation CanonicalLocation(Here here) {
  if (here.file == nullptr) return {};
  static std::mutex mutex;
  static std::map<std::string, File> files;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [found, missing] = files.try_emplace(here.file);
  if (missing) found->second = ReadFile(here.file);
  const File& file = found->second;
  const auto line = static_cast<std::size_t>(here.line);
  return {file.name, line < file.lines.size() ? file.lines[line] : here.line};
}

}  // namespace kernel_audit::trace
