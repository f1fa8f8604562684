#include "kernel_audit/import/bytecode.h"

#include <algorithm>
#include <array>
#include <optional>

#include "kernel_audit/import/bytecode_tables.h"

namespace kernel_audit::import {
namespace {

constexpr std::array<std::uint8_t, 4> kMagic = {'M', 'L', 0xef, 'R'};
constexpr int kMaxDepth = 128;

enum Section : std::uint8_t { kString = 0, kDialect = 1, kAttributesAndTypes = 2, kOffsets = 3, kIr = 4, kNumSections = 9 };

enum OperationMask : std::uint8_t { kHasAttributes = 1, kHasResults = 2, kHasOperands = 4, kHasSuccessors = 8, kHasRegions = 16 };

// Reads the section of operations. Values are numbered within the innermost region that is isolated from above; a region takes its numbers
// when it begins and gives them back when it ends.
class OperationReader {
 public:
  OperationReader(Bytes section, BytecodeTables& tables) : reader_(section), size_(section.size()), tables_(tables) {}

  bool Read(MlirModule& module) {
    module_ = &module;
    scopes_.emplace_back();
    Block top;
    ReadBlock(top, 0);
    if (ok() && top.operations.size() != 1) Fail("it does not hold exactly one module");
    if (!reader_.ok()) tables_.Fail(reader_.error());
    if (!tables_.ok()) return false;
    module.top = std::move(top.operations.front());
    return true;
  }

 private:
  bool ok() const { return reader_.ok() && tables_.ok(); }
  void Fail(std::string message) { reader_.Fail(std::move(message)); }

  int Define(TypePtr type) {
    if (scopes_.back().empty() || next_.empty() || next_.back() >= scopes_.back().size()) {
      Fail("a region defines more values than it says");
      return 0;
    }
    const int number = scopes_.back()[next_.back()++];
    module_->value_types[static_cast<std::size_t>(number)] = std::move(type);
    return number;
  }

  void ReadBlock(Block& block, int depth) {
    bool has_arguments = false;
    const std::uint64_t operations = reader_.VarIntWithFlag(has_arguments);
    if (operations > reader_.remaining()) Fail("it counts more operations than it holds");
    const std::size_t arguments = has_arguments ? reader_.Count() : 0;
    for (std::size_t i = 0; i < arguments && ok(); ++i) {
      block.arguments.push_back(Define(tables_.TypeAt(reader_.VarInt())));
      tables_.AttributeAt(reader_.VarInt());
    }
    for (std::uint64_t i = 0; i < operations && ok(); ++i) ReadOperation(block.operations.emplace_back(), depth);
  }

  void ReadOperation(Operation& operation, int depth) {
    operation.name = tables_.OperationName(reader_.VarInt());
    const std::uint8_t mask = reader_.Byte();
    const AttributePtr location = tables_.AttributeAt(reader_.VarInt());
    if (location != nullptr && location->kind == Attribute::Kind::kLocation) operation.location = location->location;
    if ((mask & ~(kHasAttributes | kHasResults | kHasOperands | kHasRegions)) != 0) Fail("an operation has parts that are not known");
    if ((mask & kHasAttributes) != 0) {
      operation.attributes = tables_.AttributeAt(reader_.VarInt());
    } else {
      auto empty = std::make_shared<Attribute>();
      empty->kind = Attribute::Kind::kDictionary;
      operation.attributes = std::move(empty);
    }
    if (ok() && operation.attributes->kind != Attribute::Kind::kDictionary) Fail("an operation's attributes are not a dictionary");
    const std::size_t results = (mask & kHasResults) != 0 ? reader_.Count() : 0;
    for (std::size_t i = 0; i < results && ok(); ++i) operation.results.push_back(Define(tables_.TypeAt(reader_.VarInt())));
    const std::size_t operands = (mask & kHasOperands) != 0 ? reader_.Count() : 0;
    for (std::size_t i = 0; i < operands && ok(); ++i) operation.operands.push_back(Use(reader_.VarInt()));
    if ((mask & kHasRegions) != 0) ReadRegions(operation, depth + 1);
  }

