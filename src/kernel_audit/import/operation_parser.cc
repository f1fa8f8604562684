#include "kernel_audit/import/operation_parser.h"

#include <map>
#include <unordered_map>

#include "kernel_audit/import/attribute_parser.h"

namespace kernel_audit::import {
namespace {

class Parser {
 public:
  Parser(std::string_view text, const std::string& what) : cursor_(text, what), attributes_(cursor_) { attributes_.FindAliases(); }

  core::Result<MlirModule> Parse() {
    MlirModule module;
    types_ = &module.value_types;
    scopes_.emplace_back();
    SkipAliases();
    ParseOperation(module.top);
    SkipAliases();
    if (cursor_.ok() && !cursor_.AtEnd()) cursor_.Fail("something stands behind the module");
    if (!cursor_.ok()) return tl::unexpected(cursor_.error());
    return module;
  }

 private:
  void SkipAliases() {
    while (cursor_.ok() && (cursor_.Peek() == '#' || cursor_.Peek() == '!')) {
      const bool type = cursor_.Peek() == '!';
      cursor_.Accept(type ? "!" : "#");
      cursor_.Word();
      cursor_.Expect("=");
      if (type) {
        attributes_.ParseType();
      } else {
        attributes_.ParseAttribute();
      }
    }
  }

  // %name or %3, without the %; moves behind it.
  std::string ValueName() {
    cursor_.Expect("%");
    std::string name(cursor_.Word());
    if (name.empty()) cursor_.Fail("a value has no name");
    return name;
  }

  int Define(const std::string& name, int index) {
    const int number = static_cast<int>(types_->size());
    types_->push_back(nullptr);
    if (!scopes_.back().emplace(std::make_pair(name, index), number).second) cursor_.Fail("value '%" + name + "' is defined twice");
    return number;
  }

  int Use() {
    const std::string name = ValueName();
    const int index = cursor_.AcceptRaw('#') ? static_cast<int>(cursor_.Digits().value_or(0) & 0xffff) : 0;
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto found = scope->find({name, index}); found != scope->end()) return found->second;
    }
    cursor_.Fail("value '%" + name + "' is used before it is defined");
    return 0;
  }

  struct ResultName {
    std::string name;
    int count = 1;
  };

  std::vector<ResultName> ParseResultNames() {
    std::vector<ResultName> names;
    if (cursor_.Peek() != '%') return names;
    do {
      names.push_back({ValueName(), 1});
      if (!cursor_.AcceptRaw(':')) continue;
      const auto count = cursor_.Digits();
      if (!count || *count < 1 || *count > 4096) cursor_.Fail("a result count is not between 1 and 4096");
      names.back().count = static_cast<int>(count.value_or(1));
    } while (cursor_.Accept(","));
    cursor_.Expect("=");
    return names;
  }

  void ParseOperation(Operation& operation) {
    if (++depth_ > 128) cursor_.Fail(core::ErrorCode::kUnsupported, "operations are nested more than 128 deep");
    const std::vector<ResultName> names = ParseResultNames();
    if (cursor_.ok() && cursor_.Peek() != '"') {
      cursor_.Fail(core::ErrorCode::kUnsupported, "an operation is not in MLIR's generic form: expected its name in double quotes");
    }
    operation.name = cursor_.String();
    ParseOperands(operation);
    if (cursor_.Peek() == '[') cursor_.Fail(core::ErrorCode::kUnsupported, "operation '" + operation.name + "' has successors");
    ParseAttributesAndRegions(operation);
    cursor_.Expect(":");
    const TypePtr type = attributes_.ParseType();
    if (cursor_.Peek() == 'l') operation.location = attributes_.ParseLocation();
    if (cursor_.ok()) Bind(operation, names, *type);
    --depth_;
  }

  void ParseOperands(Operation& operation) {
    cursor_.Expect("(");
    if (cursor_.Accept(")")) return;
    do operation.operands.push_back(Use());
    while (cursor_.Accept(","));
    cursor_.Expect(")");
  }

  void ParseAttributesAndRegions(Operation& operation) {
    auto all = std::make_shared<Attribute>();
    all->kind = Attribute::Kind::kDictionary;
    const auto merge = [&] {
      const AttributePtr dictionary = attributes_.ParseDictionary();
      if (dictionary == nullptr) return;
      for (const auto& entry : dictionary->entries) {
        if (all->Find(entry.first) != nullptr) cursor_.Fail("attribute '" + entry.first + "' occurs twice");
        all->entries.push_back(entry);
      }
    };
    if (cursor_.Accept("<")) {
      merge();
      cursor_.Expect(">");
    }
    if (cursor_.Accept("(")) {
      do ParseRegion(operation.regions.emplace_back());
      while (cursor_.Accept(","));
      cursor_.Expect(")");
    }
    if (cursor_.Peek() == '{') merge();
    operation.attributes = std::move(all);
  }

  void ParseRegion(MlirRegion& region) {
    cursor_.Expect("{");
    scopes_.emplace_back();
    while (cursor_.ok() && !cursor_.Accept("}")) {
      if (cursor_.Peek() == '^') {
        ParseBlockHeader(region.blocks.emplace_back());
      } else {
        if (region.blocks.empty()) region.blocks.emplace_back();
        ParseOperation(region.blocks.back().operations.emplace_back());
      }
    }
    scopes_.pop_back();
  }

  void ParseBlockHeader(Block& block) {
    cursor_.Expect("^");
    cursor_.Word();
    if (cursor_.Accept("(") && !cursor_.Accept(")")) {
      do {
        const std::string name = ValueName();
        cursor_.Expect(":");
        block.arguments.push_back(Define(name, 0));
        types_->back() = attributes_.ParseType();
        if (cursor_.Peek() == 'l') attributes_.ParseLocation();
      } while (cursor_.Accept(","));
      cursor_.Expect(")");
    }
    cursor_.Expect(":");
  }

  // Results are defined only now, so that an operation can't use its own.
  void Bind(Operation& operation, const std::vector<ResultName>& names, const MlirType& type) {
    std::size_t results = 0;
    for (const ResultName& name : names) results += static_cast<std::size_t>(name.count);
    if (type.kind != MlirType::Kind::kFunction || type.inputs.size() != operation.operands.size() ||
        (!names.empty() && type.results.size() != results)) {
      cursor_.Fail("operation '" + operation.name + "' does not have the operands and results of its type");
      return;
    }
    for (const ResultName& name : names) {
      for (int i = 0; i < name.count; ++i) operation.results.push_back(Define(name.name, i));
    }
    for (std::size_t i = operation.results.size(); i < type.results.size(); ++i) {
      operation.results.push_back(static_cast<int>(types_->size()));
      types_->push_back(nullptr);
    }
    for (std::size_t i = 0; i < type.results.size(); ++i) {
      (*types_)[static_cast<std::size_t>(operation.results[i])] = type.results[i];
    }
  }

  TextCursor cursor_;
  AttributeParser attributes_;
  std::vector<TypePtr>* types_ = nullptr;
  std::vector<std::map<std::pair<std::string, int>, int>> scopes_;
  int depth_ = 0;
};

}  // namespace

core::Result<MlirModule> ParseMlirText(std::string_view text, const std::string& what) { return Parser(text, what).Parse(); }

}  // namespace kernel_audit::import
