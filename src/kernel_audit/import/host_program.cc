#include "kernel_audit/import/host_program.h"

#include <set>

#include "kernel_audit/import/attribute_parser.h"
#include "kernel_audit/import/custom_call.h"
#include "kernel_audit/import/kernel_types.h"

namespace kernel_audit::import {
namespace {

class Scanner {
 public:
  Scanner(std::string_view text, std::int64_t program_id) : cursor_(text, "module"), attributes_(cursor_), program_id_(program_id) {
    attributes_.FindAliases();
  }

  core::Result<HostProgram> Scan() {
    while (cursor_.ok() && !cursor_.AtEnd()) Step();
    if (cursor_.ok() && !open_.empty()) cursor_.Fail("a bracket is never closed");
    if (cursor_.ok() && !found_main_) cursor_.Fail("it has no function @main");
    if (!cursor_.ok()) return tl::unexpected(cursor_.error());
    program_.text += cursor_.text().substr(copied_);
    return std::move(program_);
  }

 private:
  void Step() {
    const char c = cursor_.Peek();
    const std::size_t begin = cursor_.position();
    if (c == '"') {
      cursor_.SkipString();
      if (cursor_.Since(begin) == "\"stablehlo.custom_call\"" && cursor_.Peek() == '(') GenericCall();
    } else if (IsWordCharacter(c)) {
      const std::string_view word = cursor_.Word();
      if (word == "stablehlo.custom_call") PrettyCall(begin);
      if (word == "func.func") Function();
    } else if (c == '@' || c == '%' || c == '#' || c == '!') {
      cursor_.AcceptRaw(c);
      const std::string_view word = cursor_.Word();
      if (c == '%' && cursor_.Peek() == '=') result_ = word;
    } else {
      Bracket(c);
    }
  }

  // Round, square and curly brackets pair up; angle brackets also compare, and so don't count.
  void Bracket(char c) {
    if (c == '(') open_ += ')';
    if (c == '[') open_ += ']';
    if (c == '{') open_ += '}';
    if (c == ')' || c == ']' || c == '}') {
      if (open_.empty() || open_.back() != c) {
        cursor_.Fail("a bracket closes what is not open");
        return;
      }
      open_.pop_back();
    }
    if (!cursor_.AcceptRaw(c)) cursor_.Fail("it holds a zero byte");
  }

  // Memory that holds nothing yet: XLA:CPU gets zeros, the kernels that take it are told.
  void Allocation(std::size_t word_begin) {
    cursor_.Balanced();
    if (cursor_.Peek() == '{') attributes_.ParseDictionary();
    cursor_.Expect(":");
    const TypePtr type = attributes_.ParseType();
    if (!cursor_.ok()) return;
    const bool one_result = type->kind == MlirType::Kind::kFunction && type->inputs.empty() && type->results.size() == 1;
    const auto array = one_result ? ToArrayType(*type->results[0]) : core::Result<core::ArrayType>(core::Fail(core::ErrorCode::kBadInput, "it has no result"));
    if (!array) {
      cursor_.Fail("an AllocateBuffer does not give one array: " + array.error().message);
      return;
    }
    const std::string_view whole = cursor_.Since(word_begin);
    const bool is_float = core::IsFloat(array->dtype), is_bool = array->dtype == core::DType::kBool;
    program_.text += cursor_.text().substr(copied_, word_begin - copied_);
    program_.text += std::string("stablehlo.constant dense<") + (is_bool ? "false" : is_float ? "0.0" : "0") + "> : " +
                     std::string(whole.substr(whole.rfind("->") + 2));
    copied_ = cursor_.position();
    allocated_.insert(result_);
  }

  // Which of `(%a, %b)` an AllocateBuffer of this function made.
  std::vector<int> AllocatedAmong(std::string_view operands) const {
    std::vector<int> numbers;
    int number = 0;
    for (std::size_t at = operands.find('%'); at != std::string_view::npos; at = operands.find('%', at + 1), ++number) {
      std::size_t end = at + 1;
      while (end < operands.size() && IsWordCharacter(operands[end])) ++end;
      if (allocated_.contains(std::string(operands.substr(at + 1, end - at - 1)))) numbers.push_back(number);
    }
    return numbers;
  }

  // Behind `stablehlo.custom_call`: @target(operands) {attributes} : type
  void PrettyCall(std::size_t word_begin) {
    cursor_.Expect("@");
    const std::string target = cursor_.PeekRaw() == '"' ? cursor_.String() : std::string(cursor_.Word());
    if (target == "AllocateBuffer") return Allocation(word_begin);
    if (target != "tpu_custom_call" || !cursor_.ok()) return;
    const std::string_view operands = cursor_.Peek() == '(' ? cursor_.Balanced() : std::string_view();
    if (cursor_.Peek() != '{') {
      cursor_.Fail("a tpu_custom_call has no attributes");
      return;
    }
    const std::size_t begin = cursor_.position();
    const AttributePtr attributes = attributes_.ParseDictionary();
    const std::size_t end = cursor_.position();
    FinishCall(attributes, begin, end, false, AllocatedAmong(operands));
  }