  int Use(std::uint64_t number) {
    if (number < scopes_.back().size()) return scopes_.back()[number];
    Fail("an operation uses a value that does not exist");
    return 0;
  }

  void ReadRegions(Operation& operation, int depth) {
    if (depth > kMaxDepth) return Fail("operations are nested more than 128 deep");
    bool isolated = false;
    const std::uint64_t count = reader_.VarIntWithFlag(isolated);
    if (count > reader_.remaining()) return Fail("it counts more regions than it holds");
    if (isolated) scopes_.emplace_back();
    for (std::uint64_t i = 0; i < count && ok(); ++i) ReadRegion(operation.regions.emplace_back(), depth);
    if (isolated) scopes_.pop_back();
  }

  void ReadRegion(MlirRegion& region, int depth) {
    const std::size_t blocks = reader_.Count();
    if (blocks == 0 || !ok()) return;
    const std::size_t values = reader_.Count();
    // A value takes at least the byte of its type, so more than the section's bytes can't be; else nested claims would multiply.
    if (module_->value_types.size() + values > size_) return Fail("it counts more values than it holds");
    std::vector<int>& scope = scopes_.back();
    const std::size_t begin = scope.size();
    for (std::size_t i = 0; i < values; ++i) {
      scope.push_back(static_cast<int>(module_->value_types.size()));
      module_->value_types.push_back(nullptr);
    }
    next_.push_back(begin);
    for (std::size_t i = 0; i < blocks && ok(); ++i) ReadBlock(region.blocks.emplace_back(), depth);
    next_.pop_back();
    scopes_.back().resize(begin);
  }

  ByteReader reader_;
  std::size_t size_;
  BytecodeTables& tables_;
  MlirModule* module_ = nullptr;
  std::vector<std::vector<int>> scopes_;  // the numbers of module_ for the numbers of the bytecode
  std::vector<std::size_t> next_;         // the next number to be defined, one an open region
};

using Sections = std::array<std::optional<Bytes>, kNumSections>;

// Every section: a byte with its kind (and a bit that says it is aligned), its length, its bytes.
std::string SplitSections(ByteReader& reader, Sections& sections) {
  while (reader.ok() && !reader.AtEnd()) {
    const std::uint8_t kind = reader.Byte();
    const std::uint64_t length = reader.VarInt();
    if ((kind & 0x80) != 0) reader.Align(reader.VarInt());
    const Bytes bytes = reader.Take(length);
    if ((kind & 0x7f) >= kNumSections) return "it has a section of a kind that is not known";
    if (sections[kind & 0x7f]) return "it has a section twice";
    sections[kind & 0x7f] = bytes;
  }
  for (const Section needed : {kString, kDialect, kAttributesAndTypes, kOffsets, kIr}) {
    if (reader.ok() && !sections[needed]) return "a section is missing";
  }
  return reader.error();
}

}  // namespace

bool IsMlirBytecode(Bytes bytes) { return bytes.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), bytes.begin()); }

core::Result<MlirModule> ParseMlirBytecode(Bytes bytes, const std::string& what) {
  const auto damaged = [&](const std::string& why) { return core::Fail(core::ErrorCode::kBadInput, what + ": MLIR bytecode: " + why); };
  if (!IsMlirBytecode(bytes)) return damaged("it does not begin as bytecode does");
  ByteReader reader(bytes);
  reader.Take(kMagic.size());
  const std::uint64_t version = reader.VarInt();
  if (reader.ok() && version != 0) {
    return core::Fail(core::ErrorCode::kUnsupported, what + ": MLIR bytecode of version " + std::to_string(version) + "; only version 0 is read");
  }
  reader.CString();
  Sections sections;
  if (const std::string error = SplitSections(reader, sections); !error.empty()) return damaged(error);
  BytecodeTables tables;
  MlirModule module;
  const bool read = tables.ReadStrings(*sections[kString]) && tables.ReadDialects(*sections[kDialect]) &&
                    tables.ReadOffsets(*sections[kOffsets], *sections[kAttributesAndTypes]) &&
                    OperationReader(*sections[kIr], tables).Read(module);
  if (!read) return damaged(tables.error());
  return module;
}

}  // namespace kernel_audit::import
