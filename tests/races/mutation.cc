#include "races/mutation.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace kernel_audit::testing {
namespace {

using ir::Op;
using ir::OpCode;
using ir::Region;
using ir::Value;

// One place where a fault can be made.
struct Site {
  Region* region;
  std::size_t at;
  std::string what;
  std::function<void(ir::Kernel&)> apply;
};

bool IsSync(const Op& op) {
  return op.code == OpCode::kEnqueueDma || op.code == OpCode::kWaitDma || op.code == OpCode::kSemSignal || op.code == OpCode::kSemWait;
}

std::string Where(const Op& op) { return std::string(op.info().name) + " at " + op.location.ToString(); }

Op* ConstantNear(ir::Kernel& kernel, const Op& like, std::int64_t change) {
  Op* made = kernel.NewOp(OpCode::kConstant);
  made->attributes = like.attributes;
  made->location = like.location;
  std::vector<std::uint8_t>& bytes = made->attributes.value.bytes;
  std::int64_t number = 0;
  std::memcpy(&number, bytes.data(), bytes.size());
  number += change;
  std::memcpy(bytes.data(), &number, bytes.size());
  made->results.push_back(kernel.NewValue(like.results[0]->type));
  made->results[0]->producer = made;
  return made;
}

// The first or all but the first row of a reference.
Op* FewerRows(ir::Kernel& kernel, Value* reference, bool from_second, std::vector<Op*>& added) {
  ir::Type shorter = reference->type;
  --shorter.shape[0];
  Op* slice = kernel.NewOp(OpCode::kRefSlice);
  slice->operands = {reference};
  for (std::size_t d = 0; d < shorter.shape.size(); ++d) {
    Op* start = kernel.NewOp(OpCode::kConstant);
    start->attributes.value.bytes = {static_cast<std::uint8_t>(d == 0 && from_second ? 1 : 0), 0, 0, 0};
    start->results.push_back(kernel.NewValue(ir::Type::Scalar(core::DType::kInt32)));
    start->results[0]->producer = start;
    added.push_back(start);
    slice->operands.push_back(start->results[0]);
  }
  slice->attributes.segments = {1, static_cast<std::int32_t>(shorter.shape.size()), 0};
  slice->results.push_back(kernel.NewValue(shorter));
  slice->results[0]->producer = slice;
  added.push_back(slice);
  return slice;
}

class Sites {
 public:
  explicit Sites(const ir::Kernel& kernel) { Visit(kernel.body); }
  std::vector<Site>& list() { return sites_; }

 private:
  void Add(Region* region, std::size_t at, std::string what, std::function<void(ir::Kernel&)> apply) {
    sites_.push_back({region, at, std::move(what), std::move(apply)});
  }

  void Visit(Region* region) {
    for (std::size_t i = 0; i < region->ops.size(); ++i) {
      Op& op = *region->ops[i];
      if (IsSync(op)) AddSync(region, i);
      if (op.code == OpCode::kRefSlice || op.code == OpCode::kFor || op.code == OpCode::kSemSignal || op.code == OpCode::kSemWait) AddNumbers(region, i);
      for (Region* inner : op.regions) Visit(inner);
    }
  }

  void AddSync(Region* region, std::size_t i) {
    Op* op = region->ops[i];
    Add(region, i, "drop " + Where(*op), [=](ir::Kernel&) { region->ops.erase(region->ops.begin() + static_cast<std::ptrdiff_t>(i)); });
    Add(region, i, "repeat " + Where(*op), [=](ir::Kernel&) { region->ops.insert(region->ops.begin() + static_cast<std::ptrdiff_t>(i), op); });
    AddMoves(region, i);
    if (op->code == OpCode::kEnqueueDma || op->code == OpCode::kWaitDma) AddRanges(region, i);
  }