  // Behind `"stablehlo.custom_call"`: (operands) [<{properties}>] [{attributes}] : type
  void GenericCall() {
    cursor_.Balanced();
    const bool properties = cursor_.Accept("<");
    if (cursor_.Peek() != '{') return;
    std::size_t begin = cursor_.position();
    const AttributePtr attributes = attributes_.ParseDictionary();
    if (attributes == nullptr) return;
    const Attribute* target = attributes->Find("call_target_name");
    if (target == nullptr || target->text != "tpu_custom_call") return;
    std::size_t end = cursor_.position();
    if (properties) {
      // Properties and discardable attributes become one dictionary, which MLIR reads in either place.
      cursor_.Expect(">");
      begin = cursor_.text().rfind('<', begin);
      if (cursor_.Peek() == '{') attributes_.ParseDictionary();
      end = cursor_.position();
    }
    FinishCall(attributes, begin, end, true, {});
  }

  void FinishCall(const AttributePtr& attributes, std::size_t begin, std::size_t end, bool generic, std::vector<int> unwritten) {
    cursor_.Expect(":");
    const TypePtr type = attributes_.ParseType();
    if (!cursor_.ok()) return;
    if (type->kind != MlirType::Kind::kFunction) {
      cursor_.Fail("a tpu_custom_call has no function type");
      return;
    }
    auto call = ReadCustomCall(*attributes, *type);
    if (!call) return cursor_.Adopt(call.error());
    call->unwritten_inputs = std::move(unwritten);
    const HandlerNumbers numbers{program_id_, static_cast<std::int64_t>(program_.calls.size())};
    program_.text += cursor_.text().substr(copied_, begin - copied_);
    program_.text += HandlerAttributes(*attributes, *call, numbers, generic);
    copied_ = end;
    program_.calls.push_back(std::move(*call));
  }

  // Behind `func.func`: [visibility] @name(arguments) -> results; only @main's are read.
  void Function() {
    allocated_.clear();
    for (const char* visibility : {"public", "private", "nested"}) cursor_.Accept(visibility);
    if (!cursor_.Accept("@")) return;
    const std::string name = cursor_.PeekRaw() == '"' ? cursor_.String() : std::string(cursor_.Word());
    if (name != "main") return;
    if (found_main_) cursor_.Fail("it has two functions @main");
    found_main_ = true;
    Arguments();
    if (cursor_.Accept("->")) Results();
  }

  void Arguments() {
    cursor_.Expect("(");
    if (cursor_.Accept(")")) return;
    do {
      cursor_.Expect("%");
      std::string name(cursor_.Word());
      cursor_.Expect(":");
      Array(program_.inputs);
      if (cursor_.Peek() == '{') {
        const AttributePtr attributes = attributes_.ParseDictionary();
        const Attribute* info = attributes == nullptr ? nullptr : attributes->Find("jax.arg_info");
        if (info != nullptr && info->kind == Attribute::Kind::kString) name = info->text;
      }
      program_.input_names.push_back(std::move(name));
      if (cursor_.Peek() == 'l') attributes_.ParseLocation();
    } while (cursor_.Accept(","));
    cursor_.Expect(")");
  }

  void Results() {
    if (!cursor_.Accept("(")) return Array(program_.outputs);
    if (cursor_.Accept(")")) return;
    do {
      Array(program_.outputs);
      if (cursor_.Peek() == '{') attributes_.ParseDictionary();
    } while (cursor_.Accept(","));
    cursor_.Expect(")");
  }

  void Array(std::vector<core::ArrayType>& arrays) {
    const TypePtr type = attributes_.ParseType();
    if (!cursor_.ok()) return;
    auto array = ToArrayType(*type);
    if (array) {
      arrays.push_back(std::move(*array));
    } else {
      cursor_.Fail(array.error().code, "@main takes or returns " + array.error().message);
    }
  }

  TextCursor cursor_;
  AttributeParser attributes_;
  std::int64_t program_id_;
  HostProgram program_;
  std::string open_;         // the brackets that will close what is open
  std::size_t copied_ = 0;   // up to here the text is in program_.text
  bool found_main_ = false;
  std::string result_;                // what the operation at hand defines
  std::set<std::string> allocated_;   // in this function
};

}  // namespace

core::Result<HostProgram> ReadHostProgram(std::string_view text, std::int64_t program_id) {
  if (text.starts_with("ML\xefR")) {
    return core::Fail(core::ErrorCode::kUnsupported, "module: StableHLO bytecode; write it as text (in JAX: lowered.as_text())");
  }
  return Scanner(text, program_id).Scan();
}

}  // namespace kernel_audit::import