  // To before each other operation that is no pure one, within the region, and to its end.
  void AddMoves(Region* region, std::size_t i) {
    Op* op = region->ops[i];
    for (std::size_t to = 0; to < region->ops.size(); ++to) {
      if (to == i || to == i + 1 || region->ops[to]->info().effect == ir::Effect::kNone) continue;
      Add(region, i, "move " + Where(*op) + " to before " + Where(*region->ops[to]), [=](ir::Kernel&) {
        region->ops.erase(region->ops.begin() + static_cast<std::ptrdiff_t>(i));
        region->ops.insert(region->ops.begin() + static_cast<std::ptrdiff_t>(to > i ? to - 1 : to), op);
      });
    }
  }

  void AddRanges(Region* region, std::size_t i) {
    Op* op = region->ops[i];
    const std::size_t first = op->code == OpCode::kWaitDma ? 1 : 0;
    const core::Shape& shape = op->operands[first]->type.shape;
    if (shape.empty() || shape[0] < 2) return;
    for (const bool from_second : {false, true}) {
      Add(region, i, std::string("a row less ") + (from_second ? "at the front of " : "at the end of ") + Where(*op), [=](ir::Kernel& kernel) {
        std::vector<Op*> added;
        for (const std::size_t side : {first, first + 1}) op->operands[side] = FewerRows(kernel, op->operands[side], from_second, added)->result();
        region->ops.insert(region->ops.begin() + static_cast<std::ptrdiff_t>(i), added.begin(), added.end());
      });
    }
  }

  void AddNumbers(Region* region, std::size_t i) {
    Op* op = region->ops[i];
    for (std::size_t k = 0; k < op->operands.size(); ++k) {
      const Op* from = op->operands[k]->producer;
      if (from == nullptr || from->code != OpCode::kConstant || !op->operands[k]->type.is_scalar()) continue;
      for (const int change : {-1, 1}) {
        Add(region, i, std::to_string(change) + " on operand " + std::to_string(k) + " of " + Where(*op), [=](ir::Kernel& kernel) {
          Op* made = ConstantNear(kernel, *from, change);
          op->operands[k] = made->result();
          region->ops.insert(region->ops.begin() + static_cast<std::ptrdiff_t>(i), made);
        });
      }
    }
    if (op->code == OpCode::kRefSlice) AddMovedStarts(region, i);
  }

  // A computed start, one less or more.
  void AddMovedStarts(Region* region, std::size_t i) {
    Op* op = region->ops[i];
    for (std::size_t k = 1; k < op->operands.size(); ++k) {
      Value* start = op->operands[k];
      if (start->producer != nullptr && start->producer->code == OpCode::kConstant) continue;
      if (start->type.dtype != core::DType::kInt32) continue;
      for (const int change : {-1, 1}) {
        Add(region, i, std::to_string(change) + " on start " + std::to_string(k) + " of " + Where(*op), [=](ir::Kernel& kernel) {
          Op* number = kernel.NewOp(OpCode::kConstant);
          number->attributes.value.bytes.resize(4);
          std::memcpy(number->attributes.value.bytes.data(), &change, 4);
          number->results.push_back(kernel.NewValue(start->type));
          Op* sum = kernel.NewOp(OpCode::kAddI);
          sum->operands = {start, number->results[0]};
          sum->results.push_back(kernel.NewValue(start->type));
          number->results[0]->producer = number;
          sum->results[0]->producer = sum;
          number->location = sum->location = op->location;
          op->operands[k] = sum->results[0];
          region->ops.insert(region->ops.begin() + static_cast<std::ptrdiff_t>(i), {number, sum});
        });
      }
    }
  }

  std::vector<Site> sites_;
};

}  // namespace

std::size_t CountMutants(const ir::Kernel& kernel) { return Sites(kernel).list().size(); }

std::string Mutate(ir::Kernel& kernel, std::size_t mutant) {
  Site site = Sites(kernel).list().at(mutant);
  site.apply(kernel);
  return site.what;
}

}  // namespace kernel_audit::testing
